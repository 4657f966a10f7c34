"""Words that an option takes, for completion; what needs a heavy import for that is imported when it is asked."""

from storage.records import Category


def engine_names() -> list[str]:
    """Give the ways of recalling."""
    from assistant.memory.engines import NAMES  # with numpy and scipy, half a second

    return list(NAMES)


def concept_kinds() -> list[str]:
    """Give the kinds of concepts."""
    return [kind.value for kind in Category]


def model_names() -> list[str]:
    """Give the models that come as packages."""
    from assistant.language.catalogue import PACKAGE_MODELS

    return [model.name for model in PACKAGE_MODELS]
