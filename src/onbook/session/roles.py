"""The role a model plays: what it is told, which model plays it, how freely, and with which tools."""

from collections.abc import Mapping
from typing import Any

from onbook.config.role_settings import Role
from onbook.models.resolver import Resolved
from onbook.session.turn import Chat

SECTION = "Role"
"""Its heading in the system prompt."""


class Part:
    """The role that is played at the moment, and what it took the place of."""

    def __init__(self) -> None:
        self.role: Role | None = None
        self.fresh = False
        """Whether somebody has just taken it: the next message is a first one, whatever was said before."""
        self.had_task = False
        """Whether a message was taken as a task: nothing of it is in the history, but the next one is no first one."""
        self._options: Mapping[str, Any] | None = None
        self._model: Resolved | None = None
        self._instead_of: Resolved | None = None

    async def take(self, role: Role | None, chat: Chat) -> None:
        """Play another role, or none. Where its model cannot be found, everything stays as it is."""
        model = await chat.choice.named(role.model) if role and role.model else None
        self._go_back(chat)
        self.begin(role, chat)
        self.fresh = role is not None
        self.had_task = False
        if model is not None:
            self._instead_of, self._model = chat.choice.chosen, chat.choice.become(model)

    def begin(self, role: Role | None, chat: Chat) -> None:
        """Everything about a role but its model, which at the start of a session is chosen with the others."""
        if self._options is None:
            self._options = chat.options
        self.role = role
        given = {"temperature": role.temperature, "top_p": role.top_p} if role else {}
        chat.options = {**self._options, **{name: value for name, value in given.items() if value is not None}}
        chat.conversation.sections.pop(SECTION, None)
        if role and role.system:
            chat.conversation.sections[SECTION] = role.system
        chat.toolbox.of_role = frozenset(role.tools) if role and role.tools is not None else None

    def _go_back(self, chat: Chat) -> None:
        """To the model from before the role, unless somebody chose another since."""
        if self._instead_of is not None and chat.choice.chosen is self._model:
            chat.choice.become(self._instead_of)
        self._model = self._instead_of = None
