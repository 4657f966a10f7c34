"""How fast it is: figures of one run on one machine, and their ratios, which other machines can be compared by."""

import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from assistant.bench import synthetic
from assistant.bench.dialogue import Progress
from assistant.importers.imported import ImportedTurn
from assistant.importers.run import BATCH, import_turns
from assistant.language.encoder import Encoder
from assistant.memory.associative import AssociativeMemory
from assistant.memory.parameters import Parameters
from storage.keys import FLOOR_COST, KeyFile
from storage.records import Role, Source, Utterance
from storage.vault import Vault

ALL = "all"
"""All stages of a recall together."""
KEYS = "keys.json"
"""The key file in the folder of a vault."""
COMMANDS = {
    "python": ["-c", "pass"],
    "onnxruntime": ["-c", "import onnxruntime"],
    "version": ["-m", "assistant", "--version"],
    "recall": ["-m", "assistant", "recall", "What did Ann say?"],
}
"""What is started: two of the program's own commands, each after what it is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """How much is measured."""

    sizes: Sequence[int] = (1_000, 10_000)
    """Turns in the graph."""
    archived: int = 0
    """Turns beside them that are only in the indexes on disk."""
    concept_share: float = 0.3
    """Concepts for each turn in the graph."""
    questions: int = 25
    """Of each size."""
    added: int = 50
    """Turns that are added to each size."""
    imported: int = 320
    starts: int = 5
    """Of each command."""


QUICK = Amounts(sizes=(40, 80), questions=3, added=3, imported=16, starts=1)
"""To see whether it runs; the figures tell nothing."""


def measure(amounts: Amounts, *, encoder: Encoder, parameters: Parameters, progress: Progress) -> dict[str, Any]:
    """Give all figures for JSON, each with its unit in its name. Leaves nothing behind."""
    found: dict[str, Any] = {"encoder": encoder.space.model, "sizes": []}
    for size in amounts.sizes:
        with tempfile.TemporaryDirectory(prefix="assistant-bench-") as name:
            timing = _Size(folder=Path(name), amounts=amounts, turns=size, encoder=encoder, parameters=parameters)
            progress(f"{size:,} turns: filling a vault")
            found["sizes"].append(timing.measure(progress))
    progress("importing")
    found["import"] = _importing(amounts.imported, encoder)
    progress("opening a vault, and starting commands")
    found["open_ms"], found["start_ms"] = _starting(amounts.starts, encoder)
    found["ratios"] = _ratios(found)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    """Measures a vault of one size."""

    folder: Path
    amounts: Amounts
    turns: int
    encoder: Encoder
    parameters: Parameters

    def measure(self, progress: Progress) -> dict[str, Any]:
        concepts = int(self.turns * self.amounts.concept_share)
        archived, space = self.amounts.archived, self.encoder.space
        with Vault.create(self.folder / "vault", secrets.token_hex(), cost=FLOOR_COST) as vault:
            synthetic.fill(vault, turns=self.turns, concepts=concepts, archived=archived, space=space)
            kept_bytes = vault.status().file_bytes / (self.turns + archived)
            memory = AssociativeMemory(vault, self.encoder, parameters=self.parameters)
            progress(f"{self.turns:,} turns: asking")
            first, *others = self._recalls(memory)
            stages = {name: _spread([one[name] for one in others]) for name in first}
            added, again = self._adding(memory)
        return {
            "active_turns": self.turns,
            "concepts": concepts,
            "archived_turns": archived,
            "first_recall_ms": first[ALL],
            "recall_ms": stages,
            "add_ms": added,
            "recall_after_adding_ms": again,
            "file_bytes_a_turn": round(kept_bytes),
            "peak_memory_mib": _peak_mib(),
        }

    def _recalls(self, memory: AssociativeMemory) -> Iterator[dict[str, float]]:
        """Give the milliseconds by stage of the first recall, which loads the graph, and of the others."""
        random = np.random.default_rng(1)
        for _ in range(self.amounts.questions + 1):
            yield _staged(memory, synthetic.question(random))

    def _adding(self, memory: AssociativeMemory) -> tuple[dict[str, float], float]:
        """Give the milliseconds of adding a turn, and of the recall after it, which has to make its vector, too."""
        random = np.random.default_rng(2)
        chat = memory.vault.conversations.create(title="added", source=Source.CHAT).id
        took = [_milliseconds(lambda: memory.hear(chat, _said(random))) for _ in range(self.amounts.added)]
        memory.recall(synthetic.question(random))
        memory.hear(chat, _said(random))
        return _spread(took), _milliseconds(lambda: memory.recall(synthetic.question(random)))


def _importing(count: int, encoder: Encoder) -> dict[str, float]:
    """Give how many turns a second an import keeps, and how many texts the encoder does by itself."""
    random = np.random.default_rng(3)
    said = [_said(random) for _ in range(count)]
    turns = [ImportedTurn(conversation="c", title="", utterance=one) for one in said]
    texts = [f"{one.speaker}: {one.text}" for one in said]
    encoder.encode(texts[:1])  # loads it

    def encode() -> None:
        for start in range(0, count, BATCH):
            encoder.encode(texts[start : start + BATCH])

    with (
        tempfile.TemporaryDirectory(prefix="assistant-bench-") as name,
        Vault.create(Path(name) / "vault", secrets.token_hex(), cost=FLOOR_COST) as vault,
    ):
        memory = AssociativeMemory(vault, encoder)
        bare = _milliseconds(encode)
        whole = _milliseconds(lambda: import_turns(memory, turns, source_name="speed"))
    return {
        "turns_per_second": round(1000 * count / whole, 1),
        "encoder_texts_per_second": round(1000 * count / bare, 1),
    }


def _starting(starts: int, encoder: Encoder) -> tuple[dict[str, float], dict[str, float]]:
    """Give the milliseconds of opening a vault of usual cost, its key apart, and of commands from start to end."""
    with tempfile.TemporaryDirectory(prefix="assistant-bench-") as name:
        folder, passphrase = Path(name), secrets.token_hex()
        vault_folder = folder / "data" / "default"
        with Vault.create(vault_folder, passphrase) as vault:
            synthetic.fill(vault, turns=20, concepts=0, archived=0, space=encoder.space)
        keys = vault_folder / KEYS
        derive = _fastest(starts, lambda: KeyFile.read(keys).unlock(passphrase, keys))
        whole = _fastest(starts, lambda: Vault.open(vault_folder, passphrase).close())
        opened = {"key_derivation": derive, "rest": round(max(whole - derive, 0.0), 1)}
        secret = folder / "passphrase"
        secret.touch(mode=0o600)
        secret.write_text(passphrase)
        places = {f"ASSISTANT_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        environment = {**os.environ, **places, "ASSISTANT_PROFILE": "default"}
        return opened, {
            name: _fastest(starts, lambda command=command: _start(command, secret, environment))  # type: ignore[misc]
            for name, command in COMMANDS.items()
        }


def _start(command: Sequence[str], secret: Path, environment: dict[str, str]) -> None:
    unlocking = ["--passphrase-file", str(secret)] if "recall" in command else []
    subprocess.run([sys.executable, *command, *unlocking], env=environment, capture_output=True, check=True)


def _ratios(found: dict[str, Any]) -> dict[str, float]:
    """Give what other machines can be compared by."""
    small, large = found["sizes"][0], found["sizes"][-1]
    starts, imported = found["start_ms"], found["import"]
    ratios = {
        "recall, largest beside smallest": large["recall_ms"][ALL]["p50"] / small["recall_ms"][ALL]["p50"],
        "adding a turn, largest beside smallest": large["add_ms"]["p50"] / small["add_ms"]["p50"],
        "import beside the encoder": imported["turns_per_second"] / imported["encoder_texts_per_second"],
        "--version beside python": starts["version"] / starts["python"],
        "recall beside importing onnxruntime": starts["recall"] / starts["onnxruntime"],
    }
    return {name: round(ratio, 2) for name, ratio in ratios.items()}


def _staged(memory: AssociativeMemory, question: str) -> dict[str, float]:
    began = time.perf_counter()
    stages = memory.recall(question).milliseconds
    return {**stages, ALL: round(1000 * (time.perf_counter() - began), 3)}


def _said(random: np.random.Generator) -> Utterance:
    return Utterance(
        role=Role.USER,
        speaker="Ann",
        text=" ".join(synthetic.words(random, synthetic.TURN_WORDS)),
        time=synthetic.BEGIN + timedelta(days=36_500),
        source=Source.CHAT,
    )


def _fastest(times: int, work: Callable[[], object]) -> float:
    """Give the milliseconds of the fastest time, the one that other programs disturbed least."""
    return round(min(_milliseconds(work) for _ in range(times)), 1)


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return round(1000 * (time.perf_counter() - began), 3)


def _spread(milliseconds: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(float(np.percentile(milliseconds, share)), 2) for share in (50, 95)}


def _peak_mib() -> float:
    """Give the most memory that this process has had so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)  # bytes there, KiB elsewhere
