"""How text looks that wants to be obeyed: patterns over normalised text, each kind under the words that say what it is.

Casefolded text, a line or a sentence at a time. Each pattern needs more than one sign, such as a verb and what it is to
act upon: people tell one another, and a chat program, to forget, to remember and to answer all day long.
"""

import re

_PARTS = {
    "<near>": r"[^.!?。！？\n]{0,40}",
    "<sentence>": r"[^.!?。！？\n]{0,80}",
    "<ai>": (
        r"(?:a\.?i\.?|ki|ia|llms?|assistants?|assistent\w*|asistentes?|chat ?bots?|bots?"
        r"|(?:language |sprach)?mod[eè]l(?:l|e|o|s)?|modelo (?:de lenguaje)?|agents?|助手|模型|机器人|アシスタント"
        r"|モデル)"
    ),
    "<mode>": (
        r"(?:unrestricted|unfiltered|uncensored|jailbr\w+|dan|(?:developer|debug|god|admin|root|maintenance) mode"
        r"|administrator|without (?:any )?(?:rules|restrictions|filters)|bound by|ohne (?:regeln|einschränkungen)"
        r"|uneingeschränkt\w*|sin (?:reglas|restricciones)|sans (?:règles|restrictions))"
    ),
}
"""What several of them have in common."""


def _joined(lines: str) -> str:
    """Give a pattern that was written on several lines as one, its parts put in."""
    pattern = "".join(line.strip() for line in lines.splitlines())
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return pattern


KINDS: dict[str, str] = {
    "tells an assistant to drop its instructions": _joined(
        r"""
        \b(?:ignore|disregard|forget|override|bypass|discard|neglect)\b(?: \w+){0,4}? (?:previous|prior|earlier
        |above|preceding|your|system|original|initial|existing|safety)\b(?: \w+){0,2}? ?\b(?:instructions?|rules
        |prompts?|guidelines|directives?|orders|commands?|constraints|restrictions|programming|policies)\b
        |\b(?:ignore|disregard|forget)\b(?: \w+)? (?:all|any|every)\b(?: \w+){0,2} (?:instructions?|prompts?
        |directives?)\b|\b(?:ignorier\w*|vergiss|vergesst|missachte\w*|verwirf|überschreib\w*
        |umgeh\w*)\b(?: \w+){0,4}? (?:\w*anweisung\w*|instruktion\w*|vorgaben|befehle?|richtlinien
        |system-?prompts?|prompts?|deine regeln)\b|\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*
        |haz caso omiso)\b(?: \w+){0,4}? (?:instruccion\w*|directrices|indicaciones|tus reglas|órdenes)\b
        |\b(?:ignor\w+|oubli\w+|ne tiens? pas compte|ne tenez pas compte
        |fais abstraction)\b(?: \w+){0,5}? (?:instructions?|consignes?|directives|tes règles|vos règles)\b|(?:忽略
        |无视|無視|忘记|忘掉|不要理会|抛弃)[^。！？\n]{0,15}(?:指令|指示|提示词?|规则|命令|设定)|(?:指示|命令
        |ルール|プロンプト)(?:を|は)?[^。！？\n]{0,8}(?:無視|忘れ|破棄)
        """
    ),
    "gives an assistant another role": _joined(
        r"""
        \byou (?:are|'re) (?:now|no longer|from now on)\b<near>\b(?:<ai>|<mode>)(?!\w)|\bdu bist (?:jetzt|nun
        |ab jetzt|ab sofort|fortan|nicht mehr)\b<near>\b(?:<ai>|<mode>)(?!\w)|\b(?:ahora eres
        |a partir de ahora eres|ya no eres)\b<near>\b(?:<ai>|<mode>)(?!\w)|\b(?:tu es|vous êtes) (?:maintenant
        |désormais|dorénavant)\b<near>\b(?:<ai>|<mode>)(?!\w)|(?:你现在是|从现在起你是|从现在开始你是
        |你不再是)[^。！？\n]{0,20}(?:<ai>|限制)|(?:あなたは今から|今からあなたは
        |これからあなたは)[^。！？\n]{0,20}(?:<ai>|ai|制限)|\b(?:enter|activate|enable
        |switch (?:in)?to) (?:developer|debug|god|admin|jailbreak|dan|unrestricted) mode\b|\b(?:new|updated|real
        |true|actual) (?:system )?(?:instructions?|directives?)\s*:
        """
    ),
    "asks for the hidden prompt": _joined(
        r"""
        \b(?:reveal|print|repeat|output|leak|display|show|disclose|expose)\b(?: \w+){0,4} (?:system|hidden|initial
        |secret) (?:prompt|instructions?|message)\b|\b(?:zeig|verrat|gib|wiederhol
        |nenn)\w*\b(?: \w+){0,4} system-?prompt\b|\b(?:muestra|revela|repite|imprime)\w*\b(?: \w+){0,4} (?:prompt
        |instrucciones) (?:del|de) sistema\b|\b(?:montre|révèle|répète|affiche)\w*\b(?: \w+){0,4} (?:prompt
        |instructions?) (?:système|du système)\b|(?:显示|输出|透露|重复)[^。！？\n]{0,8}系统(?:提示|指令)
        |システム(?:プロンプト|指示)を[^。！？\n]{0,8}(?:表示|出力|教え|明かし)
        """
    ),
    "wants something kept from the user": _joined(
        r"""
        \b(?:do not|don't|dont|never|without|must not|mustn't)\b(?: \w+){0,2}? (?:tell|inform|mention|reveal|show
        |alert|notify|warn|let)(?:ing)?\b<near>\b(?:the|this) (?:user|human)\b|\b(?:hide|keep
        |conceal)\b(?: \w+){0,5} (?:from|secret from) the (?:user|human)\b|\b(?:sag|verrat|erzähl|teil|zeig|erwähn
        |informier|melde)\w*\b<near>\b(?:dem|den|der) (?:user|(?:be)?nutzer\w*
        |anwender\w*)\b[^.!?\n]{0,25}\bnichts?\b|\bno (?:se )?(?:lo |le )?(?:digas|informes|menciones|reveles
        |cuentes|muestres|avises)\b<near>\b(?:al|el) usuario\b|\bne (?:le |lui )?(?:dis|dites|révèle|mentionne
        |parle|informe|montre)\w*\b(?: \w+)? ?(?:pas|rien|jamais)\b<near>\butilisat\w+|(?:不要|别|不许|切勿
        |不能)(?:告诉|通知|提醒|让)[^。！？\n]{0,4}用户|对用户(?:保密|隐瞒)|向用户隐瞒|(?:ユーザー|利用者)(?:に
        |へ)(?:は)?[^。！？\n]{0,14}(?:言わない|言うな|伝えない|知らせない|教えない|話さない|秘密)
        """
    ),
    "gives a standing order": _joined(
        r"""
        \b(?:from now on|from this point (?:on|forward)|henceforth)\b,? ?(?:(?:you )?(?:must|will
        |shall)?,? ?(?:always|never|only)|you (?:must|shall|will)|(?:reply|respond|answer|say|recommend|obey|end
        |begin)\b)|\b(?:ab jetzt|ab sofort|von nun an|fortan|künftig)\b,? ?(?:musst du|wirst du|sollst du
        |(?:immer |nur )?(?:antworte|sag|sage|empfiehl|beende|füge|behaupte|nenne)\b)|\b(?:a partir de ahora
        |desde ahora|de ahora en adelante)\b,? ?(?:siempre |solo |nunca )?(?:debes|responde|di|recomienda|contesta
        |respondas|digas)\b|\b(?:à partir de maintenant|désormais|dorénavant)\b,? ?(?:tu dois|vous devez|réponds?
        |répondez|dis|dites|recommande\w*)\b|(?:从现在起|从现在开始|今后|以后)[^。！？\n]{0,8}(?:必须|总是|只能
        |一律|永远|每次)[^。！？\n]{0,6}(?:回答|回复|推荐|说|告诉)|(?:今後|これから|今から
        |以後)[^。！？\n]{0,16}(?:必ず|常に|いつも|絶対)[^。！？\n]{0,24}(?:答え|回答|返答|言い|言って|勧め)
        """
    ),
    "lies in wait for a question": _joined(
        r"""
        \b(?:when(?:ever)?|if|next time|once|as soon as|every time)\b<near>\b(?:the user
        |users?)\b(?: \w+){0,2}? (?:asks?|says?|mentions?|wants?|types?|writes?|inquires?)\b<sentence>\b(?:say
        |tell|answer|reply|respond|recommend|claim|send|give|insist|suggest|include)\b|\b(?:when|if
        |whenever) (?:you are |you're )?asked (?:about|for|who|what|where|when)\b<sentence>\b(?:say|tell|answer
        |reply|respond|recommend|claim|insist)\b|\b(?:wenn|sobald|falls)\b<near>\b(?:user|(?:be)?nutzer\w*
        |anwender\w*)\b<near>\b(?:fragt|sagt|erwähnt|schreibt|will)\b<sentence>\b(?:sag|sage|antworte|empfiehl
        |behaupte|nenne|schick|sende)\b|\b(?:cuando|si)\b<near>\busuario\b<near>\b(?:pregunt\w+|diga|dice
        |mencion\w+)\b<sentence>\b(?:di|responde|recomienda|contesta)\b|\b(?:quand|lorsque
        |si)\b<near>\butilisat\w+<near>\b(?:demande|dit|mentionne)\w*\b<sentence>\b(?:dis|réponds?|recommande)\b
        |(?:当|如果|每当|只要)用户[^。！？\n]{0,12}(?:问|询问|提到|说)[^。！？\n]{0,20}(?:回答|回复|说|告诉|推荐)
        |ユーザーが[^。！？\n]{0,20}(?:聞|尋ね|質問|言っ)[^。！？\n]{0,30}(?:答え|回答|言い|言って|勧め)
        """
    ),
    "gives orders to an AI": _joined(
        r"""
        \b(?:attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)|reminder (?:to
        |for))\b,? (?:the |any |all |this )?(?:reading )?(?:ai|ais|assistants?|chatbots?|llms?|(?:ai
        |language) models?|ai assistants?|ai agents?)\b|(?:^|[.!?:]\s*)(?:the |any |every |this )?(?:ai|assistant
        |chatbot|llm|language model) (?:must|shall|is to|has to|needs to|is (?:required|ordered|instructed) to)\b
        |(?:^|[.!?]\s*)(?:assistant|ai|chatbot|language model)[,:!] ?(?:please )?(?:say|tell|answer|reply|respond
        |ignore|obey|forget|remember|recommend|send|always|never|you must)\b|\b(?:hinweis|anweisung|nachricht
        |achtung)\b,? (?:an |für )?(?:die |den |das |alle )?(?:ki|assistent\w*|sprachmodell\w*)\b|\b(?:die ki
        |der assistent|das sprachmodell) (?:muss|soll|hat zu)\b|\b(?:instrucci\w+|mensaje|nota
        |atención)\b,? (?:para )?(?:el |la )?(?:asistente|ia|modelo)\b|\b(?:el asistente|la ia) (?:debe
        |tiene que)\b|\b(?:instructions?|message|note|attention)\b,? (?:pour |à )?(?:l'assistant|l'ia
        |le modèle)(?!\w)|(?<!\w)(?:l'assistant|l'ia) (?:doit|devra)\b|(?:致|给|告诉)(?:所有|任何)?(?:ai|人工智能
        |助手|语言模型)[^。！？\n]{0,10}(?:指令|指示|必须|注意|:)|(?:ai|アシスタント|言語モデル)(?:へ
        |に)(?:の)?(?:指示|命令|注意)|\byou (?:must|will|have to|are (?:required|ordered) to) (?:obey|comply with
        |follow) (?:these|this|the following|my|all)\b
        """
    ),
    "gives orders about what is remembered": _joined(
        r"""
        \b(?:save|store|write|add|put|commit|record|insert|enter|note|log)\b<near>\b(?:to|in|into) (?:your|the
        |its) (?:long[- ]term |permanent |persistent |core )?memor(?:y|ies)(?! (?:card|stick|lane|of))\b
        |\b(?:forget|erase|delete|wipe|clear|overwrite|override|purge|replace|rewrite)\b(?: \w+){0,3}? (?:your
        |stored|saved|the user's|its|existing)(?: \w+){0,2}? (?:memor(?:y|ies)|notes about)\b
        |\bremember (?:this |that |it )?(?:permanently|forever|for all future|in all future
        |as (?:a |an )?(?:established |verified )?fact)\b|\b(?:update|change|correct
        |replace)\b(?: \w+){0,3} (?:memory|record|profile|notes) (?:of|about) the user\b|\b(?:speicher|merk
        |schreib|vergiss|lösch|überschreib)\w*\b<near>\b(?:dein\w*|gespeicherte\w*
        |langzeit)(?: \w+)? ?(?:gedächtnis\w*|erinnerung\w*|notizen)\b|\b(?:guarda|almacena|borra|olvida
        |sobrescribe|elimina)\w*\b<near>\btus? (?:\w+ )?(?:memorias?|recuerdos)\b|\b(?:enregistre|mémorise|efface
        |supprime|oublie|remplace)\w*\b<near>\b(?:ta|votre|tes|vos) (?:mémoire|souvenirs)\b|(?:删除|清除|清空|覆盖
        |修改|写入|存入|保存到)[^。！？\n]{0,8}(?:你的|长期|用户的?)?记忆|(?:あなたの|長期)?(?:記憶|メモリ)(?:を
        |に)[^。！？\n]{0,10}(?:削除|消去|上書き|書き換え|保存|書き込)
        """
    ),
    "would send data away in a link": _joined(
        r"""
        !\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{0,500}(?:[{<\[$]|%7b|%5b)|!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{0,500}[?&](?:data
        |secrets?|tokens?|password|passwd|pw|memor\w*|notes?|chat|history|convers\w*|prompt|leak|exfil\w*|summary
        |user_?data|info)=|(?<!!)\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{0,500}[?&]\w+=(?:[{<\[$]|%7b|%5b)
        |<img\b[^>\n]{0,200}\bsrc\s*=\s*[\"']?https?://[^>\s]{0,500}[?&]\w+=(?:[{<\[$]|%7b)|\b(?:append|add|insert|encode|send
        |post|upload|forward|include|fetch|open|load|put)\b[^!?\n]{0,80}\b(?:notes|memories|memory|conversations?
        |chat history|passwords?|secrets|what (?:the user|you) \w+|user data
        |personal data)\b[^!?\n]{0,60}(?:https?://|\burl\b|\bwebhook\b)|\b(?:open|fetch|load|visit|call
        |request)\b[^!?\n]{0,20}https?://[^\s]{1,500}[^!?\n]{0,60}\b(?:notes|memories|passwords?|secrets|chat history
        |user data|personal data)\b
        """
    ),
    "calls a tool": _joined(
        r"""
        </?(?:tool_call|function_call|tool_response|tool_code|function_calls|invoke)\b[^>\n]{0,200}>
        |\{\s*\"name\"\s*:\s*\"[\w.-]+\"\s*,\s*\"(?:arguments|parameters|input)\"\s*:|\"(?:tool_calls
        |function_call|tool_use)\"\s*:|\[(?:tool_calls|available_tools|tool_results)\]
        """
    ),
}
"""Kind of sign, in words, and what shows it; over text of one line each, casefolded."""

TOKENS = re.compile(
    r"<\|[a-z0-9_]{2,40}\|>|<\| ?[a-z▁_ ]{3,40} ?\|>|\[/?inst\]|<</?sys>>|</?(?:start|end)_of_turn>|<(?:bos|eos)>"
    r"|\[/?system_prompt\]|<\|?(?:begin|end)_of_(?:text|sentence)\|?>"
)
"""Marks by which chat templates divide what is said from what is meant; of a whole text, casefolded."""
HEADERS = re.compile(
    r"^[ \t>*_#=\[(<{-]*(?:"
    r"system(?: (?:message|prompt|notice|override|update|instructions?|note|command|alert))?[\])>}*_ ]*:"
    r"(?!\s*(?:windows|win\d|mac|linux|ubuntu|debian|fedora|arch|android|ios|cpu|os\b|ram|\d))"
    r"|(?:developer|assistant|tool) (?:message|prompt|override|instructions?)[\])>}*_ ]*:"
    r"|assistant[\])>}*_ ]*:(?=\s*\S)"
    r"|\[(?:system|developer)\]|</?(?:system|developer|assistant|instructions?)(?: [^>\n]{0,200})?>"
    r"|#{2,4} ?(?:system|instructions?|response|assistant|human)\b ?(?:prompt|message)?:?[ \t]*$"
    r"|(?:begin|end|start) (?:of )?(?:system|hidden|admin) (?:prompt|message|instructions?)\b"
    r"|(?:end of|ende der) (?:user (?:message|input)|notes|memories|context|notizen|erinnerungen)\b"
    r"|(?:系统|システム)(?:消息|提示|指令|メッセージ|通知)?\s*:"
    r")",
    re.MULTILINE,
)
"""A line that begins as a message of somebody else than who wrote it."""
