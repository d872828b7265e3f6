#!/usr/bin/env python3
"""check.py SITE: refuses a site with a link or an anchor that leads nowhere, or with anything that is loaded from elsewhere.

A link to another site, on which a reader may click, is no error.
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself, as opposed to what a reader clicks on.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
          ("embed", "src"), ("object", "data"), ("input", "src"), ("link", "href"), ("use", "href"), ("image", "href")}
CSS_URL = re.compile(r"(?:url\(|@import\s+)\s*[\"']?([^\"')\s;]+)")


class Document(HTMLParser):
    """The links of a page, the names that links may lead to, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.names, self.in_style = [], [], set(), False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.in_style = tag == "style"
        for name, value in attributes:
            if not value:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value)
            if name == "style":
                self.loaded += CSS_URL.findall(value)
            elif name == "srcset":
                self.loaded += [part.split()[0] for part in value.split(",") if part.strip()]
            elif (tag, name) in LOADED:
                self.loaded.append(value)
            elif (tag, name) in {("a", "href"), ("area", "href")}:
                self.links.append(value)

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.loaded += CSS_URL.findall(data)


class Site:
    """A folder of pages."""

    def __init__(self, root):
        self.root = root
        self.pages = {p: Document(p.read_text(errors="replace")) for p in sorted(root.rglob("*.html"))}
        self.links = 0

    def errors(self):
        if not self.pages:
            yield f"{self.root}: there are no pages"
        for page, document in self.pages.items():
            for link in document.links:
                yield from self.check(page, link, False)
            for loaded in document.loaded:
                yield from self.check(page, loaded, True)
        for sheet in sorted(self.root.rglob("*.css")):
            for loaded in CSS_URL.findall(sheet.read_text(errors="replace")):
                yield from self.check(sheet, loaded, True)

    def check(self, page, link, is_loaded):
        self.links += 1
        where = page.relative_to(self.root)
        url = urlsplit(link)
        if url.scheme in ("data", "javascript") or (is_loaded and link.startswith("#")):  # the last: a part of a drawing
            return
        if url.scheme or url.netloc:
            if is_loaded:
                yield f"{where}: {link} would be loaded from elsewhere"
            elif url.scheme in ("", "file"):
                yield f"{where}: {link} is on no reader's machine"
            return
        target = page if not url.path else (page.parent / unquote(url.path)).resolve()
        if url.path.startswith("/") or not target.is_relative_to(self.root):
            yield f"{where}: {link} is outside the site"
        elif not target.is_file():
            yield f"{where}: {link}: there is no such file"
        elif url.fragment and target in self.pages and not self.has(target, url.fragment):
            yield f"{where}: {link}: there is no such anchor"

    def has(self, page, fragment):
        names = self.pages[page].names
        return fragment in names or unquote(fragment) in names


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    site = Site(Path(arguments[0]).resolve())
    errors = list(dict.fromkeys(site.errors()))
    if errors:
        sys.exit("\n".join([*errors, f"{len(errors)} errors"]))
    print(f"{len(site.pages)} pages, {site.links} links and files: all are there")


if __name__ == "__main__":
    main(sys.argv[1:])
