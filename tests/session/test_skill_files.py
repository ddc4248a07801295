"""The files of skills: their heads, triggers, allowed tools and places."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.session.skills.allowed import Allowed, allowed_of
from onbook.session.skills.catalogue import find_skills
from onbook.session.skills.frontmatter import BadHead, Value, parse
from onbook.session.skills.skill import MOST_BYTES, skill_of, template
from onbook.session.skills.trigger import trigger_of
from tests.session.skills import write_skill


def value(head: str, key: str = "key") -> Value:
    return parse(f"---\n{head}\n---\n").values[key]


class TestHead:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("key: plain words", "plain words"),
            ("key:   spaces around   ", "spaces around"),
            ("key: with a colon: inside", "with a colon: inside"),
            ("key: words # a remark", "words"),
            ("key: C#", "C#"),
            ('key: "quoted: \\"yes\\" \\u00e9\\n"', 'quoted: "yes" é\n'),
            ('key: "quoted" # a remark', "quoted"),
            ("key: 'it''s'", "it's"),
            ("key: goes\n  on\n\n  here", "goes on here"),
            ("key:\n  below", "below"),
            ("key: # a remark\n  below", "below"),
            ("key: >\n  folded\n  lines\n\n  and more", "folded lines\nand more"),
            ("key: >-\n  folded\n  lines", "folded lines"),
            ("key: |\n  kept\n    as is\n", "kept\n  as is"),
            ("key:", ""),
            ("# a remark\nkey: after it", "after it"),
            ("other: {a: [1, 2]}\nkey: after it", "after it"),
            ("metadata:\n  author: ada\n  nested:\n    - x\nkey: after it", "after it"),
        ],
    )
    def test_a_value_is_read_as_yaml_means_it(self, written: str, meant: str) -> None:
        assert value(written).text() == meant

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("key: [a, b]", ("a", "b")),
            ("key: ['a, b', \"c\"]", ("a, b", "c")),
            ("key: [Bash(git add, git rm), Read]", ("Bash(git add, git rm)", "Read")),
            ("key: [\n  a,\n  b,\n]", ("a", "b")),
            ("key: []", ()),
            ("key:\n  - a\n  # a remark\n  - 'b c'", ("a", "b c")),
            ("key:\n- a\n- b # a remark", ("a", "b")),
            ("key: a, b", None),
        ],
    )
    def test_a_list_is_read_as_yaml_means_it(self, written: str, meant: tuple[str, ...] | None) -> None:
        assert value(written).items() == meant

    @pytest.mark.parametrize(
        ("text", "line", "problem"),
        [
            ("no head", 1, "must be ---"),
            ("", 1, "must be ---"),
            ("---\nname: a\n", 3, "not closed"),
            ("---\njust words\n---", 2, "key: value"),
            ("---\nname: a\nname: b\n---", 3, "twice"),
        ],
    )
    def test_what_is_no_head_names_the_line(self, text: str, line: int, problem: str) -> None:
        with pytest.raises(BadHead, match=problem) as caught:
            parse(text)
        assert caught.value.line == line

    @pytest.mark.parametrize(
        ("written", "problem"),
        [
            ('key: "open', "not closed"),
            ('key: "a" b', "behind the closing"),
            (r'key: "\q"', "means nothing"),
            (r'key: "\ud800"', "means nothing"),
            ("key: &anchor x", "not read here"),
            ("key: [a, b]", "not a list"),
        ],
    )
    def test_a_value_in_another_form_is_refused(self, written: str, problem: str) -> None:
        with pytest.raises(BadHead, match=problem):
            value(written).text()

    def test_windows_line_ends_and_a_mark_at_the_start_are_no_matter(self) -> None:
        head = parse("\ufeff---\r\nname: a\r\n---\r\nbody\r\n")
        assert (head.values["name"].text(), head.body) == ("a", "body")

    @given(st.text())
    def test_any_text_is_read_or_refused_with_a_line(self, text: str) -> None:
        for whole in (text, f"---\n{text}\n---\n", f"---\nkey: {text}\n---\n"):
            line = 1
            try:
                for each in parse(whole).values.values():
                    each.items()
                    each.text()
            except BadHead as bad:
                line = bad.line
            assert 1 <= line <= whole.count("\n") + 1

    @given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
    def test_whatever_stands_in_single_quotes_comes_back(self, text: str) -> None:
        one_line = text.replace("\n", " ").strip()
        quoted = "'" + one_line.replace("'", "''") + "'"
        assert value(f"key: {quoted}").text() == one_line


class TestTrigger:
    @pytest.mark.parametrize(
        ("trigger", "message", "fires"),
        [
            ("trigger: release, ship it", "Please RELEASE this", True),
            ("trigger: release, ship it", "now ship   it!", True),
            ("trigger: release", "prereleases are out", False),
            ("trigger: [release, /v\\d+/]", "tag v12", True),
            ("trigger: /release v\\d+/", "Release v1", False),
            ("trigger: /release v\\d+/i", "Release v1", True),
            ("trigger: /a, b/", "a, b", True),
            ("trigger: 公開", "これを公開して", True),
            ("trigger: C++", "write C++ now", True),
            ("trigger: ','", "anything", False),
        ],
    )
    def test_it_fires_for_its_words_or_its_pattern(self, trigger: str, message: str, *, fires: bool) -> None:
        assert trigger_of(value(trigger, "trigger")).fires(message) is fires

    def test_a_pattern_that_does_not_compile_names_its_line(self) -> None:
        with pytest.raises(BadHead, match="not a pattern") as caught:
            trigger_of(value("name: a\ntrigger: /(/", "trigger"))
        assert caught.value.line == 3

    @pytest.mark.timeout(5)
    def test_no_pattern_can_hang(self) -> None:
        assert not trigger_of(value("trigger: /(a+)+$/", "trigger")).fires("a" * 100_000 + "b")

    @given(st.text(min_size=1), st.text())
    def test_any_words_are_taken_to_the_letter(self, words: str, message: str) -> None:
        for trigger in (Value(2, "", (f"  - {words}",)), Value(2, words)):
            try:
                trigger_of(trigger).fires(message)
            except BadHead:
                pass


def allowed(written: str) -> Allowed:
    return allowed_of(value(f"allowed-tools: {written}", "allowed-tools"))


class TestAllowedTools:
    @pytest.mark.parametrize(
        ("written", "tools"),
        [
            ("read_file, git", {"read_file", "git"}),
            ("Read Grep Glob", {"read_file", "search_files", "list_files"}),
            ("[Read, 'Write']", {"read_file", "write_file"}),
            ("\n  - Edit\n  - Bash", {"edit_file", "run_command", "git"}),
            ("mcp__tracker__find, Read", {"tracker_find", "read_file"}),
            ("[]", set()),
        ],
    )
    def test_names_of_ours_and_of_other_programs_are_understood(self, written: str, tools: set[str]) -> None:
        assert allowed(written).tools == tools

    @pytest.mark.parametrize(
        ("written", "command", "fine"),
        [
            ("Bash(git:*)", "git push --force", True),
            ("Bash(git:*)", "gitk", False),
            ("Bash(git add:*), Bash(make)", "git add .", True),
            ("Bash(git add:*), Bash(make)", "git commit", False),
            ("Bash(git add:*), Bash(make)", "make", True),
            ("Bash(git add:*), Bash(make)", "make install", False),
            ("Bash(npm run *)", "npm run test", True),
            ("Bash(git:*), Bash", "rm x", True),
            ("Bash(*)", "rm x", True),
            ("Bash(git:*)", "env git status", False),
        ],
    )
    def test_a_pattern_holds_for_the_words_of_the_command(self, written: str, command: str, *, fine: bool) -> None:
        assert (allowed(written).objection("run_command", {"command": command}) is None) is fine

    def test_a_pattern_for_git_holds_for_the_tool_git_too(self) -> None:
        only = allowed("Bash(git diff:*)")
        assert only.objection("git", {"args": "diff HEAD"}) is None
        assert only.objection("git", {"args": "git diff HEAD"}) is None
        assert only.objection("git", {"args": "log"}) == "allows only `git diff …`"

    @pytest.mark.parametrize("written", ["Read(src/**)", "Bash(git *.py:*)", "Bash(a;b)", "Bash($x:*)", "Bash('a)"])
    def test_a_pattern_that_is_not_understood_allows_nothing(self, written: str) -> None:
        only = allowed(f'["{written}"]')
        assert only.tools == frozenset()
        assert only.refused == (written,)

    def test_a_line_that_names_nothing_is_refused(self) -> None:
        with pytest.raises(BadHead, match="leave the line out"):
            allowed("")

    @given(st.text())
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        for written in (Value(2, text), Value(2, "", (f"- {text}",))):
            try:
                allowed_of(written)
            except BadHead:
                pass


class TestSkill:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("---\nname: a b\ndescription: x\n---", "name 'a b'"),
            ("---\nname: a\n---", "description is missing"),
            ("---\nname: a\ndescription:\n---", "description is missing"),
            ("x" * (MOST_BYTES + 1), "larger than 256 KiB"),
        ],
    )
    def test_what_it_needs_is_said(self, text: str, problem: str) -> None:
        with pytest.raises(BadHead, match=problem):
            skill_of(text.encode(), "skills/a/SKILL.md", mine=False)

    def test_its_folder_names_it_where_the_head_does_not(self) -> None:
        assert skill_of(b"---\ndescription: x\n---", "skills/tidy/SKILL.md", mine=False).name == "tidy"

    def test_the_template_is_a_skill(self) -> None:
        skill = skill_of(template("tidy").encode(), "skills/tidy/SKILL.md", mine=False)
        assert (skill.name, skill.trigger.written, skill.allowed) == ("tidy", (), None)


class TestPlaces:
    def test_every_place_is_looked_at_and_the_users_own_comes_first(
        self, workspace: Path, environment: dict[str, str], home: Path
    ) -> None:
        for place in (".claude", ".agents", ".onbook"):
            write_skill(workspace / place / "skills", f"of-{place[1:]}")
            write_skill(workspace / place / "skills", "same")
        mine = write_skill(home / "config" / "skills", "same")
        found = find_skills(workspace, environment)
        assert set(found.skills) == {"of-agents", "of-claude", "of-onbook", "same"}
        assert found.skills["same"].path == str(mine)
        assert len(found.problems) == 3

    def test_a_broken_one_is_one_line_and_the_others_work(self, workspace: Path, environment: dict[str, str]) -> None:
        folder = workspace / ".agents" / "skills"
        write_skill(folder, "good")
        (folder / "bad").mkdir()
        (folder / "bad" / "SKILL.md").write_text("---\nname bad\n---\n")
        (folder / "no-skill").mkdir()
        found = find_skills(workspace, environment)
        assert set(found.skills) == {"good"}
        assert found.problems == (
            ".agents/skills/bad/SKILL.md:2: write key: value, or indent what belongs to the line above",
        )

    def test_a_link_out_of_the_workspace_or_to_keys_is_not_followed(
        self, workspace: Path, environment: dict[str, str], tmp_path: Path
    ) -> None:
        outside = write_skill(tmp_path / "elsewhere", "outside")
        (workspace / ".env").write_text("---\nname: env\ndescription: x\n---\n")
        folder = workspace / ".agents" / "skills"
        for name, target in (("a", outside), ("b", workspace / ".env")):
            (folder / name).mkdir(parents=True)
            (folder / name / "SKILL.md").symlink_to(target)
        (workspace / ".claude").symlink_to(tmp_path / "elsewhere")
        found = find_skills(workspace, environment)
        assert not found.skills
        assert [problem.partition(": ")[0] for problem in found.problems] == [
            ".agents/skills/a/SKILL.md",
            ".agents/skills/b/SKILL.md",
            ".claude/skills",
        ]

    def test_a_link_inside_the_workspace_is_followed(self, workspace: Path, environment: dict[str, str]) -> None:
        write_skill(workspace / "skills", "shared")
        (workspace / ".claude").mkdir()
        (workspace / ".claude" / "skills").symlink_to("../skills")
        assert set(find_skills(workspace, environment).skills) == {"shared"}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("head", ["\n" * 200_000, f"allowed-tools: [{'a' * 200_000}]\n", "x: |\n" + " a\n" * 60_000])
def test_an_enormous_head_is_read_in_no_time(head: str) -> None:
    # It comes with a cloned folder, and is read when a session begins.
    values = parse(f"---\nname: a\n{head}---\nbody").values
    read = [value.items() or value.text() for value in values.values()]
    assert read.index("a") == 0
