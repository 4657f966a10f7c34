from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.times.periods import Precision, Tense
from assistant.memory.when import LONGEST_TEXT, annotated, asked_about, describe, happened

FRIDAY = datetime(2023, 6, 9, 18, 30, tzinfo=UTC)
MOMENTS = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(
    lambda day: datetime(day.year, day.month, day.day, tzinfo=UTC)
)


def told(text: str, said: datetime = FRIDAY) -> list[str]:
    return [describe(mention) for mention in happened(text, said)]


def test_a_worked_example() -> None:
    # Friday, 9 June 2023: the day before is the 8th, the Friday before the 2nd, and "last week" was over by Sunday the
    # 4th in the calendar, but began on the 2nd for those who count seven days.
    text = "I slept badly yesterday, I saw Jo last Friday, and last week was long."
    one, two, three = happened(text, FRIDAY)
    assert (one.words, one.first, one.last, one.precision) == (
        "yesterday", date(2023, 6, 8), date(2023, 6, 8), Precision.DAY,
    )  # fmt: skip
    assert (two.words, two.first, two.last) == ("last Friday", date(2023, 6, 2), date(2023, 6, 2))
    assert (three.words, three.first, three.last, three.precision) == (
        "last week", date(2023, 5, 29), date(2023, 6, 8), Precision.WEEK,
    )  # fmt: skip
    assert text[one.start : one.stop] == "yesterday"
    assert annotated(text, FRIDAY) == (
        "I slept badly yesterday [2023-06-08], I saw Jo last Friday [2023-06-02],"
        " and last week [week before 2023-06-09] was long."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the day before yesterday", "2023-06-07"),
        ("Last night it rained", "2023-06-08"),
        ("this morning", "2023-06-09"),
        ("see you tomorrow!", "2023-06-10"),
        ("two days ago", "2023-06-07"),
        ("a couple of days ago", "2023-06-07"),
        ("a few days ago", "2023-06-03 to 2023-06-07"),
        ("the other day", "2023-06-02 to 2023-06-08"),
        ("three weeks ago", "about 2023-05-19"),
        ("two weekends ago", "weekend of 2023-05-27"),
        ("a week or two ago", "about 2023-05-26 to 2023-06-02"),
        ("five months ago", "2023-01"),
        ("six months ago", "2022-12"),
        ("a year ago", "about 2022-06"),
        ("a year and a half ago", "2021-12"),
        ("ten years ago", "2013"),
        ("in three days", "2023-06-12"),
        ("a month from now", "2023-07"),
        ("last weekend", "weekend of 2023-06-03"),
        ("this past weekend", "weekend of 2023-06-03"),
        ("the weekend before last", "weekend of 2023-05-27"),
        ("this week", "week of 2023-06-05"),
        ("next week", "week of 2023-06-12"),
        ("this month", "2023-06"),
        ("last month", "2023-05"),
        ("next year", "2024"),
        ("over the past year", "2022-06-09 to 2023-06-09"),
        ("last Tues.", "2023-06-06"),
        ("this coming Monday", "2023-06-12"),
        ("last week on Tuesday", "2023-05-30"),
        ("Friday next week", "2023-06-16"),
        ("last summer", "summer 2022"),
        ("last winter", "winter 2022/23"),
        ("next spring", "spring 2024"),
        ("last January", "2023-01"),
        ("last Christmas", "2022-12-25"),
        ("Seven years now", "since 2016"),
        ("We have been friends for 4 years", "since 2019"),
        ("the week before 9 June", "week before 2023-06-09"),
        ("the Friday before 20 May 2023", "2023-05-19"),
    ],
)
def test_relative_english_words_are_resolved_against_the_day_of_saying(text: str, expected: str) -> None:
    assert told(text) == [expected]
    assert all(mention.relative for mention in happened(text, FRIDAY))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 7 May 2023", "2023-05-07"),
        ("May 7th, 2023", "2023-05-07"),
        ("2023-05-07", "2023-05-07"),
        ("5/27/2023", "2023-05-27"),
        ("the summer of 2022", "summer 2022"),
        ("back in 2019", "2019"),
        ("since 2016", "since 2016"),
        ("in May 2021", "2021-05"),
        ("August 11 to August 15, 2021", "2021-08-11 to 2021-08-15"),
        ("from May to July 2021", "2021-05 to 2021-07"),
        ("am 7. Mai 2023", "2023-05-07"),
        ("2023年5月7日", "2023-05-07"),
    ],
)
def test_whole_dates_are_found_and_left_as_they_stand(text: str, expected: str) -> None:
    assert told(text) == [expected]
    assert annotated(text, FRIDAY) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gestern war ich dort", ["2023-06-08"]),
        ("Vorgestern Abend", ["2023-06-07"]),
        ("Wir fahren morgen früh", ["2023-06-10"]),
        ("Morgen fahre ich weg", ["2023-06-10"]),
        ("heute Morgen", ["2023-06-09"]),
        ("letzte Woche", ["week before 2023-06-09"]),
        ("vor drei Tagen", ["2023-06-06"]),
        ("vor zwei Jahren", ["2021"]),
        ("seit drei Jahren", ["since 2020"]),
        ("kommenden Montag", ["2023-06-12"]),
        ("letzten Freitag", ["2023-06-02"]),
        ("letztes Wochenende", ["weekend of 2023-06-03"]),
        ("im Mai waren wir da", ["2023-05"]),
        ("am 3. Juni war es heiß", ["2023-06-03"]),
        ("letzten Sommer", ["summer 2022"]),
    ],
)
def test_german(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨天我去了北京", ["2023-06-08"]),
        ("今天很热，明天更热", ["2023-06-09", "2023-06-10"]),
        ("上周很忙", ["week before 2023-06-09"]),
        ("上周五去的", ["2023-06-02"]),
        ("三天前", ["2023-06-06"]),
        ("去年搬了家", ["2022"]),
        ("两年前", ["2021"]),
        ("上个月", ["2023-05"]),
        ("十二月十五日去了", ["2022-12-15"]),
        ("昨日行きました", ["2023-06-08"]),
        ("先週の金曜日", ["2023-06-02"]),
        ("三日前", ["2023-06-06"]),
        ("来年", ["2024"]),
        ("半年以前", []),
    ],
)
def test_chinese_and_japanese(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "You may go. May I? It may 7 times be so.",
        "They march in step, in march order. March on!",
        "I sat in the sun for a second. The Sun rises.",
        "A second week passed. On Fridays I swim. Every Monday too. Sunday school.",
        "June is my aunt, April my sister.",
        "Room 2019 holds 2020 chairs; he ran in 2000 steps.",
        "I fall in love in spring-loaded shoes.",
        "Twice in a week. Half a year ago.",
        "the last week of the course, on the 15th floor",
        "Guten Morgen! Jeden Morgen laufe ich. Vor zwei Leuten.",
        "31 February 2023, 30. Februar 2023, 2023-02-30, 13月",
        "",
    ],
)
def test_words_that_only_look_like_times_are_none(text: str) -> None:
    assert happened(text, FRIDAY) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on Monday.", "2023-06-05"),
        ("We will meet on Monday.", "2023-06-12"),
        ("Dinner on Monday", "2023-06-05 or 2023-06-12"),
        ("We went home. Next time we will eat in May", "2024-05"),
        ("In May we went home.", "2023-05"),
        ("I saw her on the 15th.", "2023-05-15"),
        ("I will see her on the 15th.", "2023-06-15"),
        ("The rent on the 31st", "2023-05-31 or 2023-07-31"),
        ("Exams in May", "2023-05 or 2024-05"),
        ("I slipped in the fall", "autumn 2022"),
        ("We finished it on 1 August.", "2022-08-01"),
        ("I am flying on 1 August.", "2023-08-01"),
        ("this weekend was great", "weekend of 2023-06-03"),
        ("this weekend I am going to rest", "weekend of 2023-06-10"),
    ],
)
def test_the_tense_decides_and_without_one_both_are_told(text: str, expected: str) -> None:
    assert told(text) == [expected]


def test_next_friday_is_the_coming_one_or_that_of_the_next_week() -> None:
    (mention,) = happened("See you next Friday", datetime(2023, 6, 7, tzinfo=UTC))
    assert (mention.first, mention.last, mention.precision) == (date(2023, 6, 9), date(2023, 6, 16), Precision.EITHER)


def test_a_duration_in_the_past_is_no_time_ahead() -> None:
    assert told("I finished it in two days.") == []
    assert told("I will finish it in two days.") == ["2023-06-11"]


def test_the_day_is_that_of_the_speakers_own_clock() -> None:
    late = datetime(2023, 6, 9, 1, 0, tzinfo=timezone(timedelta(hours=9)))  # still the 8th in UTC
    assert told("yesterday", late) == ["2023-06-08"]


def test_a_possessive_stays_with_its_word() -> None:
    assert annotated("Yesterday’s walk", FRIDAY) == "Yesterday’s [2023-06-08] walk"


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("What did I do in July 2022?", (date(2022, 7, 1), date(2022, 7, 31))),
        ("Where was I last summer?", (date(2022, 6, 1), date(2022, 8, 31))),
        ("Whom did I meet on 7 May?", (date(2023, 5, 7), date(2023, 5, 7))),
        ("And in August?", (date(2022, 8, 1), date(2022, 8, 31))),
        ("What changed after May 2022?", (date(2022, 5, 1), date(2023, 6, 9))),
        ("What was before 2020?", (date.min, date(2019, 12, 31))),
        ("What was until May 2022?", (date.min, date(2022, 5, 31))),
        ("What happened between 3 May and 9 May?", (date(2023, 5, 3), date(2023, 5, 9))),
        ("Was habe ich gestern gegessen?", (date(2023, 6, 8), date(2023, 6, 8))),
        ("我昨天做了什么？", (date(2023, 6, 8), date(2023, 6, 8))),
        ("What is my name?", None),
        ("May I ask you something?", None),
    ],
)
def test_a_question_names_a_stretch_of_time_or_none(question: str, span: tuple[date, date] | None) -> None:
    assert asked_about(question, FRIDAY) == span


PHRASES = st.sampled_from(
    [
        "yesterday", "last week", "next month", "last Sunday", "this Friday", "on Monday", "two weeks ago", "in May",
        "7 May", "last summer", "this winter", "a few years ago", "for three years now", "the week before 9 June",
        "29 February", "letzten Montag", "vor drei Tagen", "上周五", "三天前", "先月", "十年前", "over the weekend",
    ]
)  # fmt: skip


@given(phrase=PHRASES, said=MOMENTS, tense=st.sampled_from(Tense))
def test_a_time_never_ends_before_it_begins(phrase: str, said: datetime, tense: Tense) -> None:
    (mention,) = happened(phrase, said, otherwise=tense)
    assert mention.first <= mention.last
    assert mention.words == phrase


@given(said=MOMENTS, name=st.sampled_from(["Monday", "Wednesday", "Sunday"]), days=st.integers(1, 60))
def test_weekdays_and_distances_keep_their_arithmetic(said: datetime, name: str, days: int) -> None:
    (last,) = happened(f"last {name}", said)
    assert last.first.strftime("%A") == name
    assert timedelta(0) < said.date() - last.first <= timedelta(days=7)
    (ago,), (ahead,) = happened(f"{days} days ago", said), happened(f"in {days} days", said)
    assert said.date() - ago.first == ahead.first - said.date() == timedelta(days=days)


@given(said=MOMENTS, number=st.integers(1, 12), place=st.sampled_from(["last", "this", "next"]))
def test_a_month_named_lies_where_its_word_puts_it(said: datetime, number: int, place: str) -> None:
    name = date(2023, number, 1).strftime("%B")
    (mention,) = happened(f"{place} {name}", said)
    assert mention.first.month == mention.last.month == number
    match place:
        case "last":
            assert mention.last < said.date()
        case "next":
            assert mention.first > said.date()


@given(text=st.text(), phrase=PHRASES, said=MOMENTS)
def test_mentions_do_not_overlap_and_annotating_only_adds(text: str, phrase: str, said: datetime) -> None:
    whole = f"{text} {phrase} {text}"
    mentions = happened(whole, said)
    assert all(one.stop <= other.start for one, other in pairwise(mentions))
    longer = annotated(whole, said)
    for mention in mentions:
        longer = longer.replace(f" [{describe(mention)}]", "", 1) if mention.relative else longer
    assert longer == whole


@pytest.mark.parametrize("said", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_a_time_outside_the_calendar_is_left_alone(said: datetime) -> None:
    text = "yesterday, last week, in 900 years, 900 years ago, on 29 February, this winter, last summer, next Monday"
    for mention in happened(text, said):
        assert mention.first <= mention.last


def test_a_long_text_is_read_in_bounded_time() -> None:
    started = monotonic()
    assert len(happened("on Monday we met " * 10_000, FRIDAY)) == LONGEST_TEXT // len("on Monday we met ")
    assert monotonic() - started < 20
