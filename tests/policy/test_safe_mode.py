"""Safe mode against a table of command lines, allowed and refused, and against real repositories that bite."""

import shlex
import shutil
from pathlib import Path

import pytest

from onbook.config.policy_settings import Permission, PolicySettings
from onbook.policy.decide import decide
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Run
from tests.policy.conftest import DoorMaker, Person

ALLOWED = """
ls
ls -la src
ls --color=auto -1 .
cat notes.md src/app.py
cat -n inside.md
cat -- notes.md
cat -
head -n 5 notes.md
head -5 notes.md
head --lines=5 notes.md
head -n-1 notes.md
tail -c 10 notes.md
tail -n +2 notes.md
wc -l notes.md
sort -u list.txt
sort -k 2,2 -t : list.txt
sort -rn list.txt
uniq -c list.txt
diff -u notes.md list.txt
grep -n hello notes.md
grep -rn hello .
grep -rn hello
grep -e /etc/passwd notes.md
grep /api/v1 notes.md
grep -A3 -B 2 hello notes.md
grep hello notes.md -n
grep -r hello src --include=*.py
grep -f list.txt notes.md
grep -- -x notes.md
rg hello
rg -n 'a/../b' src
rg -uu hello .
rg -g '*.py' hello
rg --files src
find . -name '*.py'
find src -type f -maxdepth 2 -print
find . ( -name a -o -name b ) -not -empty
find . -newer notes.md
find -P src
fd app src
fdfind -e py
tree -L 2 src
file notes.md
stat -c %s notes.md
du -sh src
df -h .
date +%Y
date -u -d yesterday +%s
pwd
echo ; rm -rf / $(id) `id` > ../x
printf %s /etc/passwd
basename /etc/passwd .d
dirname ../../x
cut -d : -f 1 list.txt
tr a-z A-Z
sha256sum notes.md
seq 1 10
git
git --version
git status
git status --short --branch
git diff
git diff --stat HEAD
git diff --cached -- src
git diff HEAD~1..HEAD
git log --oneline -n 5
git log -5 -p src/app.py
git log --since=yesterday --author=ann
git log main..feature/x
git show HEAD
git show HEAD:notes.md
git show HEAD:./src/app.py
git blame -L 1,5 notes.md
git branch -a
git branch --list 'f*'
git tag
git tag -l 'v*'
git ls-files src
git rev-parse --show-toplevel
git --no-pager log
git -C src status
git remote
git stash list
git diff --no-ext-diff
"""

REFUSED = """
cat .env
cat ./src/../.env
cat sneaky.txt
cat server.pem
cat /etc/passwd
cat ../outside/file.txt
cat out/file.txt
cat out.txt
cat ~/.ssh/id_rsa
cat notes.md /etc/passwd
cat src/../../outside/file.txt
cat -- -x /etc/passwd
cat .ENV
head -n 5 ../outside/file.txt
head -c 5 /dev/zero
ls /
ls ..
ls out/
ls -L out
ls -RL .
tail -f notes.md
tail -fn5 notes.md
tail --follow=name notes.md
tail --retry notes.md
tail --fol notes.md
wc --files0-from=list.txt
sort -o notes.md list.txt
sort -onotes.md list.txt
sort -uo notes.md list.txt
sort --output=notes.md list.txt
sort --outp=notes.md list.txt
sort list.txt -o notes.md
sort --compress-program=sh list.txt
sort --compress=sh list.txt
sort -T /tmp list.txt
sort --files0-from=- list.txt
sort -S 90% list.txt
uniq list.txt notes.md
diff notes.md ../outside/file.txt
diff --to-file=/etc/passwd notes.md
diff -l notes.md list.txt
diff -r . out
diff -r . src
diff notes.md .env
grep swordfish .env
grep -f /etc/passwd notes.md
grep -f/etc/passwd notes.md
grep --file=/etc/passwd notes.md
grep --fil=/etc/passwd notes.md
grep -rf /etc/passwd .
grep -f .env notes.md
grep root /etc/passwd
grep -r root /etc
grep -R hello .
grep -Rn hello .
grep --dereference-recursive hello .
grep -e hello /etc/passwd
grep hello -e /etc/passwd notes.md
grep -e -- /etc/passwd
grep --exclude-from=/etc/passwd hello notes.md
rg --pre sh hello
rg --pre=sh hello
rg --pre-glob=* hello
rg --hostname-bin=sh hello
rg -z hello
rg -L hello
rg --follow hello
rg -f /etc/passwd hello
rg root /etc
rg --ignore-file=/etc/passwd hello
rg --pr sh hello
find . -exec sh {} ;
find . -execdir sh {} +
find . -ok sh {} ;
find . -okdir sh {} ;
find . -delete
find . -name x -delete
find . -fprint notes.md
find . -fprint0 notes.md
find . -fprintf notes.md %p
find . -fls notes.md
find / -name x
find .. -name x
find -L .
find . -follow
find . -newer /etc/passwd
find . -files0-from list.txt
find . -unknown-test
fd -x sh
fd -X sh
fd --exec=sh
fd --exec-batch sh
fd -L x
fd x /etc
fd --base-directory=/etc x
tree -o notes.md
tree -R
tree -l
tree /
tree --fromfile list.txt
file -C -m list.txt
file -m /etc/magic notes.md
file -f list.txt
file -z notes.md
du -L .
du --files0-from=list.txt
du -X /etc/passwd .
date -s 2020-01-01
date --set=2020-01-01
date --se=2020-01-01
date -f list.txt
date -r /etc/passwd
date 010100002020
sha256sum -c list.txt
sha256sum --check list.txt
git -c core.pager=sh log
git -ccore.pager=sh log
git --config-env=core.pager=X log
git --exec-path=/tmp status
git --git-dir=/tmp/x status
git --git-dir /tmp/x status
git --work-tree=/ status
git -p log
git --paginate log
git -C / status
git -C .. status
git -C src -C ../.. status
git -C.. status
git diff --output=x
git diff --output x
git diff --outp=x
git log --output=x
git diff -o x
git diff --ext-diff
git diff --ext
git diff --textconv
git diff --no-index notes.md /etc/passwd
git diff --no-index notes.md list.txt
git diff -O/etc/passwd
git diff ../outside
git diff -- /etc/passwd
git show HEAD:.env
git show HEAD:../outside
git show :0:.env
git diff -- .env
git diff -- :(top).env
git log -p -- .env
git blame .env
git blame --contents /etc/passwd notes.md
git grep -O hello
git grep hello
git commit -m x
git push
git pull
git fetch
git checkout .
git config core.pager sh
git config --list
git branch new
git branch -D main
git branch -l new
git tag v1
git tag -d v1
git stash
git stash pop
git remote add x y
git remote -v
git am x
git archive HEAD
git my-alias
git bisect run sh
git cat-file -p HEAD:.env
git rev-parse --parseopt
git submodule foreach sh
git worktree add x
rm notes.md
sh -c ls
bash
python -c 1
python3
perl -e 1
awk 1
sed -i s/a/b/ notes.md
env ls
xargs rm
tee notes.md
cp notes.md x
mv notes.md x
ln -s / x
chmod 777 notes.md
curl http://x
wget http://x
ssh host
nc host 1
sudo ls
make
npm test
dd if=/dev/zero
tar cf x .
vim notes.md
less notes.md
/bin/ls
./ls
../ls
src/app.py
hostname evil
"""


def verdict(line: str, root: Path, rules: PolicySettings | None = None) -> str:
    argv = tuple(shlex.split(line.replace(";", "';'"))) if "`" not in line else tuple(line.split())
    return decide(Run(argv), "model", rules or PolicySettings(), root).kind


def rows(table: str) -> list[str]:
    return [line for line in table.splitlines() if line]


@pytest.mark.parametrize("line", rows(ALLOWED))
def test_a_harmless_command_needs_no_question(root: Path, line: str) -> None:
    argv = line.replace("( ", "'(' ").replace(" )", " ')'") if line.startswith("find") else line
    assert verdict(argv, root) == "allow"


@pytest.mark.parametrize("line", rows(REFUSED))
def test_a_dangerous_command_is_refused(root: Path, line: str) -> None:
    (root / "src" / "other_rsa").write_text("swordfish")
    line = line.replace(":(top)", "':(top)'").replace("*", "'*'")
    assert verdict(line, root) == "deny"


async def test_what_is_allowed_really_runs_and_shows_no_secret(door: Door) -> None:
    """Every allowed line whose program is installed, through the real door."""
    ran = 0
    for line in rows(ALLOWED):
        if "`" in line or "(" in line or line == "cat -":
            continue
        if shutil.which(shlex.split(line)[0]) is None:
            continue
        done = await door.run(Run(tuple(shlex.split(line))), by="model")
        ran += 1
        assert b"swordfish" not in done.output
        assert b"unrecognized option" not in done.output
        assert b"invalid option" not in done.output
    assert ran > 50


async def test_a_search_passes_over_common_secrets_and_is_refused_before_others(door: Door) -> None:
    done = await door.run(Run(("grep", "-r", "swordfish", ".")), by="model")
    assert (done.exit_code, done.output) == (1, b"")
    (door.root / "src" / "kubeconfig").write_text("swordfish")
    for argv in (("grep", "-r", "swordfish", "."), ("rg", "swordfish"), ("grep", "-r", "swordfish")):
        with pytest.raises(Denied, match="it would read src/kubeconfig"):
            await door.run(Run(argv), by="model")


async def test_git_shows_no_secret_that_was_committed(door: Door) -> None:
    await door.run(Run(("git", "add", "-f", ".env")), by="user")
    for argv in (("git", "diff", "--cached"), ("git", "diff", "HEAD"), ("git", "diff", "HEAD", "--", ".")):
        done = await door.run(Run(argv), by="model")
        assert done.exit_code == 0
        assert b"swordfish" not in done.output


@pytest.mark.parametrize(
    "config",
    [
        '[diff "x"]\n\ttextconv = touch PWNED; cat',
        '[diff "x"]\n\tcommand = touch PWNED',
        '[filter "x"]\n\tclean = touch PWNED; cat\n\tsmudge = cat',
        "[include]\n\tpath = ../evil",
        "[core]\n\tworktree = /etc",
        "[core]\n\tsshCommand = touch PWNED",
        "[core]\n\tfsmonitor = touch PWNED; true",
        "[core]\n\tpager = touch PWNED",
        "[diff]\n\texternal = touch PWNED; true",
        "[core]\n\thooksPath = hooks",
        '[alias]\n\tst = "!touch PWNED"\n\tstatus = "!touch PWNED"',
        "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = touch PWNED",
    ],
)
async def test_a_repository_cannot_make_git_start_anything(door: Door, config: str) -> None:
    with (door.root / ".git" / "config").open("a") as file:
        file.write(config.replace("PWNED", str(door.root / "PWNED")) + "\n")
    (door.root / ".gitattributes").write_text("* diff=x filter=x\n")
    (door.root / "notes.md").write_text("changed\n")
    for argv in (("git", "status"), ("git", "diff"), ("git", "log", "-p"), ("git", "blame", "notes.md")):
        try:
            await door.run(Run(argv), by="model")
        except Denied:
            continue
    await door.entries(".", by="model")
    assert not (door.root / "PWNED").exists()


async def test_a_program_of_the_workspace_does_not_pass_for_a_known_one(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    (door.root / "bin").mkdir()
    fake = door.root / "bin" / "ls"
    fake.write_text("#!/bin/sh\ntouch PWNED\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{door.root}/bin:.:bin:/usr/bin:/bin")
    done = await door.run(Run(("ls",)), by="model")
    assert b"notes.md" in done.output
    assert not (door.root / "PWNED").exists()


async def test_programs_from_the_settings_keep_the_fence(open_door: DoorMaker) -> None:
    door = open_door(programs=("touch", "sh"))
    await door.run(Run(("touch", "made.txt")), by="model")
    assert (door.root / "made.txt").exists()
    for word in ("../x", "/tmp/x", "--reference=/etc/passwd", "-r/etc/passwd", "~/x", ".env", "a=../../x", "file:///x"):
        with pytest.raises(Denied):
            await door.run(Run(("touch", word)), by="model")


async def test_a_folder_s_own_programs_run_when_the_settings_allow_it(open_door: DoorMaker) -> None:
    door = open_door(permissions=(Permission("tools", run="allow"),))
    (door.root / "tools").mkdir()
    for folder in ("tools", "src"):
        tool = door.root / folder / "hi.sh"
        tool.write_text("#!/bin/sh\necho hi\n")
        tool.chmod(0o755)
    assert (await door.run(Run(("./tools/hi.sh",)), by="model")).output == b"hi\n"
    for argv in (("src/hi.sh",), ("tools/../src/hi.sh",), ("tools/hi.sh", "../x")):
        with pytest.raises(Denied):
            await door.run(Run(argv), by="model")


async def test_shell_lines_of_a_model_are_refused_in_safe_mode_and_asked_about_outside(open_door: DoorMaker) -> None:
    with pytest.raises(Denied, match="safe mode runs no shell lines"):
        await open_door(asker=Person("always")).run(Run(("ls | wc",), shell=True), by="model")
    person = Person("once")
    door = open_door(asker=person, safe_mode=False)
    assert (await door.run(Run(("echo $1 | tr a b", "aa"), shell=True), by="model")).output == b"bb\n"
    await door.run(Run(("true",)), by="model")
    assert len(person.asked) == 2


async def test_a_person_runs_whatever_they_type(door: Door) -> None:
    assert (await door.run(Run(("cat .env ../outside/file.txt",), shell=True), by="user")).exit_code == 0
