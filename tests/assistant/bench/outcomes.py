"""Outcomes with what a test needs, and the rest as usual."""

from dataclasses import replace

from assistant.bench.outcomes import Outcome

PLAIN = Outcome(
    variant="associative",
    sample="talk",
    home="talk",
    number=0,
    category="4",
    answerable=True,
    ranks=(1,),
    session_ranks=(1,),
    corrected_ranks=(1,),
    corrected_session_ranks=(1,),
    nearest=0.6,
    fired=None,
    probability=None,
    verdict=None,
    signals={},
    milliseconds=5.0,
)


def outcome(**given: object) -> Outcome:
    """Give an outcome in which only this is not as usual."""
    return replace(PLAIN, **given)  # type: ignore[arg-type]  # the fields of an outcome


def judged(*probabilities: float, **given: object) -> list[Outcome]:
    """Give outcomes with these probabilities."""
    return [outcome(number=number, probability=one, **given) for number, one in enumerate(probabilities)]
