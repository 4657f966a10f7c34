"""The English words that tell times, as they stand in the patterns of the rules."""

import re

from assistant.memory.times.periods import A_FEW, Count

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
NUMBERS: dict[str, Count] = {
    "a": (1, 1), "an": (1, 1), "one": (1, 1), "two": (2, 2), "couple": (2, 2), "three": (3, 3), "four": (4, 4),
    "five": (5, 5), "six": (6, 6), "seven": (7, 7), "eight": (8, 8), "nine": (9, 9), "ten": (10, 10),
    "eleven": (11, 11), "twelve": (12, 12), "fifteen": (15, 15), "twenty": (20, 20), "thirty": (30, 30),
    "few": A_FEW, "several": (3, 7),
}  # fmt: skip
SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
PLACES = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1, "following": 1}
FEASTS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "halloween": (10, 31), "valentine's day": (2, 14),
    "new year's eve": (12, 31), "new year's day": (1, 1),
}  # fmt: skip

SHORT_DAYS = r"(?-i:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun)(?![a-z])\.?|(?:tues|thurs|fri)(?![a-z])"
WEEKDAY = rf"(?P<weekday>(?:{'|'.join(WEEKDAYS)})(?!s\b)|{SHORT_DAYS})"
SHORT_MONTHS = r"(?-i:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?"
MONTH = (
    r"(?P<month>january|february|(?-i:March|May)|april|june|july|august|september|october|november|december"
    rf"|{SHORT_MONTHS})"
)
"""`may` and `march` are other words when they begin small."""
OTHER_MONTH = MONTH.replace("<month>", "<until>")
"""A second month in the same pattern."""
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
FEAST = rf"(?P<feast>{'|'.join(FEASTS)})\b"
ORDINAL = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:%])"
COUNT = rf"(?P<count>\d{{1,3}}|(?:a )?couple(?: of)?|(?:a )?few|{'|'.join(sorted(NUMBERS, reverse=True))})"
UNIT = r"(?P<unit>day|weekend|week|fortnight|month|year|yr)s?\b"
ONE = r"(?P<unit>week|weekend|month|year)\b"
"""One unit, for "next week": coming weeks are no certain time."""
MORE = r"(?: or |-| to )(?P<more>two|three|four|five|six|\d{1,2})"
ABOUT = r"(?:about |around |almost |over |nearly |like )?"
PLACE = r"(?P<place>last|past|previous|this past|this last|this coming|this|next|coming|upcoming|following)"
NOT_OFTEN = r"(?<!once )(?<!twice )(?<!times )(?<!time )(?<!hours )(?<!days )(?<!weeks )(?<!months )(?<!much )"
"""In "twice in a week" no week is told."""
NOT_ANY = (
    r"(?<!every )(?<!each )(?<!any )(?<!some )(?<!most )(?<!one )(?<!a )(?<!black )(?<!good )"
    r"(?<!from )(?<!before )(?<!after )"
)
"""Before a weekday: it is none in particular, a holiday, or counted from."""
NOT_LISTED = (
    r"(?! (?:of|floor|day|street|avenue|place|grade|century|edition|version|time|try|attempt|anniversary|birthday"
    r"|season|round|game|hole|page|week|month|year|hour|one|level|line|row)\b)"
)
"""Behind an ordinal: it does not count the days of a month."""
NOT_NAMED = r"(?! (?:school|best|times))"
"""Behind a weekday: it is part of a name."""

PAST = re.compile(
    r"\b(?:was|were|had|has|did|didn't|could|been|done|since|went|got|took|made|met|saw|came|ran|won|lost|found|bought"
    r"|gave|felt|held|began|told|said|sent|spent|ate|drove|flew|left|built|heard|thought|brought|taught|caught|wrote"
    r"|swam|sang|slept|rode|wore|fell|drew|grew|knew|threw|chose|spoke|broke|woke|stood|paid|kept|hid|shot|hung|sat"
    r"|drank|forgot|became|overcame|fought|sold|lent|meant|dealt|learnt|(?!need)[a-z]{2,}ed)\b|'ve\b",
    re.IGNORECASE,
)
"""Words that show that a sentence tells what was."""
FUTURE = re.compile(
    r"\b(?:will|won't|shall|gonna|going to|plan|plans|planning|about to|want to|wanna|hope to|hoping|looking forward"
    r"|can't wait|let's|upcoming|(?:am|is|are) (?!so|too|very)[a-z]+ing)\b|(?<=\w)'ll\b"
    r"|'(?:m|re|s) (?!been)[a-z]+ing\b",
    re.IGNORECASE,
)
"""Words that show that it tells what shall be."""
DAYS = {
    "yesterday": -1, "last night": -1, "last evening": -1, "the day before yesterday": -2, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "earlier today": 0, "tomorrow": 1,
    "the day after tomorrow": 2,
}  # fmt: skip
BEFORE_UNIT = rf"\bthe (?P<before>day|night|week|weekend|{'|'.join(WEEKDAYS)}) before (?:the )?"
TO = r"(?: ?[-–] ?| to | and | through | until )"
