"""Chats in scripts without spaces: those of the MemoryBank data set, where it lies beside the repository, and Japanese.

The encoder reads English; what is found here is found by words, neighbours and persons.
"""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from assistant.importers.imported import ImportedTurn
from assistant.importers.run import import_turns
from assistant.language.encoder import make_encoder
from assistant.memory.associative import AssociativeMemory
from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.assistant.memory.told import Line, talk
from tests.conftest import PASSPHRASE

FILE = Path(__file__).parents[3] / ".." / "shared" / "data" / "memorybank" / "memory_bank_cn.json"
NEAR_THE_TOP = 5

QUESTIONS = {
    "张曼婷": (("我在绿禾公园看到了什么？", "04-28"), ("我是怎么做鲈鱼的？", "04-29")),
    "王峰": (("《活着》这本书怎么样？", "05-06"), ("我喜欢听爵士乐吗？", "05-05")),
    "李雪": (("我看了周杰伦的什么？", "04-29"), ("我喜欢粤菜吗？", "04-30")),
    "孙悦": (("我什么时候去了云台山？", "04-27"), ("我学做面食学得怎么样？", "05-02")),
    "周立": (("我计划去新西兰做什么？", "04-28"), ("我什么时候说过喜欢寿司？", "04-29")),
    "刘琳": (("我想去巴塞罗那吗？", "05-04"), ("我的连衣裙是什么颜色？", "05-02")),
    "张志强": (("我什么时候看了《银河补习班》？", "04-28"), ("我学会街舞了吗？", "05-03")),
    "宫晓燕": (("《当幸福来敲门》讲的是什么？", "05-06"), ("我做的糖醋鱼好吃吗？", "04-28")),
    "郝明": (("我想做糖醋排骨吗？", "04-28"), ("我在哪里看到了很多人放风筝？", "04-29")),
    "姚国栋": (("我看过《神秘博士》吗？", "05-03"), ("我什么时候学了毛血旺？", "04-28")),
    "曹志强": (("我看了《海边的曼彻斯特》吗？", "05-03"), ("我什么时候参加了音乐会？", "05-05")),
    "陈阳": (("我在哪里淘CD？", "04-27"), ("办公室里有空调吗？", "05-05")),
    "郑思雨": (("我什么时候去了西藏？", "04-30"), ("我做的土豆炖牛肉怎么样？", "04-27")),
    "陆琳": (("《摔跤吧！爸爸》讲的是什么？", "04-28"), ("我想写一篇什么样的散文？", "04-27")),
    "焦彦": (("我喜欢肖邦吗？", "04-27"), ("我去了什么古城？", "04-30")),
}
"""Of each user a question with a name and one with a rare word, and the day on which the user said it."""


def chats(path: Path) -> Iterator[ImportedTurn]:
    """Give the turns of all users, a conversation each; the data set tells the day, the minutes are made up."""
    for user, told in json.loads(path.read_text(encoding="utf-8")).items():
        for day, exchanges in told["history"].items():
            begin = datetime.fromisoformat(f"{day}T09:00:00+08:00")
            for number, exchange in enumerate(exchanges):
                for key, role, speaker in (("query", Role.USER, user), ("response", Role.ASSISTANT, "AI伴侣")):
                    said = Utterance(
                        role=role,
                        speaker=speaker,
                        text=exchange[key],
                        time=begin + timedelta(minutes=2 * number + (role is Role.ASSISTANT)),
                        source=Source.IMPORTED,
                        origin=f"memorybank:{path.name}",
                        external_id=f"{day} {number} {key}",
                    )
                    yield ImportedTurn(conversation=user, title=user, utterance=said)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AssociativeMemory]:
    """The chats of all fifteen users in one vault, where each is asked about among all others."""
    if not FILE.exists():
        pytest.skip("the MemoryBank data set is not beside the repository")
    vault = Vault.create(tmp_path_factory.mktemp("memorybank") / "vault", PASSPHRASE, cost=FLOOR_COST)
    memory = AssociativeMemory(vault, make_encoder("minilm"))
    import_turns(memory, chats(FILE), source_name="memorybank")
    yield memory
    vault.close()


def finds(memory: AssociativeMemory, question: str, *, user: str, day: date) -> bool:
    """Whether a turn of this user from this day is among the first."""
    hits = memory.recall(question, k=NEAR_THE_TOP).hits
    return any((hit.turn.speaker, hit.turn.time.date()) == (user, day) for hit in hits)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_chat_is_imported_and_knows_its_user(many: AssociativeMemory) -> None:
    assert many.vault.turns.count() == 1132
    conversations = many.vault.conversations.listing()
    assert {conversation.title for conversation in conversations} == set(QUESTIONS)
    assert import_turns(many, chats(FILE), source_name="memorybank").added == 0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), [(0, 14), (1, 15)], ids=["name", "rare word"])
def test_chinese_is_found_by_names_and_by_rare_words(many: AssociativeMemory, kind: int, least: int) -> None:
    found = []
    for user, asked in QUESTIONS.items():
        question, day = asked[kind]
        if finds(many, question, user=user, day=date.fromisoformat(f"2023-{day}")):
            found.append(user)
    assert len(found) >= least, sorted(set(QUESTIONS) - set(found))


@pytest.mark.slow
def test_a_chinese_name_in_a_question_brings_back_what_its_bearer_said(many: AssociativeMemory) -> None:
    for user in QUESTIONS:
        speakers = [hit.turn.speaker for hit in many.recall(f"{user}喜欢做什么？", k=NEAR_THE_TOP).hits]
        assert speakers.count(user) > NEAR_THE_TOP / 2, user


JAPANESE: list[Line] = [
    ("美咲", "先週、京都の金閣寺に行ってきました。"),
    ("健太", "いいですね。天気はどうでしたか?"),
    ("美咲", "ずっと雨でしたが、庭がとてもきれいでした。"),
    ("健太", "週末に自転車を修理しないといけません。"),
    ("美咲", "妹の名前はひなたです。"),
    ("健太", "ぼくは毎朝コーヒーを飲みます。"),
    ("美咲", "猫アレルギーなので、猫は飼えません。"),
    ("健太", "来月から札幌で働くことになりました。"),
    ("美咲", "おめでとうございます!引っ越しは大変ですね。"),
    ("健太", "ありがとうございます。新しい会社はタナカ電機です。"),
    ("美咲", "私はピアノを習い始めました。"),
    ("健太", "誰に教わっているんですか?"),
    ("美咲", "オカモト先生です。とても優しいです。"),
    ("健太", "昨日の夕飯はカレーでした。"),
    ("美咲", "わたしはオムライスを作りました。"),
    ("健太", "父の誕生日に腕時計を贈りました。"),
    ("美咲", "母は盆栽が趣味です。"),
    ("健太", "この前、富士山に登りました。"),
    ("美咲", "頂上まで行けましたか?"),
    ("健太", "はい、でも足が痛くなりました。"),
    ("美咲", "図書館で村上春樹の小説を借りました。"),
    ("健太", "おもしろかったですか?"),
    ("美咲", "まだ半分しか読んでいません。"),
    ("健太", "ラーメン屋のゲンキ亭が閉店しました。"),
    ("美咲", "残念ですね。好きだったのに。"),
    ("健太", "歯医者の予約は金曜日の三時です。"),
    ("美咲", "忘れないようにしてくださいね。"),
    ("健太", "合鍵は植木鉢の下にあります。"),
    ("美咲", "スペイン語の試験に合格しました。"),
    ("健太", "すごい!お祝いしましょう。"),
]


@pytest.fixture
def japanese(vault: Vault) -> AssociativeMemory:
    """Two people talk of this and that, in kana and kanji."""
    memory = AssociativeMemory(vault, make_encoder("minilm"))
    talk(memory, JAPANESE)
    return memory


def test_japanese_is_found_by_names_and_by_rare_words(japanese: AssociativeMemory) -> None:
    asked = {
        "金閣寺に行ったのはいつですか?": 0,
        "妹のひなたは誰ですか?": 4,
        "タナカ電機はどこの会社?": 9,
        "オカモト先生はどんな人?": 12,
        "村上春樹の本は借りた?": 20,
        "ゲンキ亭はどうなった?": 23,
        "札幌で何をする?": 7,
        "富士山には登った?": 17,
        "アレルギーは何?": 6,
        "腕時計は誰に贈った?": 15,
        "盆栽が好きなのは誰?": 16,
        "歯医者の予約はいつ?": 25,
        "植木鉢の下には何がある?": 27,
        "ｽﾍﾟｲﾝ語の試験はどうだった?": 28,
        "オムライスを作ったのは?": 14,
    }
    first = {question: japanese.recall(question, k=1).hits[0].turn.text for question in asked}
    assert first == {question: JAPANESE[number][1] for question, number in asked.items()}


def test_a_japanese_name_puts_what_its_bearer_said_first(japanese: AssociativeMemory) -> None:
    for name in ("美咲", "健太"):
        speakers = {hit.turn.speaker for hit in japanese.recall(f"{name}さんは何を作りましたか?", k=3).hits}
        assert speakers == {name}
