#!/usr/bin/env python3
"""Writes what mkdocs builds the site from: every Markdown page of the repository, and mkdocs.yml with the navigation.

sources.py FOLDER SITE [REFERENCE]

The pages go to FOLDER/pages, in the repository's folders, so that links between pages stay as they are. A link to a file that
is no page, such as a header, becomes text with the file's path. A link to nothing is an error. SITE is where mkdocs is to write
the site; REFERENCE names the C++ reference's folder, if the site has it.
"""
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Pages that the site has under another name; all others keep theirs.
RENAMED = {"docs/site/index.md": "index.md", "README.md": "overview.md"}
ASSETS = {f"docs/site/{name}": f"assets/{name}" for name in ("site.css", "iframe-worker.js", "favicon.svg")}
WIDE_PAGES = {"docs/guide.md"}  # without the column of other pages' names: it has listings beside each other
TUTORIALS = [*(f"docs/tutorials/{name}.md" for name in ("openmp", "tasks", "processes", "devices", "nodes")),
             "docs/thread-sanitizer.md"]
PYTHON = [f"docs/python/{name}.md" for name in ("venv", "docker", "jupyter", "systemd", "conda")]
PERFORMANCE = {"performance": "OpenMP", "performance-suites": "C++ and the other benchmarks",
               "performance-processes": "Several processes", "performance-nodes": "One program over several processes",
               "performance-devices": "Devices"}

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<lines>.*?)^(?P=indent)``` *$", re.DOTALL | re.MULTILINE)
WIDE = 92  # columns of a listing that have room at the usual size
SPAN_OR_LINK = re.compile(r"(?P<mark>`+)(?!`).+?(?<!`)(?P=mark)(?!`)"
                          r"|(?P<image>!?)\[(?P<text>(?:`[^`]*`|[^\]`])*)\]\((?P<target>[^)\s]+)\)", re.DOTALL)
COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE)
PAIR = re.compile(r"<table><tr><th>(?P<left>[^<]*)</th><th>(?P<right>[^<]*)</th></tr><tr><td>\n(?P<first>.*?)\n</td><td>\n"
                  r"(?P<second>.*?)\n</td></tr></table>", re.DOTALL)
ITEM = re.compile(r"(?:[*-]|\d+\.) ")


def repository_files():
    """Those under version control, or all where this is no checkout of ours."""
    git = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True,
                         text=True, check=False)
    if git.returncode == 0 and git.stdout:
        files = git.stdout.splitlines()
    else:
        files = [str(f.relative_to(ROOT)) for f in ROOT.rglob("*")]
        files = [f for f in files if not f.startswith((".git/", "build/"))]
    return {f for f in files if (ROOT / f).is_file()}


def name_in_site(page):
    return RENAMED.get(page, page)


class Page:
    """One page on its way into the site."""

    def __init__(self, path, files, folders):
        self.path, self.files, self.folders, self.errors, self.pictures = path, files, folders, [], set()

    def text(self):
        source = (ROOT / self.path).read_text()
        source = PAIR.sub(side_by_side, source)
        parts, at = [], 0
        for fence in FENCE.finditer(source):
            parts += [self.prose(source[at:fence.start()]), code(fence)]
            at = fence.end()
        front = "---\nhide: [navigation]\n---\n\n" if self.path in WIDE_PAGES else ""
        return "".join([front, *parts, self.prose(source[at:])])

    def prose(self, text):
        return SPAN_OR_LINK.sub(self.link, lists_stand_apart(COMMENT.sub("", text)))

    def link(self, match):
        target = match["target"]
        if target is None or target.startswith("#") or re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
        if path in self.folders and path + "/README.md" in self.files:
            path += "/README.md"
        if match["image"]:
            self.pictures.add(path)
        elif path not in self.files | self.folders:
            self.errors.append(f"{self.path}: [{match['text']}]({target}) leads nowhere")
        if match["image"] or path.endswith(".md"):
            here = posixpath.dirname(name_in_site(self.path))
            there = posixpath.relpath(name_in_site(path), here or ".")
            return f"{match['image']}[{match['text']}]({there}{'#' * bool(anchor)}{anchor})"
        named = match["text"].strip("`").rstrip("/")
        return f"`{named}`" if ("/" + path).endswith("/" + named) else f"{match['text']} (`{path}`)"


def side_by_side(pair):
    """The guide's listings, two columns of a table there, are two boxes here, which a telephone shows one above the other."""
    sides = "".join(f'<div class="side" markdown="1">\n<p class="side-name">{pair[name]}</p>\n{pair[listing]}\n</div>\n'
                    for name, listing in (("left", "first"), ("right", "second")))
    return f'<div class="sides" markdown="1">\n{sides}</div>\n'


def code(fence):
    """A listing: in smaller letters if it is wide; within a list's item, indented by the four that Python-Markdown wants."""
    lines, language = fence["lines"], fence["language"]
    if max(map(len, lines.split("\n"))) > WIDE:
        language = f" {{ .{language or 'text'} .wide }}"
    listing = f"```{language}\n{lines}{fence['indent']}```"
    if not fence["indent"]:
        return listing
    return "\n    " + re.sub("^" + fence["indent"], "    ", listing, flags=re.MULTILINE) + "\n"


def lists_stand_apart(text):
    """As Python-Markdown wants it: an empty line before each list, and an item's further lines indented by four."""
    lines, in_list, has_paragraphs = [], False, False
    for line in text.split("\n"):
        is_item = ITEM.match(line) is not None
        before = lines[-1].strip() if lines else ""
        if is_item and before and (not in_list or has_paragraphs):
            lines.append("")
        in_list = is_item or (in_list and bool(before or not line.strip() or line.startswith("  ")))
        has_paragraphs = in_list and not is_item and (has_paragraphs or not before)
        lines.append(re.sub(r"^ {2,3}(?=\S)", "    ", line) if in_list else line)
    return "\n".join(lines)


def heading(page):
    text = re.search(r"^# (.*)$", (ROOT / page).read_text(), re.MULTILINE)[1].replace("`", "")
    return re.sub(r"[<>]", "", text)


def folder_in_navigation(folder, pages):
    """A folder's README, its other pages, then the folders in it, each the same way."""
    own = sorted(p for p in pages if posixpath.dirname(p) == folder)
    inner = sorted({p[len(folder) + 1:].split("/")[0] for p in pages if p.startswith(folder + "/") and p not in own})
    first, *others = sorted(own, key=lambda p: posixpath.basename(p) != "README.md")
    entries = [first, *({heading(p): p} for p in others)]
    for name in inner:
        path = posixpath.join(folder, name)
        while not any(posixpath.dirname(p) == path for p in pages):  # nothing but one folder
            deeper = next(p for p in pages if p.startswith(path + "/"))[len(path) + 1:].split("/")[0]
            path, name = posixpath.join(path, deeper), posixpath.join(name, deeper)
        entries.append({name: folder_in_navigation(path, pages)})
    return entries if len(entries) > 1 else first


def decisions(pages):
    numbered = [p for p in pages if re.match(r"docs/decisions/\d", p)]
    title = {p: re.sub(r"^\d+[.:]? ", "", heading(p)) for p in numbered}
    return ["docs/decisions/README.md", *({f"{int(posixpath.basename(p)[:4])}. {title[p]}": p} for p in sorted(numbered))]


def navigation(pages, reference):
    about = [{"Overview": name_in_site("README.md")}, {"Changes": "CHANGELOG.md"}, {"Contributing": "CONTRIBUTING.md"},
             {"aarch64": "docs/aarch64.md"}, {"The documentation's pages": "docs/README.md"},
             {"The reference's first page": "docs/reference/start.md"}, {"This site": "docs/site/README.md"}]
    about += [{name: folder_in_navigation(name, pages)}
              for name in ("examples", "bench", "tests", "script", "tools", "cmake", "python", "packaging")]
    entries = [
        {"Amity": "index.md"},
        {"Tutorials": [{heading(p): p} for p in TUTORIALS]},
        {"Python": [{heading(p): p} for p in PYTHON]},
        {"Guide": "docs/guide.md"},
        *([{"C++ reference": "reference/index.html"}] if reference else []),
        {"Performance": [{title: f"docs/{name}.md"} for name, title in PERFORMANCE.items()]},
        {"How it works": [{"Architecture": "ARCHITECTURE.md"}, {"Modules": folder_in_navigation("amity", pages)}]},
        {"Decisions": decisions(pages)},
        {"The repository": about},
    ]
    listed = set(re.findall(r'"([^"]*\.md)"', json.dumps(entries)))
    missing = {name_in_site(p) for p in pages} - listed
    return entries, [f"{p}: not in the navigation of docs/site/sources.py" for p in sorted(missing)]


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    work, site = (Path(a).resolve() for a in arguments[:2])
    files = repository_files()
    folders = {posixpath.dirname(f) for f in files}
    folders |= {str(above) for f in folders for above in Path(f).parents}
    paths = sorted(f for f in files if f.endswith(".md"))
    shutil.rmtree(work, ignore_errors=True)
    errors, copies = [], dict(ASSETS)
    for path in paths:
        page = Page(path, files, folders)
        text = page.text()
        errors += page.errors
        copies |= {picture: picture for picture in page.pictures}
        output = work / "pages" / name_in_site(path)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text)
    for source, output in copies.items():
        if source not in files:
            errors.append(f"{source}: there is no such file")
            continue
        (work / "pages" / output).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, work / "pages" / output)
    entries, missing = navigation(paths, len(arguments) == 3)
    errors += missing
    settings = {"INHERIT": os.path.relpath(ROOT / "docs/site/mkdocs.yml", work), "docs_dir": "pages", "site_dir": str(site),
                "nav": entries}
    (work / "mkdocs.yml").write_text(json.dumps(settings, indent=1, ensure_ascii=False) + "\n")
    if errors:
        sys.exit("\n".join(errors))
    print(f"{len(paths)} pages in {work}")


if __name__ == "__main__":
    main(sys.argv[1:])
