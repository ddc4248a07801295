"""What a flow is made of: five kinds of steps, nested to any depth, and the actors that do the work in them."""

from typing import Literal

import msgspec

SECONDS = 30.0
"""How long a script may take when nobody says otherwise (seed 5)."""


class Script(msgspec.Struct, frozen=True, tag="script"):
    """A program: what it reads is its standard input, what it writes to standard output is the result."""

    argv: tuple[str, ...]
    """Program and arguments; with `shell`, the first is a line for /bin/sh."""
    shell: bool = False
    timeout: float = SECONDS
    env: tuple[str, ...] = ()
    """Variables that it gets although they may hold keys."""


class Prompt(msgspec.Struct, frozen=True, tag="prompt"):
    """A file with a prompt, sent to a model together with the input."""

    file: str
    model: str | None = None
    confidence: str | None = None
    """How sure the model must be of its answer, as `85%`; None where nobody asks."""
    temperature: float | None = None
    timeout: float | None = None
    with_history: bool = False
    """Whether the model is reminded of the conversation so far."""
    variables: tuple[tuple[str, str], ...] = ()
    """What stands in the place of `{{name}}` in the file, for each name."""


ActorDefinition = Script | Prompt


class Once(msgspec.Struct, frozen=True, tag="once"):
    """One actor, once."""

    name: str
    actor: ActorDefinition


class Loop(msgspec.Struct, frozen=True, tag="loop"):
    """The substeps again and again, each round with the output of the one before."""

    name: str
    until: str
    """The pattern in a round's output that ends it."""
    substeps: "tuple[Step, ...]"
    most: int = 10
    on_exhausted: Literal["pass", "error"] = "pass"


class Foreach(msgspec.Struct, frozen=True, tag="foreach"):
    """The substeps once for each item of the input."""

    name: str
    items: str
    """The pattern that finds an item: group 1, else the whole match."""
    substeps: "tuple[Step, ...]"
    parallel: int = 1
    join: str = "\n\n"
    on_empty: Literal["pass", "error"] = "pass"


class Conditional(msgspec.Struct, frozen=True, tag="conditional"):
    """An actor that classifies the input, and one of two branches."""

    name: str
    actor: ActorDefinition
    pattern: str
    """What the actor's output must have for the first branch."""
    on_match: "tuple[Step, ...]" = ()
    on_no_match: "tuple[Step, ...]" = ()
    branch_input: Literal["classifier", "original"] = "classifier"


class Parallel(msgspec.Struct, frozen=True, tag="parallel"):
    """Every substep at the same time, all with the same input; their outputs joined, or handed to the aggregator."""

    name: str
    substeps: "tuple[Step, ...]"
    join: str = "\n\n"
    aggregator: "Step | None" = None
    """What is given the joined outputs, and gives the step's own."""


Step = Once | Loop | Foreach | Conditional | Parallel


class Flow(msgspec.Struct, frozen=True):
    """A pipeline of scripts, a workflow or a pipeline of prompts: the steps, one after the other."""

    name: str
    kind: Literal["pipeline", "workflow", "prompts"]
    steps: tuple[Step, ...]
    allow_empty: bool = False
    """Whether the last output may be empty."""
