"""Words that tell nothing by themselves, in English and German. Those of other languages fall out by frequency."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERS = {
    word: str(number)
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, word in enumerate(words.split())
}
"""Numbers as words, with their digits."""

MONTHS = _words(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember
    """
)

DAYS = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag
    sonnabend sonntag
    """
)

NEGATIONS = _words(
    """
    no not never none nobody nothing neither nor without cannot kein keine keinen keinem keiner nicht nie niemals
    ohne
    """
)

CUES = _words(
    """
    a an the this that these those my your his her its our their some any every each another no of in on at to for
    with from by about into over under through during after before as like ein eine einen einem einer eines der
    die das den dem des mein meine meinen meinem meiner dein deine deinen sein seine seinen ihr ihre ihren unser
    unsere unseren dieser diese dieses diesen im am vom zum zur mit von für über bei nach aus
    """
)
"""Words before which a noun phrase is to be expected."""

JOINTS = _words(
    """
    of the van von der den de da di del la le du for and zu
    """
)
"""Words that may stand inside a name: Bank of England, Vincent van Gogh."""

FIRST_PERSON = _words(
    """
    i me my mine myself we us our ours ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren
    """
)
SECOND_PERSON = _words(
    """
    you your yours yourself du dich dir dein deine deinen deinem deiner euch euer eure
    """
)
THIRD_PERSON = _words(
    """
    he she him her his hers they them their er sie ihm ihn ihr ihre ihren sein seine
    """
)

_ENGLISH = _words(
    """
    i me you he him she it we us they them mine yours hers ours theirs myself yourself himself herself itself
    ourselves yourselves themselves who whom whose what which when where why how if then than because since while
    until though although unless whether and or but so yet too also very just only even still again ever almost
    quite rather really actually maybe perhaps probably definitely certainly surely totally absolutely pretty much
    many more most less least few lot lots bit all both half such same other others own else one ones thing things
    stuff something anything everything someone anyone everyone somebody anybody everybody somewhere anywhere
    everywhere way ways kind sort type be am is are was were been being have has had having do does did done doing
    can could shall should will would may might must ought need needs needed let lets get gets got getting gotten
    go goes going gone went come comes came coming make makes made making take takes took taken taking give gives
    gave given giving put puts putting keep keeps kept keeping see sees saw seen seeing look looks looked looking
    know knows knew known knowing think thinks thought thinking say says said saying tell tells told telling ask
    asks asked asking talk talks talked talking hear hears heard hearing feel feels felt feeling want wants wanted
    wanting like likes liked love loves loved loving hope hopes hoped hoping wish try tries tried trying use uses
    used using find finds found finding seem seems seemed start starts started starting stop stops stopped help
    helps helped helping show shows showed shown mean means meant wonder guess believe remember forget forgot
    happen happens happened happening become becomes became sound sounds sure agree here there now today tomorrow
    yesterday tonight soon later early late already always often sometimes usually lately recently ago once twice
    first second last next new old good better best bad worse worst great nice cool amazing awesome wonderful
    fantastic lovely beautiful super big little small long short high low able happy glad excited sorry yes yeah
    yep nope okay oh ah hey hi hello bye goodbye thanks thank please welcome congrats congratulations wow haha lol
    hmm well right left up down out off away back around along across between among against within upon toward
    towards onto above below behind beside near far together enough instead otherwise however therefore anyway
    besides indeed especially exactly finally simply basically literally honestly time times day days week weeks
    month months year years hour hours minute minutes moment people person man guy guys everyday picture photo
    sends
    """
)
_GERMAN = _words(
    """
    ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man wer wen wem wessen was welche
    welcher welches wann wo warum wieso weshalb wie wenn ob dass weil obwohl während bis und oder aber sondern
    denn doch so auch sehr nur noch schon sogar immer oft manchmal meistens wieder gerade eben halt mal etwa fast
    ganz ziemlich wirklich eigentlich vielleicht wahrscheinlich bestimmt sicher natürlich leider viel viele vieles
    mehr meisten wenig wenige alle alles beide andere anderen anderer anderes etwas jemand niemand jeder jede
    jedes einige manche solche selbst bin bist ist sind seid war waren warst gewesen habe hast hat haben habt
    hatte hatten gehabt werde wirst wird werden wurde wurden geworden kann kannst können konnte konnten muss musst
    müssen musste soll sollte sollen will willst wollen wollte darf dürfen mag mögen möchte möchten mache machst
    macht machen gemacht gehe geht gehen ging gegangen komme kommt kommen kam gekommen gebe gibt geben gab nehme
    nimmt nehmen nahm sehe sieht sehen sah gesehen sage sagt sagen sagte gesagt weiß wissen wusste denke denkt
    denken dachte finde findet finden fand gefunden glaube glauben lasse lässt lassen hier da dort dann jetzt
    heute morgen gestern bald später früher hin her zurück zusammen weg wegen zwischen gegen seit um an auf vor
    hinter neben unter durch ab zu ins ans beim neu neue neuen neuer neues alt alte alten gut gute guten besser
    beste schön schöne toll super groß große großen klein kleine kleinen ja nein okay hallo danke bitte tschüss
    genau also übrigens trotzdem deshalb dazu davon damit dafür daran darauf darüber dabei daher zeit tag tage
    tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden minute minuten leute ding dinge sache
    sachen art weise
    """
)
_PERSONS = FIRST_PERSON | SECOND_PERSON | THIRD_PERSON
STOP_WORDS = _ENGLISH | _GERMAN | _PERSONS | CUES | NEGATIONS | frozenset(NUMBERS)
