#!/usr/bin/env python3
"""What docs/site/check.py refuses, and what it lets pass: small sites, one fault each."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "docs/site/check.py"
OTHER = '<h1 id="top">Other</h1>'


def check(files):
    """(exit status, output) for a site of these files: a path and a text each."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr


class Refused(unittest.TestCase):
    def refused(self, because, page, **others):
        status, output = check({"index.html": page, "sub/other.html": OTHER, **others})
        self.assertEqual(status, 1, output)
        self.assertIn(because, output)

    def test_a_link_to_no_file(self):
        self.refused("index.html: sub/gone.html: there is no such file", '<a href="sub/gone.html">x</a>')

    def test_a_link_to_no_anchor(self):
        self.refused("index.html: sub/other.html#bottom: there is no such anchor", '<a href="sub/other.html#bottom">x</a>')

    def test_a_link_to_no_anchor_of_its_own_page(self):
        self.refused("#gone: there is no such anchor", '<a href="#gone">x</a>')

    def test_a_link_to_a_folder(self):
        self.refused("sub: there is no such file", '<a href="sub">x</a>')  # a browser would list it, or refuse

    def test_a_link_out_of_the_site(self):
        self.refused("../README.md is outside the site", '<a href="../README.md">x</a>')
        self.refused("/index.html is outside the site", '<a href="/index.html">x</a>')

    def test_a_link_to_a_file_of_this_machine(self):
        self.refused("is on no reader's machine", '<a href="file:///srv/x.html">x</a>')

    def test_what_is_loaded_from_elsewhere(self):
        elsewhere = "would be loaded from elsewhere"
        self.refused(elsewhere, '<script src="https://example.org/x.js"></script>')
        self.refused(elsewhere, '<link rel="stylesheet" href="//example.org/x.css">')
        self.refused(elsewhere, '<img srcset="sub/other.html 1x, https://example.org/x.png 2x">')
        self.refused(elsewhere, '<p style="background: url(https://example.org/x.png)">x</p>')
        self.refused(elsewhere, '<style>@import "https://example.org/x.css";</style>')
        self.refused(elsewhere, "<p>x</p>", **{"x.css": "@font-face { src: url(https://example.org/x.woff2) }"})

    def test_a_picture_that_is_not_there(self):
        self.refused("gone.png: there is no such file", '<img src="gone.png">')

    def test_a_site_without_pages(self):
        status, output = check({"x.css": ""})
        self.assertEqual(status, 1, output)
        self.assertIn("there are no pages", output)


class Passes(unittest.TestCase):
    def test_links_within_and_links_that_a_reader_clicks_on(self):
        status, output = check({
            "index.html": '<p id="a b">x</p><a href="#a%20b">x</a><a href="#">x</a><a href="sub/other.html#top">x</a>'
                          '<a href="https://example.org/">x</a><a href="mailto:x@example.org">x</a><img src="data:,x">',
            "sub/other.html": OTHER + '<a href="../index.html?q=x">x</a><a name="old"></a><a href="#old">x</a>',
            "sub/x.css": "p { background: url(../index.html) } b { mask: url('data:,x') }",
        })
        self.assertEqual(status, 0, output)
        self.assertIn("2 pages", output)


if __name__ == "__main__":
    unittest.main()
