"""German words for times."""

import re
from datetime import date

from assistant.memory.times import periods, reckoning
from assistant.memory.times.periods import A_FEW, DAY, Count, Period, Tense
from assistant.memory.times.rules import YEAR, Language, Rule, Told, rule

WEEKDAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "sonnabend")
_MONTHS = ("jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez")
_NUMBERS: dict[str, Count] = {
    "zwei": (2, 2), "drei": (3, 3), "vier": (4, 4), "fünf": (5, 5), "sechs": (6, 6), "sieben": (7, 7),
    "acht": (8, 8), "neun": (9, 9), "zehn": (10, 10), "elf": (11, 11), "zwölf": (12, 12),
}  # fmt: skip
_SEASONS = {"frühling": 0, "frühjahr": 0, "sommer": 1, "herbst": 2, "winter": 3}
_DAYS = {"vorgestern": -2, "gestern": -1, "letzte nacht": -1, "heute": 0, "morgen": 1, "übermorgen": 2}
_UNITS = {"tag": "day", "woche": "week", "wochenende": "weekend", "monat": "month", "jahr": "year"}

_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})(?!s\b)"
_MONTH = r"(?P<month>januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
_SEASON = rf"(?P<season>{'|'.join(_SEASONS)})\b"
_COUNT = rf"(?P<count>\d{{1,3}}|eine[mnr]?|ein paar|einigen?|mehreren|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>tag(?:en?)?|wochenenden?|wochen?|monat(?:en?)?|jahr(?:en?)?)\b"
_PLACE = r"(?P<place>letzt|vorig|vergangen|dies|nächst|naechst|kommend)(?:e[nrsm]?)?"
_PART = r"(?: (?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht))?\b"

_PAST = re.compile(
    r"\b(?:war|waren|warst|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|fuhr|fuhren|sah|traf|bekam|fand|gab"
    r"|(?!geben|gehen|gegen|gestern|gefallen)ge[a-zäöüß]{2,}(?:t|en)"  # gekauft, gegangen
    r"|[a-zäöüß]+ge[a-zäöüß]{2,}(?:t|en)"  # angekommen
    r"|[a-zäöüß]{2,}iert)\b",  # repariert
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:werde|werden|wird|wirst|will|wollen|möchte|möchten|plane|planen|vorhabe|geplant)\b", re.IGNORECASE
)


def _weekday(told: Told) -> int:
    name = told["weekday"].lower()
    return 5 if name == "sonnabend" else WEEKDAYS.index(name)


def _month(told: Told) -> int:
    return _MONTHS.index(told["month"].lower().replace("jän", "jan")[:3]) + 1


def _count(told: Told) -> Count:
    words = told["count"].lower()
    if words.isdecimal():
        return int(words), int(words)
    if words in {"ein paar", "einige", "einigen", "mehreren"}:
        return A_FEW
    return _NUMBERS.get(words, (1, 1))


def _unit(told: Told) -> str:
    words = told["unit"].lower()
    return _UNITS[max((name for name in _UNITS if words.startswith(name)), key=len)]


def _place(told: Told) -> int:
    return {"dies": 0, "nächst": 1, "naechst": 1, "kommend": 1}.get(told["place"].lower(), -1)


def _named_day(told: Told) -> Period:
    return periods.day(told.said + _DAYS[told["name"].lower()] * DAY)


def _near_unit(told: Told) -> Period:
    return reckoning.near(told.said, _unit(told), _place(told))


def _near_weekday(told: Told) -> Period:
    weekday = _weekday(told)
    match _place(told):
        case -1:
            return reckoning.weekday_before(told.said, weekday)
        case 0:
            return periods.day(periods.monday_of(told.said) + weekday * DAY)
        case _ if told["place"].lower() == "kommend":
            return reckoning.weekday_after(told.said, weekday)
        case _:
            return reckoning.weekday_next(told.said, weekday)


def _near_month(told: Told) -> Period:
    match _place(told):
        case -1:
            return reckoning.last_month(told.said, _month(told))
        case 0:
            return periods.month(told.said.year, _month(told))
        case _:
            return reckoning.next_month(told.said, _month(told))


def _season(told: Told) -> Period:
    number = _SEASONS[told["season"].lower()]
    if told["year"]:
        return periods.season(int(told["year"]), number)
    if told["place"]:
        return reckoning.near_season(told.said, number, _place(told))
    return reckoning.in_season(told.said, number, told.tense)


def _month_alone(told: Told) -> Period:
    if told["year"]:
        return periods.month(int(told["year"]), _month(told))
    return reckoning.in_month(told.said, _month(told), told.tense)


def _date(told: Told) -> Period:
    number = int(told["number"]) if told["number"] else _month(told)
    if told["year"]:
        return periods.day(date(int(told["year"]), number, int(told["day"])))
    return reckoning.on_date(told.said, number, int(told["day"]), told.tense)


def _needs_year(told: Told) -> bool:
    return not told["year"]


_RULES: tuple[Rule, ...] = (
    rule(rf"\b(?P<name>vorgestern|gestern|heute|übermorgen){_PART}", _named_day),
    rule(r"\b(?P<name>letzte nacht)\b", _named_day),
    rule(rf"(?<!heute )(?<!gestern )(?<!jeden )(?<!guten )(?<!am )\b(?P<name>(?-i:morgen)){_PART}", _named_day),
    rule(r"(?:^|(?<=[.!?] ))(?P<name>(?-i:Morgen))(?= [a-zäöü]+ (?:ich|wir|er|sie|es|ist)\b)", _named_day),
    rule(rf"\b{_PLACE} {_UNIT}(?! (?:des|der|vom|von|im)\b)", _near_unit),
    rule(rf"\b{_PLACE} {_WEEKDAY}\b", _near_weekday),
    rule(rf"\b{_PLACE} {_MONTH}", _near_month),
    rule(rf"\b{_PLACE} {_SEASON}(?P<year>)", _season),
    rule(rf"\bim {_SEASON}(?P<place>)(?: {YEAR})?", _season, relative=_needs_year),
    rule(rf"\bvor (?:etwa |ungefähr |rund |über |fast )?{_COUNT} {_UNIT}",
         lambda told: reckoning.shifted(told.said, _unit(told), _count(told), sign=-1)),
    rule(rf"\bin (?:etwa |ungefähr )?{_COUNT} {_UNIT}",
         lambda told: reckoning.shifted(told.said, _unit(told), _count(told), sign=1), unless=Tense.PAST),
    rule(rf"\bseit (?:etwa |ungefähr |rund |über |fast )?{_COUNT} {_UNIT}",
         lambda told: reckoning.began(told.said, _unit(told), _count(told))),
    rule(rf"\bseit (?:dem jahre? )?{YEAR}",
         lambda told: periods.since(periods.year(int(told["year"])), told.said), relative=False),
    rule(rf"\b(?:im jahre?|in|ab|bis|anfang|mitte|ende) {YEAR}",
         lambda told: periods.year(int(told["year"])), relative=False),
    rule(rf"\b(?:im|seit|bis|ab|anfang|mitte|ende) {_MONTH}(?: {YEAR})?", _month_alone, relative=_needs_year),
    rule(rf"(?<!\d\. )(?<!\d )\b{_MONTH} {YEAR}", _month_alone, relative=False),
    rule(rf"\b(?:am|bis|seit|ab) {_WEEKDAY}\b",
         lambda told: reckoning.on_weekday(told.said, _weekday(told), told.tense)),
    rule(r"\bam wochenende\b", lambda told: reckoning.at_weekend(told.said, told.tense)),
    rule(rf"\b(?P<day>[0-3]?\d)\. ?{_MONTH}(?: {YEAR})?", _date, relative=_needs_year),
    rule(rf"\b(?P<day>[0-3]?\d)\.(?P<number>[01]?\d)\.{YEAR}", _date, relative=False),
)  # fmt: skip

GERMAN = Language(rules=_RULES, past=_PAST, future=_FUTURE)
