"""Chinese and Japanese words for times: both are written without spaces, and share most of the characters."""

import re
from datetime import date

from assistant.memory.times import periods, reckoning
from assistant.memory.times.periods import A_FEW, DAY, WEEK_DAYS, Count, Period
from assistant.memory.times.rules import Language, Rule, Told, rule

_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
_DAYS = {
    "大前天": -3, "前天": -2, "一昨日": -2, "おととい": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨晩": -1, "昨夜": -1,
    "きのう": -1, "今天": 0, "今日": 0, "今晚": 0, "今晩": 0, "今早": 0, "今朝": 0, "今夜": 0, "明天": 1, "明日": 1,
    "明晚": 1, "明早": 1, "あした": 1, "后天": 2, "後天": 2, "明後日": 2, "あさって": 2,
}  # fmt: skip
_NEAR = {
    "week": {"上上": -2, "先々": -2, "上": -1, "先": -1, "这": 0, "這": 0, "本": 0, "今": 0, "下": 1, "来": 1, "來": 1,
             "下下": 2, "再来": 2},
    "year": {"前": -2, "一昨": -2, "去": -1, "昨": -1, "今": 0, "明": 1, "来": 1, "來": 1, "后": 2, "後": 2, "再来": 2},
}  # fmt: skip
_YEAR = r"(?P<year>(?:19|20)\d\d)年"
_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "星": "week", "礼": "week", "禮": "week", "年": "year"}

_COUNT = r"(?P<count>\d{1,3}|[一二两兩三四五六七八九十]{1,3}|几|幾|数)"
_UNIT = r"(?P<unit>天|日|周末|週末|[个個]?星期|[个個]?[礼禮]拜|週間|周|週|[个個]月|[ヶケかカヵ箇]月|年)"
_PLACE = r"(?P<place>上上|先々|下下|再来|上|先|这|這|本|今|下|来|來)[个個]?"
_WEEK = r"(?:周|週|星期|[礼禮]拜)"
_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"

_PAST = re.compile("了|过|過|した|ました|だった|でした|[っん][ただ]|已经|已經|剛|刚")
_FUTURE = re.compile("会|會|将|將|要|打算|准备|準備|计划|想|予定|つもり|たい|ましょう")


def number(signs: str) -> int:
    """Give the number that digits or Chinese numerals up to 99 write."""
    if signs.isdecimal():
        return int(signs)
    tens, ten, ones = signs.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _count(told: Told) -> Count:
    return A_FEW if told["count"] in "几幾数" else (number(told["count"]),) * 2


def _unit(told: Told) -> str:
    signs = told["unit"]
    if signs in {"周末", "週末"}:
        return "weekend"
    return "month" if signs.endswith("月") else _UNITS[signs.lstrip("个個")[0]]


def _shifted(told: Told) -> Period:
    return reckoning.shifted(told.said, _unit(told), _count(told), sign=-1 if told["way"] == "前" else 1)


def _near_week(told: Told) -> Period:
    """Give the week, its weekend or a day of it: here "last Friday" names the week before, and so one day."""
    place = _NEAR["week"][told["place"]]
    if told["weekday"]:
        return periods.day(periods.monday_of(told.said) + (place * WEEK_DAYS + _weekday(told)) * DAY)
    return reckoning.near(told.said, "weekend" if told["end"] else "week", place)


def _weekday(told: Told) -> int:
    found = "一二三四五六".find(told["weekday"])
    return found if found >= 0 else "月火水木金土".find(told["weekday"]) % WEEK_DAYS


def _on_weekday(told: Told) -> Period:
    return reckoning.on_weekday(told.said, _weekday(told), told.tense)


def _date(told: Told) -> Period:
    month, day = number(told["month"]), number(told["day"])
    if told["year"]:
        return periods.day(date(int(told["year"]), month, day))
    return reckoning.on_date(told.said, month, day, told.tense)


def _month(told: Told) -> Period:
    which = number(told["month"])
    if not 1 <= which <= 12:
        raise ValueError("a year has twelve months")
    return periods.month(int(told["year"]), which) if told["year"] else reckoning.in_month(told.said, which, told.tense)


def _needs_year(told: Told) -> bool:
    return not told["year"]


_RULES: tuple[Rule, ...] = (
    rule("|".join(sorted(_DAYS, key=len, reverse=True)), lambda told: periods.day(told.said + _DAYS[told.words] * DAY)),
    rule(rf"{_PLACE}{_WEEK}(?P<weekday>[一二三四五六日天])?(?P<end>末)?", _near_week),
    rule(rf"{_PLACE}[週周](?:の)?(?P<weekday>[月火水木金土日])曜日?(?P<end>)", _near_week),
    rule(r"(?P<place>上上|先々|上|先|这|這|本|今|下|来|來|再来)[个個]?月",
         lambda told: reckoning.near(told.said, "month", _NEAR["week"][told["place"]])),
    rule(r"(?P<place>一昨|再来|(?<!以)(?<!之)前|去|昨|今|明|来|來|(?<!以)(?<!之)[后後])年(?![前后後])(?<![\d一二三四五六七八九十几]前年)",
         lambda told: reckoning.near(told.said, "year", _NEAR["year"][told["place"]])),
    rule(rf"{_COUNT}{_UNIT}(?:[之以])?(?P<way>前|后|後)", _shifted),
    rule(rf"(?<![上下这這本先今来來]){_WEEK}(?P<weekday>[一二三四五六日天])", _on_weekday),
    rule(r"(?<![週周の])(?P<weekday>[月火水木金土日])曜日?", _on_weekday),
    rule(r"(?<![上下这這本先今来來个個])[周週]末(?!前)", lambda told: reckoning.at_weekend(told.said, told.tense)),
    rule(rf"(?:{_YEAR})?(?P<month>{_NUMBER})月(?P<day>{_NUMBER})[日号號]", _date, relative=_needs_year),
    rule(rf"(?:{_YEAR})?(?<![第])(?P<month>{_NUMBER})月份?(?!{_NUMBER}?[日号號])", _month,
         relative=_needs_year),
    rule(rf"{_YEAR}(?!\d)", lambda told: periods.year(int(told["year"])), relative=False),
)  # fmt: skip

HAN = Language(rules=_RULES, past=_PAST, future=_FUTURE)
