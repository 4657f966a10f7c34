"""The screens. Begin with `app`, then `screens.chat`; what can be done stands in `commands`."""
