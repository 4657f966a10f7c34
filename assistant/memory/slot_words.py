"""The words around a statement of a user that make it firm or unsure, and the names of the slots; two languages."""

import re

PASTED_LENGTH = 1000
"""Characters. People who tell of themselves are brief; a longer text was mostly written by somebody else."""

CHANGE = re.compile(
    r"\b(?:now|currently|nowadays|these days|new|just|recently|moved|relocated|switched|changed|started|anymore"
    r"|no longer|jetzt|nun|inzwischen|mittlerweile|neue[nrsm]?|seit kurzem|neuerdings|gezogen|umgezogen|nicht mehr"
    r"|geändert)\b",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:if|would|wish|imagine|suppose|supposedly|pretend|used to|until|till|as though|said|says|told|asked|wrote"
    r"|quoted?|when i was|when we were|back then|at the time|originally|formerly|previously|temporar\w*|for now"
    r"|for the (?:summer|winter|week|month|semester|year|time)|for a (?:week|month|year|while)|also|part[- ]time"
    r"|sometimes|partly|both|either|one of my"
    r"|wenn|falls|würde|hätte|wäre|früher|damals|bis|vorübergehend|sagte|sagt|meinte|auch|manchmal|teils|ehemals)\b"
    r"|\b(?:I|we)'d\b",
    re.IGNORECASE,
)
"""Anywhere in the sentence: it may be wished, past, reported, for a while, or one of several."""
DOUBTED = re.compile(
    r"\b(?:since|because|'?cause|when|after|before|although|seit|weil|als|nachdem|bevor|obwohl|not|never|hardly|want|wanna|hope|could|might|may|maybe|perhaps|probably|should|almost|nearly"
    r"|dream\w*|plan\w*|think\w*|thought|will|going to|gonna|like to|love to|consider\w*|nicht|nie|kein\w*|möchte"
    r"|vielleicht|könnte|sollte|fast|plane|denke|dachte|hoffe)\b|n't\b|'ll\b",
    re.IGNORECASE,
)
"""Before the statement, in its clause."""
OTHERS_WORDS = re.compile(r"[\"“”„«»]|(?<!\w)'[^']+'(?!\w)|^\s*>|^\s*[-*]?\s*[A-ZÄÖÜ]\w*:\s")
"""A sentence with a quotation in it, or that begins with a speaker's name."""
REQUEST = re.compile(
    r"\b(?:write|rewrite|translate|proofread|correct|summari[sz]e|paraphrase|rephrase|draft|compose|improve|continue)\b"
    r"[^.!?\n]{0,60}\b(?:this|these|following|letter|e?-?mail|story|essay|poem|text|sentence|paragraph|message|post|bio"
    r"|speech|song|dialogue|into|in (?:german|english|french|spanish))\b"
    r"|\b(?:role-?play|act as|pretend|imagine|you are now|let's play)\b"
    r"|\b(?:schreib\w*|übersetz\w*|korrigier\w*|formulier\w*|verbesser\w*|fass\w* zusammen|stell dir vor)\b",
    re.IGNORECASE,
)
"""The text is, or holds, something to work on: nobody tells of themselves in it for certain."""
SENTENCE_END = re.compile(
    r"(?<!\b[Dd]r)(?<!\b[Ss]t)(?<!\b[Mm]r)(?<!\b[Mm]s)(?<!\b[Mm]rs)(?<!\b[Pp]rof)[.!?;]+(?=\s|$)|\n+"
)
WRITES_CAPITALS = re.compile(r"(?<=[\w,] )(?!I\b)[A-ZÄÖÜÉÅØ]\w")
"""A capital in the middle of a sentence: who writes one there gives names theirs."""
ALIASES = {
    "number": "phone number", "telephone number": "phone number", "telefonnummer": "phone number",
    "nummer": "phone number", "cell number": "mobile number", "cell phone number": "mobile number",
    "handynummer": "mobile number", "home address": "address", "postal address": "address", "adresse": "address",
    "anschrift": "address", "email": "email address", "e-mail": "email address", "e-mail address": "email address",
    "e-mail-adresse": "email address", "mailadresse": "email address", "passwort": "password",
    "wi-fi password": "wifi password", "wlan-passwort": "wifi password", "user name": "username",
    "benutzername": "username", "kennzeichen": "license plate", "licence plate": "license plate",
    "plate number": "license plate", "postleitzahl": "postcode", "post code": "postcode", "zip": "postcode",
    "zip code": "postcode", "pin code": "pin", "schuhgröße": "shoe size", "kontonummer": "account number",
    "zimmernummer": "room number", "favourite movie": "favourite film", "mom": "mother", "mum": "mother",
    "mutter": "mother", "dad": "father", "vater": "father", "frau": "wife", "mann": "husband", "gp": "doctor",
    "arzt": "doctor", "ärztin": "doctor", "hausarzt": "doctor", "hausärztin": "doctor", "zahnarzt": "dentist",
    "zahnärztin": "dentist", "chef": "boss", "chefin": "boss", "vermieter": "landlord", "vermieterin": "landlord",
    "landlady": "landlord", "freundin": "girlfriend", "freund": "boyfriend",
}  # fmt: skip
"""Names of slots that are one and the same."""
VERBS = {
    "home": "live living reside moved relocated wohne lebe gezogen umgezogen",
    "employer": "work working job employer started retired laid fired arbeite",
    "occupation": "work working arbeite",
    "car": "drive car",
    "diet": "vegan vegetarian pescatarian omnivore vegetarier veganer",
    "marital status": "single married engaged divorced widowed verheiratet geschieden ledig verlobt verwitwet",
    "smoking": "smoke smoking rauche rauchen",
    "name": "name heiße",
}
"""Words of which a statement that fills the slot has at least one, where its name is not among them."""


def _any(words: str) -> str:
    return "|".join(words.split())


COMMON_WORD = _any(
    """
    a an the my your his her its our their this that these those it here there one two three four five some any many
    several both all every each another other others different same such more most no not
    be do get go have help live work start learn study escape retire recover rest relax heal focus survive marry change
    grow speak hear see watch stay talk know chat act play think
    me you us them him myself yourself ourselves themselves and or of if then than so too often recently always
    accord advance ages bed bits case class classes common contact contrast control culture debate english fact favor
    favour files force french front full games general german http https interest kids law life line litigation love
    mind minutes mode months movies music order parallel parts particular passing person perspective pieces power
    practice principle private profile progress quotes season sections shape short sight sports storage store summary
    talks theory thought times title touch turns use vain view weeks words years
    fear peace hope harmony poverty squalor luxury comfort style sin exile hiding denial chaos misery shame silence
    darkness dreams paradise hell heaven freedom limbo bliss agony pain anger rage terror dread debt need want sync time
    secret sorrow grief mourning faith love trust disguise dirt mud rubble ruins joy doubt despair danger
    worry stress horror anguish regret guilt bondage slavery secrecy privacy
    hostels hotels dorms dormitories apartments flats houses homes caves tents trailers vans caravans housing barracks
    squats prison jail care foster quarantine lockdown communes suburbia suburbs town towns downtown uptown midtown city
    cities village villages campus countryside nature wilderness forests woods mountains space public private student
    shared rented temporary rural urban crowded small big cold warm total complete constant absolute relative close deep
    pajamas pyjamas sweatpants jeans leggings hoodies slippers
    linux ubuntu debian fedora arch windows mac macos ios iphone android vim emacs vscode neovim python rust java
    javascript typescript go golang kotlin swift react vue django kubernetes docker aws azure gcp git github gitlab
    notion obsidian gmail outlook firefox chrome brave signal whatsapp telegram slack teams zoom spotify netflix
    postgres mysql sqlite cloud
    plan phase step stage part level version team number place top bottom front back left right next last first second
    third marketing sales finance engineering management production design research operations consulting freelance
    freelancing remote hr bed tears action tea coffee decaf veganism college university uni school work nights days
    mornings evenings shifts tomorrow today tonight monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december
    angst armut frieden scheidung trennung miete untermiete beziehung partnerschaft harmonie sorge sorgen freude gefahr
    deckung rente pension hause stadt dorf freiheit wohlstand luxus streit stille
    einem einer ein eine der die das dem den meiner meinem
    """
)
"""Where names have no capitals: words that stand where that of a town would."""
ABSTRACT_ENDING = "ness|tion|sion|ment|ship|ism|hood|ty|tude|ics|ance|ence|ing|keit|heit|schaft|ung"
TOWNS_THAT_SEEM_ABSTRACT = _any(
    """
    france florence valence constance lawrence providence beijing nanjing chongqing reading worthing dorking woking
    epping freising straubing sion
    """
)
TOWNS_OF_WORDS = (
    r"new (?:york(?: city)?|orleans|delhi|haven|plymouth|westminster|bedford|brunswick)|mexico city|kansas city"
    r"|oklahoma city|salt lake city|ho chi minh city|panama city|quebec city|long beach|virginia beach|palm springs"
    r"|colorado springs|little rock|grand rapids|baton rouge|des moines|silver spring|ann arbor|tel aviv|hong kong"
    r"|kuala lumpur|abu dhabi|addis ababa|buenos aires|rio de janeiro|belo horizonte|porto alegre|palo alto|las vegas"
    r"|los angeles|den haag|the hague|milton keynes|tunbridge wells|bad [\w-]+"
    r"|(?:san|santa|santo|sankt|saint|st\.?|s[aã]o|port|fort|cape|el|la|le) [\w-]+"
    r"|(?:north|south|east|west|central|greater) (?:london|berlin|dublin|jerusalem|hollywood|lansing|bay|palm beach)"
    r"|frankfurt am main|(?:stoke|newcastle|stratford|burton) (?:up)?on [\w-]+"
)
"""Of other names of several words it cannot be told where they end."""
COMMON_EMPLOYER = _any(
    """
    a an the my your his her its our their this that these those it them him me us you here there now least once all
    both home night nights noon dawn dusk midnight weekends christmas school schools university uni college church sea
    height heights work present random speed scale best myself himself herself yourself ourselves themselves free fun
    money cash food peanuts pennies tips hours days weeks months years ages long living nothing something someone
    somebody everyone people clients customers companies startups government charity others retail pay minimum less
    more two three four five one first last sunrise sunset breakfast lunch dinner peace war risk stake ease length odds
    sight hand rest court intervals times time large worst zero yesterday tomorrow users full capacity hause kunden
    bedarf nachts and or
    """
)
