"""Every link in the documentation leads somewhere, and every page can be found."""

from tests.documentation.pages import PAGES, ROOT, anchors, links, name_of

CONTENTS = ROOT / "docs" / "README.md"


def test_links_lead_to_files_and_headings() -> None:
    broken = []
    for page in PAGES:
        for link in links(page):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
                broken.append((name_of(page), link))
    assert broken == []


def test_the_table_of_contents_lists_every_page_once() -> None:
    listed = [(CONTENTS.parent / link).resolve() for link in links(CONTENTS) if link.endswith(".md")]
    pages = [page for page in PAGES if page.is_relative_to(CONTENTS.parent) and page != CONTENTS
             and page.parent.name != "rules"]
    assert sorted(listed) == sorted(pages)


def test_page_names_are_unique() -> None:
    names = [page.name for page in PAGES if page.parent.name != "rules" and page.name != "README.md"]
    assert len(names) == len(set(names))


def test_every_diagram_shows_the_words_of_its_source() -> None:
    """A diagram (.svg) is drawn from the text beside it (.mmd) and must be redrawn when the text changes."""
    sources = sorted((ROOT / "docs" / "pictures").glob("*.mmd"))
    assert sources
    for source in sources:
        drawn = "".join(source.with_suffix(".svg").read_text(encoding="utf-8").split())
        lines = [line.rpartition(":")[2] for line in source.read_text(encoding="utf-8").splitlines() if ">>" in line]
        for word in {word for line in lines for word in line.split()}:
            assert word.replace("'", "&#39;") in drawn or word in drawn, (source.name, word)
