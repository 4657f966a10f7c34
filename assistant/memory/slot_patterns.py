"""The patterns of statements that fill a slot, English and German.

Names are told by their capitals, so only the words around them may be written either way. Who writes none gets fewer
slots: only such a name is taken for one that stands alone, up to the end of its clause, and is no common word.
"""

import re
from dataclasses import dataclass

from assistant.memory.slot_words import (
    ABSTRACT_ENDING,
    COMMON_EMPLOYER,
    COMMON_WORD,
    TOWNS_OF_WORDS,
    TOWNS_THAT_SEEM_ABSTRACT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A statement. Its groups: `value`; `name` where the slot is named in the text."""

    expression: re.Pattern[str]
    slot: str = ""
    """What is told; empty when the group `name` says it."""
    value: str = ""
    """What the whole statement says, where it has no group for it."""
    changed: bool = False
    """Whether it says that it was otherwise before."""
    needs: re.Pattern[str] = re.compile("")
    """What a value must hold, or it is none: a phone number without a digit is "my number is up"."""


_NO_NAME = (
    r"(?!(?:I|I'\w+|We|My|The|It|And|But|So|Then|He|She|They|You|Ich|Wir|Und|Aber|Mein|Meine"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)"
)
_WORD = rf"{_NO_NAME}[A-ZÄÖÜÉÅØ][\w'.-]*"
_NAME = rf"{_WORD}(?:,? (?:(?:de|da|do|del|dos|la|le|el|of|upon|sur|am|an der|von|di|&) )?{_WORD})*"
_NO_PLACE = (
    r"(?!(?:Linux|Ubuntu|Debian|Fedora|Arch|Windows|Mac|macOS|iOS|iPhone|Android|Python|Rust|Java|JavaScript|TypeScript"
    r"|Go|Kotlin|Swift|React|Vue|Django|Kubernetes|Docker|AWS|Azure|GCP|Git|GitHub|GitLab|Notion|Obsidian|Gmail|Outlook"
    r"|Firefox|Chrome|Signal|WhatsApp|Telegram|Slack|Teams|Zoom|Spotify|Netflix|Plan|Phase|Step|Part|Level|Version|Team"
    r"|Marketing|Sales|Finance|Engineering|HR|IT|Angst|Armut|Frieden|Scheidung|Trennung|Miete|Untermiete|Beziehung"
    r"|Partnerschaft|Harmonie|Sorge|Freude|Gefahr|Deckung|Rente|Pension|Hause)\b)"
)
_PLACE = rf"(?P<value>{_NO_PLACE}(?:(?i:the) (?=Netherlands|United|US|UK|Philippines|Hague|Bronx|Czech))?{_NAME})"
_FIRM = rf"(?:(?i:the) )?(?P<value>(?!(?:Home|Night|Nacht|Regen|Bedarf|Kunden|Gelegenheit|Hause)\b){_NAME})"
_TRADE = r"(?:(?i:an?|the|eine?) )?(?P<value>[\w' -]+?)(?= (?i:at|in|for|with|and|but|bei|und|aber|since|seit)\b|,|$)"
_NOW = r"(?i:(?: now| currently| actually| these days| jetzt| nun| inzwischen| mittlerweile| zurzeit| derzeit)?)"
_JUST = r"(?i:(?: just| recently| finally| now| actually)*)"
_I = r"\b[Ii]"
_WE = r"\b(?:[Ii]|[Ww]e)"
_BE = r"(?:'m| am)"
_HAVE = r"(?:'ve| have)?"
_JOB = r"(?i:job|position|role)"
_DIET = (
    r"(?P<value>(?i:vegan|vegetarian|pescatarian|pescetarian|omnivore))(?![-\w])"
    r"(?! (?i:food|restaurant|meal|dish|recipe))"
)
_STATUS = r"(?P<value>(?i:single|married|engaged|divorced|widowed))(?![-\w])(?! (?i:in|with|out|by)\b)"
_CAR = rf"(?P<value>(?:[a-z]+ )?{_NAME}(?: \d+)?)"
_NEW = r"(?i:(?:(?:new|current|own|neue[rs]?|aktuelle[rs]?) )?)"
_IS = r"(?i:(?: is| was changed to| has changed to| changed to| ist| lautet|'s)(?: now| jetzt| nun| currently)?)"
_REST = r" (?P<value>.+?)(?=,? (?i:but|and I|and we|which|so|because|aber|und ich|weil)\b|$)"

_ROLE = (
    r"(?P<name>(?i:wife|husband|girlfriend|boyfriend|partner|fianc[ée]e?|spouse|mother|father|mom|mum|dad|boss|manager"
    r"|supervisor|doctor|gp|dentist|therapist|landlord|landlady|lawyer|accountant|hairdresser|tutor|team lead))"
)
_ROLE_DE = (
    r"(?P<name>(?i:Frau|Mann|Freundin|Freund|Partner|Partnerin|Mutter|Vater|Chef|Chefin|Arzt|Ärztin|Hausarzt|Hausärztin"
    r"|Zahnarzt|Zahnärztin|Vermieter|Vermieterin|Therapeut|Therapeutin|Anwalt|Anwältin))"
)
_OWNER = (
    r"(?:(?i:wife|husband|girlfriend|boyfriend|partner|mother|father|mom|mum|dad|boss|landlord|company|office)'s )?"
)
_PERSON = (
    r"(?P<value>(?!(?:German|French|English|British|American|Spanish|Italian|Chinese|Japanese|Indian|Irish|Dutch|Polish"
    r"|Russian|Turkish|Portuguese|Greek|Swiss|Austrian|Swedish|Danish|Norwegian|Finnish|Korean|Mexican|Brazilian"
    r"|Canadian|Australian|Scottish|Welsh|Catholic|Jewish|Christian|Muslim|Hindu|Buddhist|Head|CEO|CTO|CFO|Director"
    rf"|President|Chief|Vice|Managing)\b){_NAME})(?! (?i:too|fan|fans)\b)"
)
_KIND = r"(?:(?i:work|office|home|private|cell|mobile|telephone|phone|cell phone|wi-?fi|email|e-mail) )?"
_DIGIT_HEAD = (
    rf"(?P<name>{_OWNER}(?i:(?:(?:work|office|home|private|cell|mobile|telephone|phone|cell phone) )?number|extension"
    r"|pin(?: code)?|post ?code|zip(?: code)?|(?:account|customer|room|locker|passport|insurance) number"
    r"|licen[cs]e plate|plate number|locker combination|(?:door|gate|alarm) code|(?:shoe|dress) size|weight|height"
    r"|(?:(?:work|office|home|postal) )?address|birthday"
    r"|telefonnummer|handynummer|nummer|adresse|anschrift|kennzeichen|postleitzahl|schuhgröße|kontonummer|zimmernummer))"
)
_TOKEN_HEAD = (
    rf"(?P<name>{_OWNER}(?i:(?:wi-?fi )?password|passcode|user ?name|(?:e-?mail)(?: address)?|wlan-passwort|passwort"
    r"|benutzername|e-mail-adresse|mailadresse|e-mail))"
)
_FAVOURITE = (
    r"(?P<name>(?i:favou?rite (?:colou?r|food|dish|meal|drink|movie|film|book|song|band|singer|artist|author|writer"
    r"|sport|team|game|animal|flower|season|city|country|restaurant|caf[ée]|number|subject|ice cream|dessert|cuisine"
    r"|genre|show|series|actor|actress|fruit|vegetable|tea|coffee|wine|beer|brand|podcast|composer|painter|instrument)"
    r"|lieblings[a-zäöüß]+))"
)
_CHOSEN = (
    r" (?P<value>(?!(?i:to|when|that|because|not|probably|always|by|one|from|in|on|called|definitely|still|also|about"
    r"|gone|dead|broken|missing|there|here|where|what|how|changing|hard|this|these|those|it)\b)[^,;:()]{1,60}?)"
    r"(?=,? (?i:but|and (?:I|we|it|my)|which|so|because|since|by|from|aber|und (?:ich|wir|es)|weil)\b|[,:]|$)"
)
_ANYTHING, _DIGIT, _ONE_TOKEN = re.compile(""), re.compile(r"\d"), re.compile(r"^\S*[\d@._!#$%&*+-]\S*$")


def _told(text: str, slot: str = "", *, value: str = "", needs: re.Pattern[str] = _ANYTHING) -> Pattern:
    return Pattern(expression=re.compile(text), slot=slot, value=value, needs=needs)


def _changed(text: str, slot: str, *, value: str = "") -> Pattern:
    return Pattern(expression=re.compile(text), slot=slot, value=value, changed=True)


_END = (
    r"(?=,? (?:now|currently|again|already|with|and|but|since|because|as|in|these days|at the moment|last \w+"
    r"|this \w+|jetzt|mit|und|aber|seit|weil|gezogen|umgezogen)\b|[,:]|$)"
)
_LETTER = r"[a-zäöüßéèáàâãåøæçñóôõíúœ]"
_LOWER = rf"{_LETTER}(?:{_LETTER}|['-])+(?![\w'-])"
_NO_COMMON_WORD = (
    rf"(?!(?:{COMMON_WORD})(?![\w'-]))(?!(?!(?:{TOWNS_THAT_SEEM_ABSTRACT})(?!\w))\w+(?:{ABSTRACT_ENDING})(?![\w'-]))"
)
_LOWER_PLACE = rf"(?P<value>(?:{TOWNS_OF_WORDS})|{_NO_COMMON_WORD}{_LOWER}){_END}"
_LOWER_FIRM = rf"(?P<value>(?!(?:{COMMON_EMPLOYER})(?![\w'-])){_LOWER}){_END}"
_LOWER_PERSON = (
    r"(?P<value>(?!(?:away|back|in|into|out|up|upon|to|by|on|off|for|not|the|an?|very|so|too|hard|long|short|difficult"
    rf"|easy|spelled|spelt|pronounced|wrong|common|rare|mud|nice|my|your)\b){_LOWER}(?: {_LOWER})?){_END}"
)
_TITLED = rf"(?P<value>(?:dr|prof|mr|mrs|ms|miss|herr|frau|doctor|professor)\b\.? {_LOWER}(?: {_LOWER})?){_END}"


SLOT_PATTERNS: tuple[Pattern, ...] = (
    _told(rf"{_WE}(?:'m| am|'re| are)?{_NOW} (?i:live|living|reside|residing){_NOW} (?i:in) {_PLACE}", "home"),
    _changed(
        rf"{_WE}{_HAVE}{_JUST} (?i:moved|relocated)(?i: back| over| here| house| home)?(?: from {_NAME})? to {_PLACE}",
        "home",
    ),
    _told(rf"\b(?i:ich (?:wohne|lebe)){_NOW} (?i:in) {_PLACE}", "home"),
    _told(rf"\b(?i:(?:wohne|lebe) ich){_NOW} (?i:in) {_PLACE}", "home"),
    _changed(
        rf"\b(?i:ich bin|bin ich)\b[^,.]{{0,40}}? (?i:nach) {_PLACE} (?i:um|zurück)?(?i:gezogen)\b",
        "home",
    ),
    _told(rf"{_I}{_BE}?{_NOW} (?i:work|working){_NOW} (?i:at|for) {_FIRM}", "employer"),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:started|began) (?i:working|(?:a|my) new {_JOB}) (?i:at|for|with) {_FIRM}",
        "employer",
    ),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:got|found|took|accepted) (?i:an?|the)(?i: new)? {_JOB} (?i:at|with) {_FIRM}",
        "employer",
    ),
    _told(rf"\b(?i:my) (?i:new )?(?i:job is at|employer is){_NOW} {_FIRM}", "employer"),
    _told(rf"\b(?i:ich arbeite|arbeite ich){_NOW} (?i:bei|für) {_FIRM}", "employer"),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:quit|lost|left) (?i:my job)\b",
        "employer",
        value="no job",
    ),
    _changed(
        rf"{_I}(?i:(?:'ve| have)?{_JUST} (?:retired|been laid off)|{_JUST} (?:got|was) (?:laid off|fired))\b",
        "employer",
        value="no job",
    ),
    _changed(
        r"\b(?i:ich habe|habe ich)\b[^,.]{0,30} (?i:mein(?:en|e) (?:job|stelle|arbeit) (?:gekündigt|verloren))\b",
        "employer",
        value="no job",
    ),
    _told(rf"{_I}{_BE}?{_NOW} (?i:work|working){_NOW} (?i:as) {_TRADE}", "occupation"),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:started|began) (?i:working as) {_TRADE}",
        "occupation",
    ),
    _told(rf"\b(?i:ich arbeite|arbeite ich){_NOW} (?i:als) {_TRADE}", "occupation"),
    _told(rf"{_I}{_NOW} (?i:drive) (?i:an?|the) (?i:new )?{_CAR}", "car"),
    _told(rf"\b(?i:my) {_NEW}(?i:car is){_NOW} (?i:an?) {_CAR}", "car"),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:bought|got|leased|have) (?i:a|my) (?i:new car)(?i:,|:)? (?i:an? ){_CAR}",
        "car",
    ),
    _told(rf"{_I}{_BE}{_NOW} (?i:(?:an?|a strict) )?{_DIET}", "diet"),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:became|become|gone|went|turned) (?i:an? )?{_DIET}",
        "diet",
    ),
    _changed(
        rf"{_I}{_BE} (?i:no longer (?:an? )?(?:vegan|vegetarian|pescatarian))(?![-\w])",
        "diet",
        value="eats all",
    ),
    _told(rf"{_I}{_BE}{_NOW} {_STATUS}", "marital status"),
    _changed(
        rf"{_WE}{_HAVE}{_JUST} (?i:got) (?P<value>(?i:married|engaged|divorced))\b",
        "marital status",
    ),
    _told(
        rf"\b(?i:ich bin|bin ich){_NOW} (?P<value>(?i:verheiratet|geschieden|ledig|verlobt|verwitwet))\b",
        "marital status",
    ),
    _told(rf"\b(?i:ich bin|bin ich){_NOW} (?P<value>(?i:vegan|vegetarier|vegetarierin|veganer|veganerin))\b", "diet"),
    _told(
        rf"{_I}{_NOW} (?i:smoke)(?= (?i:a|about|cigarettes|cigars|every|daily|when|again|too|pot)\b|$|,)",
        "smoking",
        value="smokes",
    ),
    _changed(
        rf"{_I}{_HAVE}{_JUST} (?i:quit|stopped|given up|gave up) (?i:smoking)\b",
        "smoking",
        value="stopped",
    ),
    _told(r"\b(?i:ich rauche)(?! (?i:nicht|nie|kein\w*)\b)", "smoking", value="smokes"),
    _changed(
        r"\b(?i:ich (?:rauche nicht mehr|habe (?:mit dem rauchen aufgehört|aufgehört zu rauchen)))\b",
        "smoking",
        value="stopped",
    ),
    _told(rf"\b(?i:my name(?: is|'s)|mein name ist){_NOW} (?P<value>{_NAME})", "name"),
    _told(rf"\b(?i:ich heiße){_NOW} (?P<value>{_NAME})", "name"),
    _told(rf"\b(?i:my) {_NEW}{_ROLE}(?i:'s name)?(?i:(?: is|'s)(?: now)?(?: called| named)?) {_PERSON}"),
    _told(rf"\b(?i:meine?) {_NEW}{_ROLE_DE} (?i:heißt|ist (?=herr|frau|dr))(?i: jetzt)? (?P<value>{_NAME})"),
    _told(rf"\b(?i:my|meine?) {_NEW}{_DIGIT_HEAD}{_IS}{_REST}", needs=_DIGIT),
    _told(rf"\b(?i:my|meine?) {_NEW}{_TOKEN_HEAD}{_IS}{_REST}", needs=_ONE_TOKEN),
    _told(rf"\b(?i:my|meine?) {_NEW}{_FAVOURITE}{_IS}{_CHOSEN}"),
)

LOWER_CASE_PATTERNS: tuple[Pattern, ...] = (
    _told(rf"{_WE}(?:'m| am|'re| are)?{_NOW} (?i:live|living){_NOW} in {_LOWER_PLACE}", "home"),
    _changed(
        rf"{_WE}{_HAVE}{_JUST} (?i:moved|relocated)(?i: back| over| here| house| home)?(?: from {_LOWER})?"
        rf" to {_LOWER_PLACE}",
        "home",
    ),
    _told(rf"\b(?i:ich (?:wohne|lebe)|(?:wohne|lebe) ich){_NOW} in {_LOWER_PLACE}", "home"),
    _changed(
        rf"\b(?i:ich bin|bin ich)\b[^,.]{{0,40}}? nach {_LOWER_PLACE} (?:um|zurück)?gezogen\b",
        "home",
    ),
    _told(rf"{_I}{_BE}?{_NOW} (?i:work|working){_NOW} at {_LOWER_FIRM}", "employer"),
    _told(rf"\b(?i:ich arbeite|arbeite ich){_NOW} bei {_LOWER_FIRM}", "employer"),
    _told(rf"\b(?i:my name(?: is|'s)|mein name ist|ich heiße){_NOW} {_LOWER_PERSON}", "name"),
    _told(rf"\b(?i:my) {_NEW}{_ROLE}(?: is|'s)(?: now)?(?: called| named)? {_TITLED}"),
    _told(rf"\b(?i:my) {_NEW}{_ROLE}(?: is| is now|'s)(?: called| named) {_LOWER_PERSON}"),
    _told(rf"\b(?i:my) {_NEW}{_ROLE}'s name is(?: now)? {_LOWER_PERSON}"),
    _told(rf"\b(?i:meine?) {_NEW}{_ROLE_DE} heißt(?: jetzt)? {_LOWER_PERSON}"),
    _told(rf"\b(?i:meine?) {_NEW}{_ROLE_DE} ist(?: jetzt)? {_TITLED}"),
)
"""For texts whose writer gives names no capitals."""
