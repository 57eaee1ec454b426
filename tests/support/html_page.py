"""A page that a report wrote, as a browser reads it."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags that a page fetches with, its text, and whether every tag is closed."""

    VOID = frozenset(("meta", "br", "path", "use", "rect"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        given = {name: value or "" for name, value in attrs}
        self.fetched += [
            given[name] for name in ("src", "href", "xlink:href") if not given.get(name, "#").startswith("#")
        ]
        self.fetched += [tag] if tag in ("script", "link", "img", "iframe") else []
        self.ids += [given["id"]] if "id" in given else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def brings_no_more_than(self, harmless: Page) -> None:
        """Assert that this page of hostile texts, a script among them, shows them and has no markup of its own."""
        assert "<script>alert(1)</script>" in self.text
        assert self.tags <= harmless.tags
        assert self.attributes <= harmless.attributes
        assert (self.open, self.fetched) == ([], [])
        assert len(self.ids) == len(set(self.ids))
