"""The site's hooks: pages that lie outside `docs/` join it, and links between the two worlds are made to fit.

README.md is the first page. On GitHub it links to `docs/asking.md`, on the site to `asking.md`; a link to a file that
the site does not have, such as an example's, becomes its bare words.
"""

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
GUESTS = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
"""Pages from outside `docs/`, and what they are called on the site."""
STATIC = ("LICENSE",)
_FENCED = r"^(?P<fence>```+|~~~+).*?^(?P=fence)"
_LINK = re.compile(
    _FENCED + r"|(?P<text>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<path>(?!\w+:|#|/)[^)#\s]+)(?P<anchor>#[^)\s]*)?\)",
    re.MULTILINE | re.DOTALL,
)
_FETCHED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")


def on_config(config: "MkDocsConfig") -> "MkDocsConfig":
    """The pages of the commands, in two rows: what a shell takes and what a session takes."""
    names = sorted(path.name for path in (Path(config.docs_dir) / "commands").glob("*.md"))
    shell = [f"commands/{name}" for name in names if not name.startswith("slash-")]
    typed = [f"commands/{name}" for name in names if name.startswith("slash-")]
    reference: list[object] = next(each["Reference"] for each in config.nav or [] if "Reference" in each)
    reference += [{"Commands": shell}, {"Commands of a session": typed}]
    return config


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """README and its neighbours, as if they lay in `docs/`."""
    from mkdocs.structure.files import File

    for name, as_name in GUESTS.items():
        files.append(File.generated(config, as_name, content=(ROOT / name).read_text(encoding="utf-8")))
    for name in STATIC:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: "Page", **_: object) -> str:
    """The page with links as the site needs them."""
    home = {as_name: name for name, as_name in GUESTS.items()}.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return with_site_links(markdown, home, page.file.src_uri)


def on_post_build(config: "MkDocsConfig") -> None:
    """Whoever reads the site talks to nobody else: no page may fetch a script, a font or a picture from elsewhere."""
    from mkdocs.exceptions import PluginError

    for path in Path(config.site_dir).rglob("*.html"):
        if found := _FETCHED.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path.name} would fetch from elsewhere: {found[0]}")


def with_site_links(markdown: str, home: str, here: str) -> str:
    """The text of the repository's file `home` as it must read at `here` on the site."""

    def fitted(link: re.Match[str]) -> str:
        if link["fence"]:
            return link[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), link["path"]))
        if target.startswith("docs/"):
            at = target.removeprefix("docs/")
        elif target in (*GUESTS, *STATIC):
            at = GUESTS.get(target, target)
        elif (ROOT / target).exists():
            return link["text"].removeprefix("!")[1:-1]
        else:
            return link[0]
        return f"{link['text']}({posixpath.relpath(at, posixpath.dirname(here) or '.')}{link['anchor'] or ''})"

    return _LINK.sub(fitted, markdown)
