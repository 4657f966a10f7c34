"""What is wrong on this machine and what to do, and all settings."""

import asyncio
import os
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from assistant.bootstrap import Assistant, now
from assistant.checkup import Check, Deep, checks, read_settings
from assistant.checkup_places import Finding
from assistant.errors import BadConfig, ModelFailed
from assistant.language.model import LanguageModel, Progress
from assistant.settings import Setting, find_setting
from tui.failures import told
from tui.keys import bound, hint
from tui.messages import CheckTold
from tui.screens.browse import BrowseScreen, Found
from tui.screens.conversation import ConversationScreen
from tui.screens.setting import SettingScreen
from tui.screens.setting_lines import TABLES, SeenSettings, matching, read_all, setting_facts, setting_line
from tui.screens.views import fact_lines
from tui.text import count, one_line
from tui.watch import POLL_SECONDS
from tui.widgets.findings import Findings

BUSY = "An answer is being written: wait for it, or stop it first, with esc in the chat."
LOOKING = "looking …"
LOADING = "loading"
"""The check that can be stopped."""
UNKNOWN = "gpu"
"""The check in whose place it stands."""
STOPPED = "stopped before it was loaded"
TOLD_SECONDS = 8
WIDE_COLUMNS, LIST_SHARE, BORDERS = 110, 0.6, 6
"""From so many columns the list has a part of them beside the pane; and what stands on both sides of a line."""


class Tab(StrEnum):
    """What the screen shows."""

    DOCTOR = "doctor"
    SETTINGS = "settings"


class Loading:
    """The model while it is loaded for a look."""

    def __init__(self, model: LanguageModel, tell: Progress) -> None:
        self.model = model
        self._tell = tell
        self.stopped = False

    def progress(self, what: str, share: float | None) -> None:
        """Tell how far it is; ends the loading when it was stopped.

        Raises
        ------
        ModelFailed
            It was stopped.
        """
        if self.stopped:
            raise ModelFailed(STOPPED)
        self._tell(what, share)

    def stop(self) -> None:
        """End the loading, which takes up to some seconds; the next question loads it again."""
        self.stopped = True
        self.model.close()


class DoctorScreen(BrowseScreen):
    """Two tabs: a checkup that goes on while one looks, and a list of settings that one searches."""

    TITLE_LINE = "Doctor and settings"
    PLACEHOLDER = "Search settings · down goes into the list · enter changes"
    BINDINGS: ClassVar[list[BindingType]] = [
        bound("doctor.change", "change", "Change", tooltip="Give it another value"),
        bound("doctor.again", "again", "Again", tooltip="Look at everything once more"),
        bound("doctor.load", "load", "Load the model", tooltip="See whether it can be loaded, and what it gets"),
        bound("doctor.next_tab", "next_tab", "Tab", tooltip="Doctor or settings"),
    ]

    def __init__(self, assistant: Assistant, *, tab: Tab = Tab.DOCTOR) -> None:
        super().__init__(assistant)
        self.tab = tab
        self._findings: list[Finding] = []
        self._begun = False
        """Whether there was a checkup: who comes for the settings alone needs none."""
        self._stand_of_checkup = LOOKING
        self._loading: Loading | None = None
        """None while the model is not being loaded for a look."""
        self._seen: SeenSettings | None = None
        """The settings as they were read last; None when they could not be."""
        self._cells = 0.0
        """Room for a line."""
        self._stood: object = None
        """How the file of the settings was when it was read last."""

    def compose_above(self) -> ComposeResult:
        """Give the names of the tabs, and the checkup."""
        yield Static("", id="tabs")
        yield Findings(id="findings")

    def compose_beside(self) -> ComposeResult:
        """Give the pane of the chosen setting."""
        with VerticalScroll(id="detail", can_focus=False), Vertical():
            yield Static("", id="detail-text", markup=False)
            yield Static("", id="detail-facts", markup=False)

    def on_mount(self) -> None:
        """Show the tab, and look at the file of the settings about each second."""
        super().on_mount()
        self._show_tab()
        self.set_interval(POLL_SECONDS, self._look_again)

    def on_resize(self, event: events.Resize) -> None:
        """Tell as much in a line as there is room for."""
        super().on_resize(event)
        self._cells = event.size.width * (LIST_SHARE if event.size.width >= WIDE_COLUMNS else 1) - BORDERS
        if self.tab is Tab.SETTINGS:
            self.reload()

    def on_unmount(self) -> None:
        """Leave no model behind that is being loaded."""
        self._stop_loading()

    def go_on_with(self, assistant: Assistant) -> None:
        """Take an assistant with other settings."""
        self.assistant = assistant
        self.reload()

    # Tabs

    def show_tab(self, tab: Tab) -> None:
        """Show the other one."""
        self.tab = tab
        self._show_tab()
        self.reload()

    def action_next_tab(self) -> None:
        """Show the other tab."""
        self.show_tab(Tab.SETTINGS if self.tab is Tab.DOCTOR else Tab.DOCTOR)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done in this tab."""
        of = {"change": Tab.SETTINGS, "search": Tab.SETTINGS, "again": Tab.DOCTOR, "load": Tab.DOCTOR}
        return of.get(action, self.tab) is self.tab and super().check_action(action, parameters)

    def _show_tab(self) -> None:
        names = [(tab.value, "$text-accent" if tab is self.tab else "$secondary") for tab in Tab]
        self.query_one("#tabs", Static).update(Content("  ").join(Content.styled(*name) for name in names))
        checkup, search = self.query_one(Findings), self.query_one("#search")
        checkup.display = self.tab is Tab.DOCTOR
        search.display = self.tab is Tab.SETTINGS
        (checkup if checkup.display else search).focus()
        self.refresh_bindings()
        if self.tab is Tab.DOCTOR and not self._begun:
            self._begun = True
            self.run_checks()

    # The checkup

    def action_again(self) -> None:
        """Look at everything once more."""
        self._stop_loading()
        self.run_checks()

    def action_load(self) -> None:
        """Load the model, too; escape stops it."""
        if not self._answers():
            self._stop_loading()
            self.run_checks(deep=True)

    @work(exclusive=True, group="checkup")
    async def run_checks(self, *, deep: bool = False) -> None:
        """Look at one thing after the other, and show each finding as soon as it is there."""
        shown = self.query_one(Findings)
        loading = Loading(self.assistant.model, self._tell) if deep else None
        whole = self._stand_of_checkup != LOOKING
        self._findings = [one for one in self._findings if deep and whole and one.name not in {LOADING, UNKNOWN}]
        known = [one.name for one in self._findings]
        await shown.begin(keep=known)
        self._caption(LOOKING)
        with told(self):
            for check in await asyncio.to_thread(self._checks, loading):
                if check.name in known:
                    continue
                await shown.looking(check.name)
                if loading is not None and check.name == LOADING:
                    self._loading = loading
                    self._tell(f"loading {loading.model.name}", None)
                finding = await asyncio.to_thread(check.look)
                self._loading = None
                if loading is not None and loading.stopped:
                    finding = Finding(name=LOADING, ok=None, what=STOPPED)
                self._findings.append(finding)
                await shown.found(finding)
            self._caption(verdict(self._findings))

    def _checks(self, loading: "Loading | None") -> list[Check]:
        paths = self.assistant.paths
        deep = None if loading is None else Deep(model=loading.model, progress=loading.progress)
        return checks(paths, read_settings(paths, os.environ), now=now(), deep=deep)

    def _tell(self, what: str, share: float | None) -> None:
        self.post_message(CheckTold(what, share))

    @on(CheckTold)
    def _told_of_loading(self, message: CheckTold) -> None:
        message.stop()
        if self._loading is not None:
            share = "" if message.share is None else f" {message.share:.0%}"
            keys = hint(self.app, ("screen.leave", "stops it"))
            self.query_one(Findings).tell(f"{message.what}{share} · {keys}")

    def _stop_loading(self) -> None:
        loading, self._loading = self._loading, None
        if loading is not None:
            asyncio.get_running_loop().run_in_executor(None, loading.stop)  # the process may take its time to end

    def _caption(self, line: str) -> None:
        self._stand_of_checkup = line
        if self.tab is Tab.DOCTOR:
            self.query_one("#caption", Static).update(line)

    def action_leave(self) -> None:
        """Stop the loading of the model, or else go back to the chat."""
        if self._loading is not None:
            self._stop_loading()
        else:
            super().action_leave()

    def _answers(self) -> bool:
        """Whether the model is answering; says so, for then it is left alone."""
        busy = any(screen.busy for screen in self.app.screen_stack if isinstance(screen, ConversationScreen))
        if busy:
            self.app.notify(BUSY, timeout=TOLD_SECONDS)
        return busy

    # The settings

    def fetch(self, wanted: str) -> Found:
        """Give the settings that a search finds."""
        if self.tab is Tab.DOCTOR:
            return Found(lines=[], caption=self._stand_of_checkup, nothing="")
        path = self.assistant.paths.config_file
        stand = _stand(path)
        try:
            if self._seen is None or stand != self._stood:  # which takes longer than to find something in them
                self._seen, self._stood = read_all(path, os.environ), stand
        except BadConfig as error:
            self._seen, self._stood = None, stand
            return Found(lines=[], caption="", nothing=f"{one_line(str(error))}\n\nassistant config edit corrects it.")
        found = matching(self._seen.settings.values(), wanted)
        lines = [setting_line(setting, width=int(self._cells)) for setting in found]
        return Found(lines=lines, caption=count(len(found), "setting"), nothing="No setting has these words.")

    def shown(self) -> None:
        """Show what is known of the chosen setting."""
        if self.tab is Tab.DOCTOR:
            self.query_one("#empty").display = False
        self._show_detail()

    @property
    def _setting(self) -> Setting | None:
        return None if self._seen is None or self.chosen is None else self._seen.settings.get(self.chosen)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_detail()

    def _show_detail(self) -> None:
        setting, text, facts = self._setting, "", ""
        if setting is not None and self._seen is not None:
            text = one_line(setting.help)
            facts = fact_lines(setting_facts(setting, self._seen, os.environ))
            facts += "" if setting.changeable else f"\n{TABLES}"
        self.query_one("#detail-text", Static).update(text)
        self.query_one("#detail-facts", Static).update(facts)

    @work(exclusive=True, group="look")
    async def _look_again(self) -> None:
        if (
            self.tab is Tab.SETTINGS
            and await asyncio.to_thread(_stand, self.assistant.paths.config_file) != self._stood
        ):
            self.reload()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_change()

    @work(exclusive=True, group="change")
    async def action_change(self) -> None:
        """Ask for another value of the highlighted setting, and let it hold as soon as it can."""
        setting, seen = self._setting, self._seen
        if setting is None or seen is None or self._answers():
            return
        if not setting.changeable:
            self.app.notify(TABLES, timeout=TOLD_SECONDS, markup=False)
            return
        value = find_setting(seen.in_file, setting.key).typed
        ask = SettingScreen(setting, value=value, path=self.assistant.paths.config_file)
        if await self.app.push_screen_wait(ask) is not None:
            await self.app.run_action(f"app.take_setting({setting.key!r})")


def verdict(findings: list[Finding]) -> str:
    """Give in a line how it stands."""
    levels = Counter(finding.level for finding in findings)
    parts = [count(levels[level], level) for level in ("failure", "warning") if levels[level]]
    return " · ".join(parts) or "all is well"


def _stand(path: Path) -> object:
    """Give what changes when a file is written; None where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
