"""Which models a workflow is set up with: said by a flag, preset in the settings, or asked at the gate `model`."""

from onbook.models.resolver import NoModel, UnknownModel
from onbook.outcome import UsageError
from onbook.session.live import Live
from onbook.workflow.gates import gate_question
from onbook.workflow.options import WorkflowOptions
from onbook.workflow.setup.models import PRESETS, Casting, models_of, plays_active, with_verifier
from onbook.workflow.state.state import ModelConfig
from onbook.workflow.work import Work

RETRIES = 3
"""Seed 4: so often somebody may name a model that does not exist; then it is `balanced`."""


async def check_given_models(live: Live, options: WorkflowOptions) -> None:
    """UsageError, before anything is begun, for a model that nothing answers to, with the flag that names it; NoModel
    where nobody at all would do the work."""
    answers = [("--answer model", choice) for gate, choice in options.answers if gate == "model"]
    for flag, words in (("--model-config", options.models), *answers):
        if words is not None:
            await _check(live, flag, models_of(words))
    if options.verifier_model is not None:
        await _check(live, "--verifier-model", ModelConfig(verifier=options.verifier_model))
    await _check_somebody_answers(live, answers[-1][1] if answers else options.models or live.settings.workflow.model)


async def _check_somebody_answers(live: Live, known: str | None) -> None:
    """What the active model plays needs one. As long as the models are not `known`, somebody may name a route at the
    gate; a program of the settings needs no model at all."""
    if live.settings.workflow.agents:
        return
    try:
        await live.choice.check()
    except NoModel as error:
        if not error.routes or (known is not None and plays_active(models_of(known), live.settings)):
            raise


async def chosen_models(work: Work, options: WorkflowOptions) -> ModelConfig:
    """The models, the verifier's among them."""
    verifier = options.verifier_model or work.state.cli_flags.verifier_model
    return with_verifier(await _chosen(work, options), verifier)


async def _chosen(work: Work, options: WorkflowOptions) -> ModelConfig:
    if work.state.model_config is not None:
        return work.state.model_config
    preset = work.live.settings.workflow.model
    if preset is not None and not options.answers_gate("model"):
        return await _preset(work, preset)
    question = gate_question(work.words, "model")
    for _ in range(1 + RETRIES):
        answer = await work.gates.ask(question)
        try:
            models = models_of(answer.choice)
            await _check(work.live, question.header, models)
        except UsageError as error:
            work.say(str(error), "warning")
        else:
            return models
    return PRESETS["balanced"]


async def _preset(work: Work, words: str) -> ModelConfig:
    try:
        models = models_of(words)
    except UsageError as error:
        raise UsageError(f"onbook.toml: workflow.model: {error}") from None
    await _check(work.live, "onbook.toml: workflow.model", models)
    return models


async def _check(live: Live, where: str, models: ModelConfig) -> None:
    try:
        await Casting(live).check(models)
    except UnknownModel as error:
        raise UsageError(f"{where}: {error}") from None
