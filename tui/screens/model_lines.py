"""How a model is told of: a line of the list with its heading, and what is known of the one that is looked at."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from textual.content import Content
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant
from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language.model import LoadedModel
from assistant.language.template import TEMPLATES
from assistant.model_files import ListedModel, ModelFacts, facts, held_bytes
from tui.failures import reason
from tui.screens.views import fact_lines
from tui.text import fitted, one_line

CHOSEN = "* "
GAP = "  "
LEAST_GIGABYTES = 0.1
"""Of a smaller file the megabytes are told."""
LEAST_BILLIONS = 0.1
"""Of fewer parameters the number is told."""
LIMITS = {"wanted": "the settings", "trained": "its training", "memory": "the memory that is free"}
CPU_BUILD = "no (CPU build)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenModel:
    """A model of the list, with what was found out about it so far."""

    listed: ListedModel
    facts: ModelFacts | None = None
    """None while its file was not looked at."""
    problem: str = ""
    """Why its file cannot be used."""
    loaded: LoadedModel | None = None
    """None when it is not the one that runs."""
    cpu_build: bool = False
    """Whether it is known that there is no GPU for any: what runs was told so."""

    @property
    def name(self) -> str:
        """What it is called in the list."""
        package = self.listed.file.package
        return one_line(self.listed.file.name if package is None else package.name)

    @property
    def size(self) -> str:
        """What its file takes."""
        size = self.listed.file_bytes
        if size < LEAST_GIGABYTES * 1e9:
            return f"{max(1, size // 1_000_000)} MB" if size else ""
        return f"{size / 1e9:.1f} GB"

    @property
    def quantisation(self) -> str:
        """How its weights are stored."""
        return "" if self.facts is None else one_line(self.facts.quantisation or "")

    @property
    def context(self) -> str:
        """Tokens that it has or would have here, and those it was trained with."""
        if self.facts is None or self.facts.trained_context is None:
            return ""
        here = self.facts.context_here if self.loaded is None else self.loaded.context
        return f"{here:,} / {self.facts.trained_context:,}"

    @property
    def state(self) -> str:
        """Whether it fits, or what keeps it from answering."""
        if not self.listed.usable:
            return "not there" if self.listed.file.package is None else "not installed"
        if self.loaded is not None:
            return "loaded"
        if self.problem:
            return "cannot be used"
        return "…" if self.facts is None else _fit(self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One of the things that a line tells."""

    heading: str
    cells: int
    text: Callable[[SeenModel], str]
    beside: int = 18
    """Cells that it has to leave for the name."""
    right: bool = False


COLUMNS = (
    Column(heading="state", cells=14, text=lambda model: model.state, beside=8),
    Column(heading="size", cells=7, text=lambda model: model.size, right=True),
    Column(heading="here / trained", cells=17, text=lambda model: model.context, right=True),
    Column(heading="weights", cells=8, text=lambda model: model.quantisation),
)
"""The first goes last when there is no room for all."""
ORDER = ("size", "weights", "here / trained", "state")


def look_at(listed: ListedModel, assistant: Assistant) -> SeenModel:
    """Find out what there is to know of a model. Reads the head of its file, for a thread."""
    running = assistant.model.loaded
    on_gpu = running is not None and not running.gpu.startswith("no")
    seen = SeenModel(
        listed=listed,
        loaded=running if listed.chosen else None,
        cpu_build=running is not None and running.gpu == CPU_BUILD,
    )
    if not listed.usable:
        return seen
    try:
        freed = 0 if running is None or on_gpu else held_bytes(running)
        found = facts(listed.file, assistant.config, freed=freed, on_gpu=on_gpu)
    except (ModelMissing, ModelNotLoadable) as error:
        return replace(seen, problem=reason(error))
    return replace(seen, facts=found)


def columns_for(width: int) -> tuple[Column, ...]:
    """Give the columns for which there is room beside a name."""
    shown: list[Column] = []
    for column in COLUMNS:
        if len(CHOSEN) + column.beside + sum(len(GAP) + each.cells for each in (*shown, column)) <= width:
            shown.append(column)
    return tuple(sorted(shown, key=lambda column: ORDER.index(column.heading)))


def name_cells(width: int) -> int:
    """Give the cells that are left for a name."""
    return max(1, width - len(CHOSEN) - sum(len(GAP) + column.cells for column in columns_for(width)))


def heading(width: int) -> str:
    """Give the names of the columns."""
    names = [_filled(column, column.heading) for column in columns_for(width)]
    return GAP.join([" " * len(CHOSEN) + fitted("model", name_cells(width)), *names]).rstrip()


def model_line(model: SeenModel, *, width: int) -> Option:
    """Give the line of a model: whether it is the chosen one, its name, and what there is room for."""
    parts: list[str | tuple[str, str]] = [
        (CHOSEN if model.listed.chosen else " " * len(CHOSEN), "$text-accent"),
        fitted(model.name, name_cells(width)),
    ]
    for column in columns_for(width):
        parts += [GAP, (_filled(column, column.text(model)), "$secondary")]
    return Option(Content.assemble(*parts), id=model.listed.name)


def model_detail(model: SeenModel, *, gpu_layers: int) -> str:
    """Give all that is known of a model, a line each."""
    known = model.facts
    listed = model.listed
    about = [model.size, model.quantisation]
    if known is not None:
        about += [one_line(known.architecture or ""), _count(known.parameters)]
    return fact_lines(
        {
            "title": one_line(listed.title if known is None else known.title or listed.title),
            "file": one_line(str(listed.file.path)) if listed.ready else "",
            "is": ", ".join(part for part in about if part),
            "context": _context(model),
            "memory": _memory(known),
            "template": _template(known),
            "layers": _layers(model, gpu_layers) if listed.usable else "",
            "trouble": model.problem,
            "chosen": "it answers" if listed.chosen and listed.usable else "",
            "joined": "" if known is None or known.ready else "when it is used for the first time, or checked",
            "get it": "" if listed.usable else one_line(listed.install),
        }
    )


def _filled(column: Column, text: str) -> str:
    return text.rjust(column.cells) if column.right else fitted(text, column.cells)


def _fit(known: ModelFacts) -> str:
    if not known.ready:
        return "not joined yet"
    if not known.chat_template and known.architecture not in TEMPLATES:
        return "no chat model"
    if not known.context_here:
        return "does not fit"
    return "fits in part" if known.limited_by == "memory" else "fits"


def _count(parameters: int | None) -> str:
    if not parameters:
        return ""
    billions = parameters / 1e9
    return f"{billions:.1f} billion parameters" if billions >= LEAST_BILLIONS else f"{parameters:,} parameters"


def _context(model: SeenModel) -> str:
    known = model.facts
    if known is None or known.trained_context is None:
        return ""
    here = known.context_here if model.loaded is None else model.loaded.context
    limit = known.limited_by if model.loaded is None else model.loaded.context_limit
    if not here:
        return f"does not fit: {one_line(limit or '')}"
    trained = f"{known.trained_context:,}" if known.trained_context else "an unknown number"
    return f"{here:,} tokens here, limited by {LIMITS.get(limit or '', limit)}; trained with {trained}"


def _memory(known: ModelFacts | None) -> str:
    if known is None or known.memory_needed is None:
        return ""
    free = f", {known.memory_free / 1e9:.1f} GB are free" if known.memory_free else ""
    return f"takes about {known.memory_needed / 1e9:.1f} GB{free}"


def _template(known: ModelFacts | None) -> str:
    if known is None or known.chat_template is None:
        return ""
    if known.chat_template:
        return "its own"
    kind = one_line(known.architecture or "")
    if kind in TEMPLATES:
        return f"none of its own; that of all {kind} models is taken"
    return f"none, and {kind} models have none in common: it is probably no chat model"


def _layers(model: SeenModel, gpu_layers: int) -> str:
    """Give where the layers are, or else where the settings want them."""
    if model.loaded is not None:
        gpu = one_line(model.loaded.gpu)
        return f"all on the CPU{gpu.removeprefix('no')}" if gpu.startswith("no") else f"{gpu} on the GPU"
    if model.cpu_build:
        return "all on the CPU (CPU build)"
    if gpu_layers == 0:
        return "all on the CPU (gpu_layers = 0)"
    wanted = "all" if gpu_layers < 0 else f"{gpu_layers:,}"
    return f"{wanted} on the GPU, where there is one (gpu_layers = {gpu_layers})"
