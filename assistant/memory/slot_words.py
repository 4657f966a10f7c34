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
SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bSt)(?<!\bMr)(?<!\bMrs)(?<!\bProf)[.!?;]+(?=\s|$)|\n+")
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
