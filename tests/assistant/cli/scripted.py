"""The command with a scripted model, as a process: `python -m tests.assistant.cli.scripted ASSISTANT ARGUMENTS`.

The answer and the seconds between its words come from two variables.
"""

import os
import sys
from collections.abc import Callable

from assistant.bootstrap import Assistant
from assistant.cli import main
from assistant.config import Config
from assistant.language.model import LanguageModel
from assistant.memory.associative import AssociativeMemory
from assistant.paths import Paths
from storage.keys import Secret
from storage.vault import Vault
from tests.doubles import HashEncoder, ScriptedModel

ANSWER, DELAY = "TEST_ANSWER", "TEST_DELAY"


def scripted(model: LanguageModel) -> Callable[[Config, Paths, Secret], Assistant]:
    """Give what unlocks a vault into an assistant with this model and without a neural network."""

    def unlock(config: Config, paths: Paths, secret: Secret) -> Assistant:
        vault = Vault.open(paths.data, secret)
        return Assistant(
            config=config, paths=paths, vault=vault, memory=AssociativeMemory(vault, HashEncoder()), model=model
        )

    return unlock


if __name__ == "__main__":
    model = ScriptedModel([os.environ.get(ANSWER, "Yes.")] * 9, delay=float(os.environ.get(DELAY, "0")))
    sys.exit(main(sys.argv[1:], unlock=scripted(model)))
