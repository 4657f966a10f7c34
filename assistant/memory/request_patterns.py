"""The forms of whole messages that order the memory to show or to forget, by language."""

import re

_LAST_EN = r"(?:last|previous|latest) (?:thing|message|question|exchange|turn|one|remark)"
_SAID_EN = r"(?:said|told you|wrote|mentioned|asked|typed|just said|just told you|just wrote|just mentioned|just asked)"
_ALL_EN = r"(?:everything|anything|all|all of it|what)"
_YOU_KNOW_EN = (
    r"(?:(?:that )?you(?:'ve| have)? (?:ever )?(?:know|remember|remembered|stored|saved|kept|learned|noted)(?: down)?)"
)
_I_SAID_EN = r"(?:(?:that )?i(?:'ve| have)?(?: ever)? (?:just )?(?:said|told you|tell you|wrote|mentioned|shared))"
_DIGITS = r"\+?[\d(][\d /().-]{2,30}\d"
_WORDS = r"(?:[^\W\d][\w'-]*[,:]? )"
_OWN_WORDS = r"(?:[\w+#'/.-]+(?: |$)){1,5}"
_NOT_A_CLAUSE = (
    r"(?!.*\b(?:and|or|but|because|if|when|while|until|unless|then|so|let's|let|for (?:a|now|this|the moment)|please"
    r"|from (?:the|this|that)|in (?:the|this|that)|instead|again|at (?:home|work)|as well|too|und|oder|aber|weil|wenn"
    r"|nicht|kein|keine|nie|aus (?:dem|der|diesem)|im|in (?:der|dem|diesem))\b)"
)
_TOPIC = r"(?P<about>[^,;:!?\n]{1,60})"
_MEMORY_EN = r"(?:your|the) (?:memory|memories|vault|brain|records?|notes)"
_FORGET_EN = r"(?:forget|unlearn)"
_DELETE_EN = r"(?:forget|delete|erase|remove|wipe|unlearn|purge)"
_FORGET_DE = r"(?:vergiss|vergesse|vergessen sie)"
_DELETE_DE = r"(?:vergiss|vergesse|vergessen sie|lösche|lösch|löschen sie|entferne|tilge)"
_MY_DE = r"mein(?:e|en|em|er|es)?|unser(?:e|en|em|er|es)?"
_SECRETS_EN = (
    r"(?:(?:phone|mobile|cell|telephone|account|card|credit card|passport|insurance|social security|id|licence|license)"
    r" )?(?:number|address|password|pin|passcode|birthday|birth date|date of birth|iban|ssn|phone|e-?mail(?: address)?)"
)
_SECRETS_DE = (
    r"[\w-]*(?:nummer|adresse|anschrift|passwort|kennwort|pin|geburtstag|geburtsdatum|iban|kontonummer|e-?mail)"
)


def _each(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


AROUND = re.compile(
    r"^(?:(?:please|hey|hi|hello|ok|okay|so|now|well|and|then|assistant|bitte|hallo|also|nun|und|dann|por favor|oye"
    r"|s'il te plaît|请|請|麻烦你)[,:!.]?\s+|请|請"
    r"|(?:can|could|would|will) you (?:please |kindly )?(?=(?:forget|delete|erase|remove|wipe|show|list|tell)\b)"
    r"|(?:i(?:'d| would) like you to|i want you to|you (?:can|may|should)(?: now)?) "
    r"(?=(?:forget|delete|erase|remove|wipe|show|list)\b))"
    r"|(?:,?\s+(?:please|now|right now|at once|bitte|thanks|thank you|danke|por favor|s'il te plaît|吧|吗))$",
    re.IGNORECASE,
)
"""Politeness before and after an order."""
OWN = re.compile(
    rf"(?:my|our|{_MY_DE}|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|我的|我们的|私の|わたしの|僕の)(?=\s|[^\x00-\x7f])\s*",
    re.IGNORECASE,
)
"""The words that say that something is the user's own."""

SHOW = _each(
    r"what(?: all| else| exactly)? do you (?:still |actually |already |currently )?(?:remember|know|recall)"
    r" (?:about|of) (?:me|myself|us)(?: so far| already| by now)?",
    r"what(?: all| else| exactly)? do you (?:still |actually |already |currently )?(?:remember|recall)"
    r"(?: so far| (?:about|of) (?P<about>(?:my |our |the )?[^,;:!?\n]{1,40}))?",
    r"what(?: all| else)? (?:have you|did you|you've)"
    r" (?:remembered|stored|saved|noted|kept|learned|remember|store|save)"
    r"(?: (?:about|of) (?:me|us|myself))?(?: so far)?",
    r"what(?: do you have| have you got|'s| is) (?:in|stored in) your (?:memory|vault)(?: (?:about|of) (?:me|us))?",
    r"(?:show|tell|give|list)(?: me)? (?:everything|all|what)(?: that)? (?:you(?:'ve| have)?)"
    r" (?:know|remember|remembered|stored|saved|noted|learned)(?: (?:about|of) (?:me|us|myself))?(?: so far)?",
    r"(?:show|tell|give|list)(?: me)? (?:everything|all|what)(?: that)? (?:you(?:'ve| have)?)"
    r" (?:remember|remembered|stored|saved|noted) (?:about|of) (?P<about>[^,;:!?\n]{1,40})",
    r"(?:show|list)(?: me)? (?:all )?(?:of )?(?:my|your) (?:memory|memories)"
    r"(?: (?:about|of) (?:me|us|(?P<about>[^,;:!?\n]{1,40})))?",
    # German
    r"was weißt du (?:noch |alles |schon |eigentlich |denn )*(?:über mich|von mir|über uns)(?: alles| noch| schon)?",
    r"(?:woran|an was) (?:erinnerst du dich|kannst du dich)(?: noch| alles)?(?: erinnern)?"
    r"(?: bei mir| über mich| von mir| in bezug auf mich)?",
    r"was hast du (?:dir )?(?:alles |schon )*(?:(?:über|von) (?:mich|mir|uns) )?(?:alles )?"
    r"(?:gemerkt|gespeichert|behalten|in erinnerung)",
    r"was (?:hast|behältst) du (?:noch )?(?:alles )?(?:von mir|über mich) (?:in erinnerung|im gedächtnis)",
    r"was hast du (?:dir )?(?:alles )?(?:über|von|zu) (?P<about>[^,;:!?\n]{1,40}) (?:gemerkt|gespeichert)",
    r"(?:zeig|zeige|sag|sage|nenn|nenne)(?: mir)?(?: bitte)? alles,? was du"
    r"(?: noch)? (?:(?:über mich|von mir) )?(?:weißt|gespeichert hast|dir gemerkt hast|behalten hast)",
    r"(?:zeig|zeige)(?: mir)?(?: bitte)? (?:alle )?(?:meine|deine) erinnerungen"
    r"(?: (?:an|über|zu) (?:mich|(?P<about>[^,;:!?\n]{1,40})))?",
    # Spanish, French, Chinese, Japanese
    r"qué (?:recuerdas|sabes)(?: todavía)? (?:de|sobre) (?:mí|mi|nosotros)",
    r"qué recuerdas|de qué te acuerdas|muéstrame todo lo que (?:recuerdas|sabes)(?: (?:de|sobre) mí)?",
    r"(?:que sais-tu|que savez-vous|qu'est-ce que tu (?:sais|as retenu)|qu'as-tu retenu)"
    r" (?:de|sur) (?:moi|nous)|de quoi te souviens-tu(?: à mon sujet)?",
    r"montre-moi tout ce (?:que tu sais(?: (?:de|sur) moi)?|dont tu te souviens)",
    r"(?:关于我,?)?你(?:都|还)*(?:记得|知道|记住了?)(?:关于)?我的?(?:什么|哪些|些什么|哪些事|哪些事情|什么事|什么事情)",
    r"关于我,?你(?:都|还)*(?:记得|知道|记住了?)(?:些)?(?:什么|哪些|哪些事情)|你(?:都|还)*记得(?:些)?什么",
    r"(?:私|わたし|僕)(?:について|のことで|のことを|に関して)(?:は)?(?:何を|なにを|何か)?(?:覚えて|記憶して)(?:い)?(?:る|ます)(?:か|の)?"
    r"|(?:何|なに)を(?:覚えて|記憶して)(?:い)?(?:る|ます)(?:か|の)?",
)
"""What is asked for is what the memory holds, whatever it holds."""
SHOW_KNOWN = _each(
    r"what(?: all| else| exactly)? do you (?:still |actually |already |currently )?know (?:about|of) "
    r"(?P<about>[^,;:!?\n]{1,40})",
    r"(?:show|tell|give|list)(?: me)? (?:everything|all)(?: that)? you know (?:about|of) (?P<about>[^,;:!?\n]{1,40})",
    r"was weißt du (?:noch |alles |schon |eigentlich )*(?:über|von) (?P<about>[^,;:!?\n]{1,40})",
)
"""The same of something that the model may know, too."""

EVERYTHING = _each(
    rf"{_FORGET_EN} (?:absolutely )?(?:everything|all)",
    rf"{_DELETE_EN} (?:absolutely )?(?:everything|all)(?: that)?(?: {_YOU_KNOW_EN})?(?: (?:about|of) (?:me|us|myself))",
    rf"{_DELETE_EN} (?:absolutely )?(?:everything|all)(?: that)? {_YOU_KNOW_EN}",
    rf"{_DELETE_EN} (?:all )?(?:of )?(?:my|your|the) (?:whole |entire )?memor(?:y|ies)(?: of me| about me)?",
    rf"{_DELETE_EN} (?:everything|all)(?: {_I_SAID_EN})",
    rf"{_FORGET_DE} (?:bitte )?(?:wirklich )?alles",
    rf"{_DELETE_DE} (?:bitte )?(?:wirklich )?alles (?:über mich|von mir)",
    rf"{_DELETE_DE} (?:bitte )?(?:wirklich )?alles,? was du(?: (?:über mich|von mir))?(?: weißt| gespeichert hast)",
    rf"{_DELETE_DE} (?:bitte )?alles,? was ich (?:dir )?(?:je )?(?:gesagt|erzählt) habe",
    rf"{_DELETE_DE} (?:bitte )?alle (?:meine|deine) erinnerungen",
    r"(?:olvida|borra) todo(?: lo que sabes)?(?: (?:de|sobre) mí)?",
    r"(?:oublie|efface) tout(?: ce que tu sais)?(?: sur moi)?",
    r"(?:忘掉|忘记|删除)(?:关于我的)?(?:一切|所有记忆|全部记忆|所有事情)",
    r"(?:全部|すべて|全て)(?:を)?(?:忘れて|削除して)(?:ください|下さい)?",
)
FORGET_LAST = _each(
    rf"{_FORGET_EN} (?:that|this)(?: (?:again|one|message|last (?:one|thing)))?",
    rf"{_FORGET_EN} (?:the|that|my|our|your) {_LAST_EN}(?: i {_SAID_EN}| you said)?",
    rf"{_DELETE_EN} (?:my|our) (?:last|previous) (?:message|exchange|turn)",
    rf"{_DELETE_EN} what (?:i|we) (?:{_SAID_EN}|(?:last |just )?{_SAID_EN}(?: just now| last)?)",
    rf"{_FORGET_EN} (?:that )?i (?:ever )?{_SAID_EN} (?:that|this|it|anything|so)",
    rf"{_FORGET_DE} (?:bitte )?(?:das|dies)(?: wieder| eben| gerade| bitte)*",
    rf"{_FORGET_DE} (?:bitte )?(?:das letzte|(?:meine|die|deine) letzte (?:nachricht|frage|äußerung|antwort))",
    rf"{_DELETE_DE},? (?:bitte,? )?(?:das,? )?was ich (?:dir )?(?:gerade|eben|zuletzt|soeben)?(?: eben)?"
    r" ?(?:gesagt|geschrieben|erzählt|gefragt) habe",
    r"olvida eso|olvida lo que (?:te )?(?:acabo de decir|dije)|borra eso|oublie (?:ça|cela|ce que je viens de dire)",
    r"(?:忘掉|忘记)(?:我)?(?:刚才|刚刚)说的(?:话)?|今の(?:は|を|ことは)?忘れて(?:ください|下さい)?",
)
FORGET_TOPIC = _each(
    rf"{_DELETE_EN} {_ALL_EN}(?: (?:{_YOU_KNOW_EN}|{_I_SAID_EN}))?"
    rf" (?:about|of|on|regarding|concerning|to do with) (?!me$|us$|it$){_NOT_A_CLAUSE}{_TOPIC}",
    rf"{_DELETE_EN} (?:(?:all|any|every|the) )*(?:of )?(?:(?:my|your|the) )?memor(?:y|ies)"
    rf" (?:about|of|on|with|that mention|mentioning) {_NOT_A_CLAUSE}{_TOPIC}",
    rf"{_DELETE_EN} {_TOPIC} from {_MEMORY_EN}",
    rf"{_DELETE_DE} (?:bitte )?alles,? (?:was (?:du|ich)(?: dir)? )?(?:je )?(?:über|von|zu|wegen) (?!mich$|mir$)"
    rf"{_NOT_A_CLAUSE}(?P<about>[^,;:!?\n]{{1,60}}?)(?: (?:weißt|gesagt habe|erzählt habe|gespeichert hast))?",
    rf"{_DELETE_DE},? (?:bitte,? )?(?:das,? )?was ich (?:dir )?(?:über|von|zu) {_TOPIC}"
    r" (?:gesagt|erzählt|geschrieben) habe",
    rf"{_DELETE_DE} (?:bitte )?{_TOPIC} aus (?:deinem|dem) (?:gedächtnis|speicher)",
    r"(?:olvida|borra) (?:todo(?: lo que sabes)?|lo que (?:te )?dije) (?:de|sobre) (?!mí$)(?P<about>[^,;:!?\n]{1,60})",
    r"(?:oublie|efface) (?:tout(?: ce que tu sais)?|ce que (?:je t'ai|j'ai) dit) (?:de|sur) (?!moi$)"
    r"(?P<about>[^,;:!?\n]{1,60})",
    r"(?:忘掉|忘记|删除)(?:所有|一切)?关于(?!我的?(?:一切|所有))(?P<about>[^,。]{1,30}?)(?:的)?(?:一切|所有事情|事情|事|记忆|所有记忆|所有内容)",
    r"(?P<about>[^\s。、]{1,30})(?:について|のこと)(?:は|を|の記憶を)?(?:全部|すべて|全て)?(?:忘れて|削除して)(?:ください|下さい|くれ)?",
)
"""All that is about something; `about` is a name, words of the user's own, or a number."""
FORGET_NAMED = (
    # a name is known by its capital: no pattern here ignores case
    re.compile(rf"(?i:{_FORGET_EN})(?: about)? (?P<about>(?:[A-ZÀ-ÞĀ-Ž][\w'.-]+ ?){{1,3}})"),
    re.compile(rf"(?i:{_FORGET_DE})(?i: bitte)? (?P<about>(?!(?:Sie|Ihr|Ihre|Ihren)\b)(?:[A-ZÄÖÜ][\w'.-]+ ?){{1,3}})"),
    re.compile(r"(?i:kannst|könntest|würdest) du (?i:bitte )?(?P<about>(?:[A-ZÄÖÜ][\w'.-]+ ?){1,3})vergessen"),
)
FORGET_WORDS = _each(
    rf"{_FORGET_EN} (?:that )?(?P<about>(?:my|our|the) {_WORDS}{{1,4}}?"
    rf"(?:is |was |it's |it is |it was |namely )?{_DIGITS})",
    rf"{_FORGET_DE},? (?:bitte )?(?:dass )?(?P<about>(?:{_MY_DE}|die) {_WORDS}{{1,3}}?(?:ist |lautet |war )?{_DIGITS})"
    r"(?: ist| lautet)?",
    rf"{_FORGET_EN} (?:about )?{_NOT_A_CLAUSE}(?P<about>(?:my|our) {_OWN_WORDS})",
    rf"{_FORGET_EN} (?P<about>(?:my|our|the) {_SECRETS_EN})",
    rf"(?:delete|erase|wipe) (?P<about>(?:my|our) {_SECRETS_EN}:?(?: \+?[\d(][\d\s/().-]+)?)",
    rf"{_FORGET_EN} (?:the )?(?:number )?(?P<about>\+?\d[\d\s/().-]{{3,}}\d)",
    rf"{_FORGET_EN} that (?P<about>(?:i|my|we|our)"
    r" (?:am|'m|live|lived|work|worked|have|had|own|like|love|hate|was|were|is|"
    rf"are|(?:\w+ ){{1,3}}(?:is|are|was|lives|works|has|had|likes))\b {_NOT_A_CLAUSE}[^,;:!?\n]{{2,60}})",
    rf"{_DELETE_EN} what i (?:{_SAID_EN}) (?:about|of|on) {_NOT_A_CLAUSE}(?P<about>[^,;:!?\n]{{1,60}})",
    rf"{_FORGET_DE} (?:bitte )?{_NOT_A_CLAUSE}(?P<about>(?:{_MY_DE}) {_OWN_WORDS})",
    rf"{_FORGET_DE},? (?:bitte,? )?dass (?P<about>(?:ich|wir|{_MY_DE}) [^,;:!?\n]{{2,60}})",
    rf"(?:lösche|lösch|löschen sie) (?:bitte )?(?P<about>(?:{_MY_DE}) {_SECRETS_DE}:?(?: \+?[\d(][\d\s/().-]+)?)",
    rf"{_FORGET_DE} (?:bitte )?(?:die (?:\w*nummer )?)?(?P<about>\+?\d[\d\s/().-]{{3,}}\d)",
    rf"(?:{_FORGET_EN}|{_FORGET_DE},?) (?:(?:bitte|that|dass) )?(?:my|our|{_MY_DE}) .{{1,80}}?"
    rf"(?P<about>\+?\d(?:[ /().-]{{0,2}}\d){{5,20}})(?!\d).*",
    rf"(?:kannst|könntest|würdest) du (?:bitte )?(?P<about>(?:{_MY_DE}) [\w-]+(?: [\w-]+)?)"
    r" (?:bitte )?(?:vergessen|löschen)",
    r"(?:olvida|borra) (?P<about>(?:mi|mis|nuestro|nuestra) (?:[\w-]+(?: |$)){1,5})",
    r"(?:oublie|efface) (?P<about>(?:mon|ma|mes|notre|nos) (?:[\w'-]+(?: |$)){1,5})",
    r"(?:忘掉|忘记|忘了|删除)(?P<about>我的[^,。了吗]{1,20})",
    r"把(?P<about>我的[^,。]{1,20}?)(?:忘掉|忘记|忘了|删除)(?:了)?",
    r"(?P<about>(?:私|わたし|僕)の[^\s、。]{1,20}?)(?:は|を)(?:全部)?(?:忘れて|削除して)(?:ください|下さい|くれ)?",
)
"""What holds these words: the user's own things, numbers, and what somebody is or has."""
