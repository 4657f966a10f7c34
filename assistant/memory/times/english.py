"""How English tells times."""

from collections.abc import Callable
from datetime import date

from assistant.memory.times import periods, reckoning
from assistant.memory.times.english_words import (
    ABOUT,
    BEFORE_UNIT,
    COUNT,
    DAYS,
    FEAST,
    FEASTS,
    FUTURE,
    MONTH,
    MONTHS,
    MORE,
    NOT_ANY,
    NOT_LISTED,
    NOT_NAMED,
    NOT_OFTEN,
    NUMBERS,
    ONE,
    ORDINAL,
    OTHER_MONTH,
    PAST,
    PLACE,
    PLACES,
    SEASON,
    SEASONS,
    TO,
    UNIT,
    WEEKDAY,
    WEEKDAYS,
)
from assistant.memory.times.periods import DAY, WEEK_DAYS, Count, Period, Tense
from assistant.memory.times.rules import YEAR, Language, Rule, Told, rule, when_tense


def _weekday(words: str) -> int:
    return [name[:3] for name in WEEKDAYS].index(words[:3].lower())


def _month(words: str) -> int:
    return [name[:3] for name in MONTHS].index(words[:3].lower()) + 1


def _count(told: Told) -> Count:
    least, most = _number(told["count"] or "one")
    return (least, max(most, _number(told["more"])[1])) if told["more"] else (least, most)


def _number(words: str) -> Count:
    if words.isdecimal():
        return int(words), int(words)
    return [NUMBERS[word] for word in words.lower().split() if word in NUMBERS][-1]


def _unit(words: str) -> str:
    return "year" if words.lower() == "yr" else words.lower()


def _place(words: str) -> int:
    return PLACES[words.lower().split()[-1]]


def _date(told: Told) -> Period:
    number = _month(told["month"])
    if told["year"]:
        return periods.day(date(int(told["year"]), number, int(told["day"])))
    return reckoning.on_date(told.said, number, int(told["day"]), told.tense)


def _dates(told: Told) -> Period:
    """Give the days from one to another; a year behind the second is that of both."""
    until = _month(told["until"] or told["month"]), int(told["other"])
    year = int(told["year"]) if told["year"] else reckoning.on_date(told.said, *until, told.tense).last.year
    last = date(year, *until)
    return periods.days(date(last.year, _month(told["month"]), int(told["day"])), last)


def _feast(told: Told) -> Period:
    feast = FEASTS[told["feast"].lower()]
    if told["year"]:
        return periods.day(date(int(told["year"]), *feast))
    tense = {-1: Tense.PAST, 1: Tense.FUTURE}.get(_place(told["place"] or "this"), told.tense)
    return reckoning.on_date(told.said, *feast, tense)


def _named_day(told: Told) -> Period:
    return periods.day(told.said + DAYS[" ".join(told.words.lower().split())] * DAY)


def _near_unit(told: Told) -> Period:
    place, unit = _place(told["place"] or "this"), _unit(told["unit"])
    if told["place"].lower() in {"past", "this past"} and unit != "weekend":
        return reckoning.past_stretch(told.said, unit, (1, 1))
    if unit == "weekend" and place == 0:
        return reckoning.at_weekend(told.said, Tense.FUTURE if told.tense is Tense.UNKNOWN else told.tense)
    return reckoning.near(told.said, unit, place)


def _near_weekday(told: Told) -> Period:
    weekday = _weekday(told["weekday"])
    match _place(told["place"]):
        case -1:
            return reckoning.weekday_before(told.said, weekday)
        case 0:
            this = periods.day(periods.monday_of(told.said) + weekday * DAY)
            return when_tense(
                told.tense,
                past=this if this.first <= told.said else reckoning.weekday_before(told.said, weekday),
                future=this if this.first >= told.said else reckoning.weekday_after(told.said, weekday),
                otherwise=this,
            )
        case _ if told["place"].lower() == "next":
            return reckoning.weekday_next(told.said, weekday)
        case _:
            return reckoning.weekday_after(told.said, weekday)


def _weekday_of_week(told: Told) -> Period:
    monday = periods.monday_of(told.said) + _place(told["place"]) * WEEK_DAYS * DAY
    return periods.day(monday + _weekday(told["weekday"]) * DAY)


def _on_weekday(told: Told) -> Period:
    return reckoning.on_weekday(told.said, _weekday(told["weekday"]), told.tense)


def _near_month(told: Told) -> Period:
    number = _month(told["month"])
    match _place(told["place"]):
        case -1:
            return reckoning.last_month(told.said, number)
        case 0:
            return periods.month(told.said.year, number)
        case _:
            return reckoning.next_month(told.said, number)


def _season(told: Told) -> Period:
    number = SEASONS[told["season"].lower()]
    if told["year"]:
        return periods.season(int(told["year"]), number)
    if told["place"]:
        return reckoning.near_season(told.said, number, _place(told["place"]))
    return reckoning.in_season(told.said, number, told.tense)


def _month_alone(told: Told) -> Period:
    number = _month(told["month"])
    if told["year"]:
        return periods.month(int(told["year"]), number)
    return reckoning.in_month(told.said, number, told.tense)


def _months(told: Told) -> Period:
    """Give the months from one to another; a year behind the second is that of both, unless the first comes later."""
    if told["year"]:
        until = periods.month(int(told["year"]), _month(told["until"]))
    else:
        until = reckoning.in_month(told.said, _month(told["until"]), told.tense)
    number = _month(told["month"])
    return periods.joined(periods.month(until.first.year - (number > until.first.month), number), until)


def _ago(told: Told) -> Period:
    return reckoning.shifted(told.said, _unit(told["unit"]), _count(told), sign=-1)


def _and_a_half_ago(told: Told) -> Period:
    least, most = _count(told)
    return reckoning.shifted(told.said, "month", (12 * least + 6, 12 * most + 6), sign=-1)


def _ahead(told: Told) -> Period:
    return reckoning.shifted(told.said, _unit(told["unit"]), _count(told), sign=1)


def _in_the_last(told: Told) -> Period:
    return reckoning.past_stretch(told.said, _unit(told["unit"]), _count(told))


def _goes_on(told: Told) -> Period:
    return reckoning.began(told.said, _unit(told["unit"]), _count(told))


def _before_date(told: Told) -> Period:
    """Give the week, weekend, day or weekday before a date that stands in the text."""
    which = _date(told)
    if which.first != which.last:
        return which
    match told["before"].lower():
        case "day" | "night":
            return periods.day(which.first - DAY)
        case "week":
            return periods.week_before(which.first)
        case "weekend":
            return reckoning.near(which.first, "weekend", -1)
        case name:
            return reckoning.weekday_before(which.first, _weekday(name))


def _since(told: Told) -> Period:
    year = int(told["year"])
    found = periods.month(year, _month(told["month"])) if told["month"] else periods.year(year)
    return periods.since(found, max(told.said, found.first))


def _year(told: Told) -> Period:
    return periods.year(int(told["year"]))


def _no_year(told: Told) -> bool:
    return not told["year"]


def _both_ways(before: str, resolve: Callable[[Told], Period], is_relative: Callable[[Told], bool]) -> list[Rule]:
    """Give the rules for a date written month first and day first."""
    month_first = rf"{MONTH} {ORDINAL}(?:,? ?{YEAR})?\b"
    day_first = rf"{ORDINAL}(?: of)? {MONTH}(?:,? ?{YEAR})?\b"
    return [rule(before + dates, resolve, relative=is_relative) for dates in (month_first, day_first)]


_RULES: tuple[Rule, ...] = (
    # a day by its name
    rule(rf"\b(?:{'|'.join(sorted(DAYS, key=len, reverse=True))})\b", _named_day),
    rule(r"\bthe other day\b", lambda told: periods.days(told.said - WEEK_DAYS * DAY, told.said - DAY)),
    rule(rf"\b{PLACE} {WEEKDAY}", _near_weekday),
    rule(rf"\b{WEEKDAY},? (?:of )?{PLACE} week\b", _weekday_of_week),
    rule(rf"\b{PLACE} week,? (?:on )?{WEEKDAY}", _weekday_of_week),
    rule(rf"\b(?:on|by|until|till|since) {WEEKDAY}{NOT_NAMED}", _on_weekday),
    rule(
        rf"{NOT_ANY}\b(?P<weekday>(?-i:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday))\b{NOT_NAMED}",
        _on_weekday,
    ),
    rule(
        rf"\bon the (?P<day>[0-3]?\d)(?:st|nd|rd|th)\b{NOT_LISTED}",
        lambda told: reckoning.on_day_of_month(told.said, int(told["day"]), told.tense),
    ),
    rule(rf"\b{PLACE} {FEAST}(?P<year>)", _feast),
    rule(rf"\b(?:on|at|over|during|since|until) {FEAST}(?: {YEAR})?(?P<place>)", _feast, relative=_no_year),
    # a week, month, season or year by its place
    rule(rf"\b{PLACE} {ONE}(?! of\b)", _near_unit),
    rule(r"\bthe (?:last|past) (?P<unit>week|month|year)\b(?! of\b)(?P<count>)", _in_the_last),
    rule(r"\b(?:on|at|over|during) the weekend\b(?! of\b)", lambda told: reckoning.at_weekend(told.said, told.tense)),
    rule(rf"\b(?:earlier|later) this {ONE}(?P<place>)", _near_unit),
    rule(rf"\b(?:the )?{ONE} before last\b", lambda told: reckoning.near(told.said, told["unit"].lower(), -2)),
    rule(rf"\b(?:the )?{ONE} after next\b", lambda told: reckoning.near(told.said, told["unit"].lower(), 2)),
    rule(rf"\b{PLACE} {MONTH}\b", _near_month),
    rule(rf"\b{PLACE} {SEASON}(?P<year>)", _season),
    rule(rf"\b(?:in|during|over) (?:the )?{SEASON}(?P<place>)(?P<year>)(?!-| of| \d)", _season),
    rule(rf"\b{SEASON}(?: of)? {YEAR}(?P<place>)", _season, relative=False),
    # a distance
    rule(rf"(?<!half )\b{COUNT}(?:{MORE})? {UNIT}(?: or so)? (?:ago|back)\b", _ago),
    rule(rf"\b{COUNT} {UNIT}{MORE} ago\b", _ago),
    rule(rf"\b{COUNT} (?:year|yr)s? and a half ago\b", _and_a_half_ago),
    rule(rf"\b{COUNT}(?:{MORE})? {UNIT} from (?:now|today)\b", _ahead),
    rule(
        rf"{NOT_OFTEN}\bin {ABOUT}{COUNT}(?:{MORE})? {UNIT}(?!['-])",
        _ahead,
        unless=Tense.PAST,
    ),
    rule(
        rf"(?:'ve|\bhave|\bhas|\bbeen|\bknown)\b[^.!?;]{{0,60}}?"
        rf"(?P<inner>\bfor {ABOUT}(?:the (?:last|past) )?{COUNT}(?:{MORE})? {UNIT})(?! ago)",
        _goes_on,
    ),
    rule(rf"\b(?:for )?{ABOUT}{COUNT}(?:{MORE})? {UNIT} now\b", _goes_on),
    rule(rf"\b(?:(?:over|in|within|during|for) )?(?:the|these) (?:last|past) {COUNT} {UNIT}", _in_the_last),
    # a date
    rule(rf"\bsince (?:{MONTH} )?{YEAR}", _since, relative=False),
    rule(
        r"\b(?:in|during|by|until|till|from|to|of|year|early|late|mid|around|about|before|after)[ -]"
        rf"{YEAR}",
        _year,
        relative=False,
    ),
    rule(
        r"\b(?:in|during|by|until|till|since|from|to|early|late|mid|around|before|after|of)[ -]"
        rf"{MONTH}(?:,?(?: of)? {YEAR})?(?!'| \d|\w)",
        _month_alone,
        relative=_no_year,
    ),
    rule(rf"(?<!\d )\b{MONTH},?(?: of)? {YEAR}", _month_alone, relative=False),
    rule(rf"\b(?:between|from) {MONTH} (?:and|to|till|until) {OTHER_MONTH}(?: {YEAR})?", _months, relative=_no_year),
    rule(
        rf"\b{MONTH} {ORDINAL}{TO}(?:{OTHER_MONTH} )?{ORDINAL.replace('<day>', '<other>')}(?:,? ?{YEAR})?\b",
        _dates,
        relative=_no_year,
    ),
    *_both_ways(r"\b", _date, _no_year),
    *_both_ways(BEFORE_UNIT, _before_date, lambda _: True),
)

ENGLISH = Language(rules=_RULES, past=PAST, future=FUTURE)
