"""Which model plays which role: presets, the words of a person, and the way from an alias to a model that answers."""

from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError
from onbook.policy.effects import one_line
from onbook.workflow.state.state import ModelConfig

if TYPE_CHECKING:  # heavy, and the options of the command line need none of them
    from onbook.config.settings import Settings
    from onbook.models.resolver import Resolved
    from onbook.session.live import Live

Role = Literal["executor", "advisor", "evaluator"]
ALIASES = ("opus", "sonnet", "haiku")
"""Sizes of a model, largest first. What they stand for is in the settings: `[workflow.models]`."""
VERIFIER = "haiku"
CUSTOM = "custom"
"""The name of a choice that is no preset."""

PRESETS: dict[str, ModelConfig] = {
    "default": ModelConfig("default"),
    "all-opus": ModelConfig("all-opus", "opus", "opus", "opus"),
    "balanced": ModelConfig("balanced", "sonnet", "opus", "opus"),
    "economy": ModelConfig("economy", "haiku", "sonnet", "sonnet"),
}
"""Seed 4, "Model Selection"; None inherits the active model."""

_COSTLY = ("sonnet", "opus")
_SCANNER_OF_ECONOMY = "haiku"
_PROPOSER = "opus"


def check_model_words(text: str) -> str:
    """The text, if it names a preset or has the form `executor:…,advisor:…,evaluator:…`; UsageError otherwise."""
    models_of(text)
    return text.strip()


def models_of(text: str) -> ModelConfig:
    """The models that the text asks for; roles that it leaves out are those of `balanced`."""
    words = text.strip()
    if words in PRESETS:
        return PRESETS[words]
    if ":" not in words:
        presets = ", ".join(PRESETS)
        hint = did_you_mean(words, PRESETS) or f"; presets are {presets}, or write {_FORM}"
        raise UsageError(f"there is no preset {one_line(words, 40) or 'without a name'}{hint}")
    named: dict[str, str] = {}
    for part in words.split(","):
        role, name = _role_and_name(part)
        if role in named:
            raise UsageError(f"{role} is named twice; write {_FORM}")
        named[role] = name
    return msgspec.structs.replace(PRESETS["balanced"], preset=CUSTOM, **named)


def with_verifier(config: ModelConfig, wanted: str | None) -> ModelConfig:
    """The flag wins; the presets all say the smallest."""
    return msgspec.structs.replace(config, verifier=wanted or VERIFIER)


def costly_verifier(config: ModelConfig) -> bool:
    """Whether the seed's warning is due."""
    return config.verifier in _COSTLY


def model_for(config: ModelConfig, role: str) -> str | None:
    """The name in the configuration for a role of the table of personas; None is the active model."""
    if role == "scanner":
        return _SCANNER_OF_ECONOMY if config.preset == "economy" else config.advisor
    if role == "proposer":
        return config.advisor or _PROPOSER
    name: str | None = getattr(config, role)
    return name


class Casting:
    """Finds the model behind each name, and says once for each alias that nothing is set for it."""

    def __init__(self, live: "Live") -> None:
        self._live = live
        self._said: set[str] = set()

    async def model_of(self, config: ModelConfig, role: str) -> "Resolved":
        """The model that plays a role of the table of personas."""
        return await self.named(model_for(config, role))

    async def named(self, name: str | None) -> "Resolved":
        """The model behind an alias, a route or a model's name; None is the active one."""
        if name is None:
            return await self._live.choice.current()
        wanted = behind(name, self._live.settings)
        if wanted is not None:
            return await self._live.choice.named(wanted)
        current = await self._live.choice.current()
        if name not in self._said:
            self._said.add(name)
            self._live.note(
                f"{name}: no model is set for it, so {current.name} serves; "
                f'set one with [workflow.models] {name} = "…" in onbook.toml'
            )
        return current

    async def check(self, config: ModelConfig) -> None:
        """UsageError for the first name that nothing answers to. Aliases are looked up too, where they are set."""
        for name in filter(None, (config.executor, config.advisor, config.evaluator, config.verifier)):
            wanted = behind(name, self._live.settings)
            if wanted is not None:
                await self._live.choice.named(wanted)


def behind(name: str, settings: "Settings") -> str | None:
    """The route or model that a name stands for; None for an alias for which nothing is set."""
    if name not in ALIASES:
        return name
    own = settings.workflow.models.get(name)
    return own or (name if settings.route(name) is not None else None)


def plays_active(config: ModelConfig, settings: "Settings") -> bool:
    """Whether the active model has a part in it."""
    names = (config.executor, config.advisor, config.evaluator)
    return any(name is None or behind(name, settings) is None for name in names)


_FORM = "executor:MODEL,advisor:MODEL,evaluator:MODEL"


def _role_and_name(part: str) -> tuple[str, str]:
    role, colon, name = (piece.strip() for piece in part.partition(":"))
    if role not in get_args(Role):
        hint = did_you_mean(role, get_args(Role)) or f"; write {_FORM}"
        raise UsageError(f"there is no role {one_line(role, 40) or 'without a name'}{hint}")
    if not colon or not name or not name.isprintable():
        raise UsageError(f"{role} needs the name of a model; write {_FORM}")
    return role, name
