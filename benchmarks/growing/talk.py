"""How conversations grow: their history, the loops in them, their transcripts."""

from benchmarks.growth import Growth, grown
from benchmarks.lab import Lab

_SETTINGS = 'model = "bench"\n[[routes]]\nname = "bench"\nurl = "{url}/v1"\nmodel = "llama3:latest"\n'


def history(lab: Lab) -> list[Growth]:
    """A turn after so many others, which a chat sends along every time: what onbook itself does for it."""
    with lab.model_server() as url:
        workspace = lab.workspace("grow-history", _SETTINGS.format(url=url))
        with lab.worker(lab.ours, "grown_talk", "history", str(workspace)) as worker:
            worker.ask(10)
            sizes = (10, 1_000, 2_000, 5_000)
            return [grown("a chat turn", "turns before it", sizes, worker.ask)]


def loop(lab: Lab) -> list[Growth]:
    """A `/loop` of `!true`, its waiting left out."""
    with lab.worker(lab.ours, "grown_talk", "loop", str(lab.workspace("grow-loop", ""))) as worker:
        worker.ask(10)
        return [grown("/loop of !true", "iterations", (10, 100, 200, 400), worker.ask)]


def transcript(lab: Lab) -> list[Growth]:
    """A transcript written turn by turn, and read back; a turn has about 1,750 bytes."""
    sizes = (10, 2_500, 5_000, 10_000)
    found = []
    for what, benchmark in (("record", "transcript, written"), ("load", "transcript, read back")):
        workspace = lab.workspace(f"grow-transcript-{what}", "")
        with lab.worker(lab.ours, "grown_talk", what, str(workspace)) as worker:
            found.append(grown(benchmark, "turns in it", sizes, worker.ask))
    return found
