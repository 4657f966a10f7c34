"""What can go wrong above the vault. Each message says what happened and what to do."""


class AssistantError(Exception):
    """Anything this program refuses or fails at, other than in the vault."""


class BadInput(AssistantError):
    """An argument, a file or a text that cannot be used as it is."""


class BadConfig(BadInput):
    """The configuration file holds something that cannot be used."""


class NoTerminal(AssistantError):
    """A screen was asked for where there is none."""


class ModelMissing(AssistantError):
    """The language model is not on this machine."""


class ModelNotLoadable(AssistantError):
    """The model's file is there but cannot be used."""


class ModelFailed(AssistantError):
    """The model process died or failed during a request. The next request starts a new one."""


class AgentFailed(AssistantError):
    """The process that holds keys cannot be started, does not answer, or is not to be trusted."""


class KeyringFailed(AssistantError):
    """The system's keyring cannot be used, or does not hold what it should."""
