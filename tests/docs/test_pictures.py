"""The pictures are of the program as it is: each scene is played again, and the new picture has the same words."""

import re
from math import log
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.console import plain
from tests.docs.pictures.drawing import draw
from tests.docs.pictures.scenes import SCENES, pipeline
from tests.scripted import Reply, ScriptedServer

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "img"
OF_THIS_MACHINE = "safe mode on · sandbox"


@pytest.mark.parametrize("name", ["session", "workflow"])
def test_a_picture_of_the_scripted_model_has_the_words_of_today(name: str, tmp_path: Path) -> None:
    scene = SCENES[name]
    raw = scene.take(tmp_path, scene.rows)
    assert _words(_picture(name)) == _words(draw(raw, scene.rows, scene.title))


def test_the_picture_of_the_embedded_model_has_the_lines_that_onbook_says_today(tmp_path: Path) -> None:
    scene = SCENES["pipeline"]
    sure, less_sure = (Reply(deltas=("Boo!",), logprobs=(log(score),)) for score in (0.42, 0.39))
    with ScriptedServer() as server:
        server.replies(sure, less_sure)
        raw = pipeline(tmp_path, scene.rows, server.openai_url)
    assert _own_lines(_picture("pipeline")) == _own_lines(draw(raw, scene.rows, scene.title))


def test_every_scene_is_on_the_front_page() -> None:
    shown = re.findall(r"\(docs/img/(\w+)\.svg\)", (ROOT / "README.md").read_text())
    assert set(SCENES) <= set(shown)


@pytest.mark.parametrize("name", SCENES)
def test_a_picture_needs_nothing_from_elsewhere(name: str) -> None:
    """No font, script or picture that a page would have to fetch; no letter outside of the window."""
    root = ElementTree.fromstring(_picture(name))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "title", "rect", "circle", "text"}
    width = float(root.attrib["viewBox"].split()[2])
    texts = [element.attrib for element in root.iter() if "textLength" in element.attrib]
    assert texts
    assert all(float(each["x"]) + float(each["textLength"]) < width for each in texts)


def _picture(name: str) -> str:
    return (PICTURES / f"{name}.svg").read_text()


def _words(picture: str) -> list[str]:
    """Its lines from top to bottom, without what differs from run to run."""
    lines: dict[str, str] = {}
    for element in ElementTree.fromstring(picture).iter():
        if "textLength" in element.attrib:
            lines[element.attrib["y"]] = lines.get(element.attrib["y"], "") + (element.text or "")
    return [plain(line) for line in lines.values() if not line.startswith(OF_THIS_MACHINE)]


def _own_lines(picture: str) -> list[str]:
    """What onbook says itself, beside the words of the model. A long line may be cut anywhere."""
    own = ("$ ", "onbook:", "Step ", "STEP ", "0 ")
    return [line.split(" review.md")[0] for line in _words(picture) if f"{line} ".startswith(own)]
