"""Links lead somewhere: files and headings exist, addresses are well formed (none is fetched)."""

import re
import string
import urllib.parse

import pytest

from ._pages import DOCS, GENERATED, PAGES, ROOT, named

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not here")

TEXTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *PAGES]
ALLOWED = set(string.ascii_letters + string.digits + "-._~:/?#[]@!$&'()*+,;=%")


def prose(path):
    """The text of a page without its blocks of code."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^(`{3,})(?!\{).*?^\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def links(path):
    yield from re.findall(r"(?<!!)\[[^\]]*\]\(<?([^)\s>]+)>?\)", prose(path))
    yield from re.findall(r"^\[[^\]]+\]:\s*(\S+)", prose(path), flags=re.MULTILINE)
    yield from re.findall(r"<(https?://[^>\s]+)>", prose(path))


def anchors(path):
    """Anchors of headings as GitHub and MyST make them."""
    for heading in re.findall(r"^#{1,6} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
        yield plain.replace(" ", "-")


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_lead_somewhere(path):
    wrong = [link for link in links(path) if not leads_somewhere(path, link)]
    assert not wrong


def leads_somewhere(path, link):
    parts = urllib.parse.urlsplit(link)
    if parts.scheme:
        return parts.scheme == "https" and "." in parts.netloc and set(link) <= ALLOWED
    target = (path.parent / parts.path).resolve() if parts.path else path
    inside = target.relative_to(DOCS).parts[:1] if target.is_relative_to(DOCS) else ()
    if set(inside) & GENERATED:
        return True  # Sphinx, which makes these pages, reports a link to none of them
    if not target.exists():
        return False
    return not parts.fragment or parts.fragment in anchors(target)


def test_wrong_links_are_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One heading\n\n[a](b.md) [c](#one-heading) [d](#two) <http://x.org>\n")
    assert [link for link in links(page) if not leads_somewhere(page, link)] == [
        "b.md",
        "#two",
        "http://x.org",
    ]


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_dois_are_dois(path):
    for doi in re.findall(r"doi\.org/([^)\s>]+)", prose(path)):
        assert re.fullmatch(r"10\.\d{4,9}/\S+", urllib.parse.unquote(doi))
