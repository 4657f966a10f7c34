"""The command with a scripted model, as a process: `python -m tests.assistant.cli.scripted ASSISTANT ARGUMENTS`.

The answer and the seconds between its words come from two variables.
"""

import os
import sys

from assistant.cli import main
from tests.assistant.cli.support import scripted
from tests.doubles import ScriptedModel

ANSWER, DELAY = "TEST_ANSWER", "TEST_DELAY"

if __name__ == "__main__":
    model = ScriptedModel([os.environ.get(ANSWER, "Yes.")] * 9, delay=float(os.environ.get(DELAY, "0")))
    sys.exit(main(sys.argv[1:], unlock=scripted(model)))
