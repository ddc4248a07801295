"""What counts as a confidence block, and what is left of the reply without it."""

import time

import pytest

from onbook.confidence.blocks import Said, read_blocks
from onbook.confidence.instruction import INSTRUCTION, with_instruction
from onbook.events import Reading

BLOCK = '{"confidence": 0.91, "reason": "checked twice"}'
SURE = Reading(0.91, "block", "checked twice")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (f"Done.\n{BLOCK}", "Done."),
        (f"Done.\n\n{BLOCK}\n\n", "Done."),
        (f"Done. {BLOCK}", "Done."),
        (f"Done.{BLOCK}", "Done."),
        (f"Done.\n\n---\n{BLOCK}", "Done."),
        (f"Done.\n***\n\n{BLOCK}", "Done."),
        (f"Done.\n```json\n{BLOCK}\n```", "Done."),
        (f"Done.\n```json\n{BLOCK}\n```\n\nBye.", "Done.\n\nBye."),
        (f"Done.\n```\n{BLOCK}", "Done."),
        (f"Done.\n---\n~~~json\n{BLOCK}\n~~~\n", "Done."),
        (f"Done.\r\n---\r\n{BLOCK}\r\n", "Done."),
        ('Done.\n{\n  "confidence": 0.91,\n  "reason": "checked twice"\n}\n', "Done."),
        ('Done.\n{"reason": "checked twice", "confidence": "0.91"}', "Done."),
        (f"{BLOCK}\nDone.\nBye.", "Done.\nBye."),
        (f"Done.\n\n{BLOCK}\nBye.\n", "Done.\n\nBye.\n"),
        (f"Done.\n{BLOCK} Bye.", "Done.\nBye."),
        (f"Done.\n    {BLOCK}\n  Bye.", "Done.\n  Bye."),
        (f'Done.\n{{"confidence": 0.2}}\n{BLOCK}', "Done."),
        (f'Done.\n{{"confidence": 0.2}}\nOr so.\n---\n{BLOCK}', "Done.\nOr so."),
        (f'```json\n{{"confidence": 0.2}}\n{BLOCK}\n```', ""),
        (f"```sh\nls\n```\n{BLOCK}", "```sh\nls\n```"),
        (f"```sh\nls\n{BLOCK}\n```", "```sh\nls\n```"),
        (f"```json\n{BLOCK}\nls\n```", "```json\nls\n```"),
        (f"```sh\nls\n```json\n{BLOCK}\n```", "```sh\nls"),
        (f'{{"confidence": 0.5, "reason": "cut\n{BLOCK}', '{"confidence": 0.5, "reason": "cut'),
        (f'Use {{"a": 1}} so.\n{BLOCK}', 'Use {"a": 1} so.'),
        (BLOCK, ""),
    ],
)
def test_a_block_gives_its_score_and_goes(reply: str, text: str) -> None:
    assert read_blocks(reply) == Said(text, SURE)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Done.\n",
        f"Done.\n{BLOCK}\none\ntwo\nthree",
        f"{BLOCK}\none\n\ntwo\n\n---\n",
        f'{BLOCK}\n{{"a": 1}}',
        f"Write {BLOCK} at the end.",
        f"Write `{BLOCK}` at the end, or `{BLOCK}`",
        'Done.\n{"a": 1}',
        'Done.\n{"a": {"confidence": 0.9}}',
        'Done.\n[{"confidence": 0.9}]',
        'Done.\n{"confidence": true}',
        'Done.\n{"confidence": null}',
        'Done.\n{"confidence": "high"}',
        'Done.\n{"confidence": NaN}',
        'Done.\n{"confidence": Infinity}',
        'Done.\n{"confidence": 1.01}',
        'Done.\n{"confidence": -0.1}',
        'Done.\n{"confidence": 85}',
        'Done.\n{"confidence": 1e999}',
        "Done.\n{'confidence': 0.9}",
        'Done.\n{"confidence": 0.9, "reason": "cut',
        'Done.\n{"reason": "no score"}',
        f"Done.\n{INSTRUCTION}",
    ],
)
def test_everything_else_is_content(reply: str) -> None:
    assert read_blocks(reply) == Said(reply, None)


@pytest.mark.parametrize("end", ["", "\n", "\n```\none\ntwo", " \none\n\ntwo\n"])
def test_an_object_with_other_keys_gives_its_score_and_stays(end: str) -> None:
    reply = f'```json\n{{"answer": [1, 2], "confidence": 0.6}}{end}'
    assert read_blocks(reply) == Said(reply, Reading(0.6, "block"))


def test_an_object_with_other_keys_may_be_long() -> None:
    reply = '{"answer": "' + "x" * 50_000 + '", "confidence": 0.6}'
    assert read_blocks(reply) == Said(reply, Reading(0.6, "block"))


def test_a_key_in_escapes_is_another_key() -> None:
    reply = '{"rea\\u0073on": "x", "confidence": 0.3}'
    assert read_blocks(reply).text == reply


def test_a_block_too_long_to_be_held_back_stays_too() -> None:
    reply = 'Done.\n{"confidence": 0.9, "reason": "' + "x" * 8_000 + '"}'
    assert read_blocks(reply) == Said(reply, Reading(0.9, "block", "x" * 499 + "…"))


def test_an_object_with_other_keys_in_the_middle_gives_no_score() -> None:
    assert read_blocks('{"answer": 1, "confidence": 0.6}\none\ntwo\nthree').reading is None


def test_a_reason_is_one_line_that_any_file_can_hold() -> None:
    said = read_blocks('{"confidence": 1, "reason": " a\\u001b[2J\\n b \\ud83d "}')
    assert said.reading == Reading(1.0, "block", "a [2J b")


@pytest.mark.parametrize("part", ["{", '{"a":', '{"confidence":', "```\n", " ", '{"confidence": 0.9}\n', '{"a": "'])
def test_a_long_reply_takes_time_in_proportion(part: str) -> None:
    """A hundred kilobytes in a fraction of a second on a quiet machine; minutes if it were quadratic."""
    begin = time.process_time()
    read_blocks(part * (100_000 // len(part)))
    assert time.process_time() - begin < 8


def test_the_instruction_stands_apart_from_the_text_so_that_its_rule_makes_no_heading() -> None:
    assert with_instruction("Say hello.") == (
        "Say hello.\n\n---\nAfter your response, append the following JSON block on its own line.\n"
        'Do not include any text after the block.\n{"confidence": 0.0-1.0, "reason": "one-line rationale"}'
    )
