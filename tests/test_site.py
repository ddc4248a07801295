"""The site's links: what README and its neighbours point at on GitHub is where it lies on the site."""

import pytest
from tools.site import with_site_links


@pytest.mark.parametrize(
    ("home", "here", "written", "fitted"),
    [
        ("README.md", "index.md", "[a](docs/asking.md)", "[a](asking.md)"),
        ("README.md", "index.md", "![run](docs/img/pipeline.svg)", "![run](img/pipeline.svg)"),
        ("README.md", "index.md", "[c](CONTRIBUTING.md#tests)", "[c](CONTRIBUTING.md#tests)"),
        ("README.md", "index.md", "[l](LICENSE)", "[l](LICENSE)"),
        ("docs/asking.md", "asking.md", "[home](../README.md)", "[home](index.md)"),
        ("docs/commands/ask.md", "commands/ask.md", "[a](../asking.md)", "[a](../asking.md)"),
        ("docs/asking.md", "asking.md", "[`/x`](commands/slash-help.md)", "[`/x`](commands/slash-help.md)"),
        ("docs/asking.md", "asking.md", "see [the example](../examples/hello/onbook.toml).", "see the example."),
        ("docs/asking.md", "asking.md", "[gone](nowhere.md)", "[gone](nowhere.md)"),
        (
            "docs/asking.md",
            "asking.md",
            "[out](https://example.org) [in](#here)",
            "[out](https://example.org) [in](#here)",
        ),
        ("README.md", "index.md", "```text\n[a](docs/asking.md)\n```\n", "```text\n[a](docs/asking.md)\n```\n"),
    ],
)
def test_a_link_fits_the_site(home: str, here: str, written: str, fitted: str) -> None:
    assert with_site_links(written, home, here) == fitted
