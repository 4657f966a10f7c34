import pytest

from assistant.memory.evidence import asks_of_the_past, asks_the_memory


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "What is my name?",
        "when did i last see Ida?",
        "Which instrument does my daughter play?",
        "Who's my dentist?",
        "How old is my son?",
        "Do you remember where I parked?",
        "Wie heißt meine Tochter?",
        "Wo wohne ich?",
        "Wann habe ich Geburtstag?",
    ],
)
def test_a_fact_of_the_users_life_is_asked_of_the_memory(text: str) -> None:
    assert asks_the_memory(text)


@pytest.mark.parametrize("text", ["What did Lena research?", "Does Lena have a dog?", "Wann war Lena in Rom?"])
def test_a_fact_of_anothers_life_is_asked_of_the_memory_that_knows_them(text: str) -> None:
    assert asks_the_memory(text, others=True)
    assert not asks_the_memory(text)


def test_help_with_something_about_somebody_is_for_the_model() -> None:
    assert not asks_the_memory("Can you write a letter to Lena?", others=True)
    assert not asks_the_memory("Should Lena buy a boat?", others=True)


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "Can you help me write a letter?",
        "How do I sort a list in Python?",
        "What should I cook tonight?",
        "What do I need for a visa?",
        "What is wrong with my code?",
        "I moved to Porto yesterday.",
        "My name is Kai, who are you?",
        "Was soll ich kochen?",
        "Is my essay good?",
    ],
)
def test_other_messages_are_for_the_model(text: str) -> None:
    assert not asks_the_memory(text)


@pytest.mark.parametrize("text", ["Where did I live before?", "Since when have I lived here?", "Wo war meine Wohnung?"])
def test_a_question_about_the_past_is_told_from_one_about_now(text: str) -> None:
    assert asks_of_the_past(text)
    assert not asks_of_the_past("Where do I live?")
    assert not asks_of_the_past("Wo wohne ich?")
