"""`python -m tests.docs.pictures FOLDER [NAME…]`: every picture, or those named, taken anew."""

import sys
import tempfile
from pathlib import Path

from tests.docs.pictures.drawing import draw
from tests.docs.pictures.scenes import SCENES


def main() -> None:
    folder, *names = sys.argv[1:]
    for name in names or SCENES:
        scene = SCENES[name]
        with tempfile.TemporaryDirectory() as stage:
            raw = scene.take(Path(stage), scene.rows).replace(f"{stage}/home", "/home/ada")
        (Path(folder) / f"{name}.svg").write_text(draw(raw, scene.rows, scene.title))
        sys.stdout.write(f"{folder}/{name}.svg\n")


if __name__ == "__main__":
    main()
