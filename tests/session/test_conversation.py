"""What a conversation remembers, and how it is told again to whoever reads it next."""

from onbook.models.messages import Message, ToolCall
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation, spoken
from onbook.session.instructions import Instruction
from onbook.session.retelling import without_tools
from onbook.transcript.turns import ToolUse, Turn

READ = ToolUse('read_file({"path": "a"})', "line one")


def turn(outcome: Outcome, reply: str = "", *tools: ToolUse) -> Turn:
    return Turn(
        "Go", reply, "Harvey", "m", remote=False, time="2026-05-20 14:30:00", outcome=outcome.value, tools=tools
    )


def test_sections_stand_below_the_instruction() -> None:
    conversation = Conversation(Instruction("Be brief.", "AGENTS.md"))
    conversation.sections |= {"memory": "It rains.", "skills": " "}
    assert conversation.system == "Be brief.\n\n## memory\n\nIt rains."
    assert conversation.messages_for(Prompt("hi"))[0] == Message("system", "Be brief.\n\n## memory\n\nIt rains.")


def test_without_anything_to_say_there_is_no_system_prompt() -> None:
    assert [message.role for message in Conversation().messages_for(Prompt("hi"))] == ["user"]


def test_a_history_can_be_cleared_and_replaced() -> None:
    conversation = Conversation(turns=[("one", "1"), ("two", "2")])
    assert len(conversation.turns) == 2
    conversation.replace_history((Message("user", "Sum up"), Message("assistant", "Two questions.")))
    assert [message.text for message in conversation.history] == ["Sum up", "Two questions."]
    conversation.clear()
    assert conversation.history == ()


def test_a_continued_session_remembers_what_was_answered_or_done() -> None:
    turns = [
        turn(Outcome.PASSED, "Fine.", READ),
        turn(Outcome.CANCELLED, "Half an"),
        turn(Outcome.CANCELLED, "Well,", READ, ToolUse("git({})")),
        turn(Outcome.BUDGET_SPENT, "Half an"),
        turn(Outcome.BUDGET_SPENT),
        turn(Outcome.MODEL_FAILED),
    ]
    assert [reply for _, reply in spoken(turns)] == [
        "Fine.",
        '[used read_file({"path": "a"}), which gave back]\nline one\n\nWell,\n\n[stopped here: cancelled]',
        "Half an\n\n[stopped here: budget spent]",
    ]


def test_messages_without_tools_are_told_as_they_are() -> None:
    messages = (Message("user", "a"), Message("user", "b"))
    assert without_tools(messages) is messages


def test_a_call_that_nobody_answered_is_still_told() -> None:
    calls = (ToolCall("1", "look", "{}"),)
    told = without_tools((Message("assistant", "", tool_calls=calls), Message("tool", "dark", tool_call_id="2")))
    assert [(message.role, message.text) for message in told] == [
        ("assistant", "[used look with {}]"),
        ("user", "[a tool gave back]\ndark"),
    ]
