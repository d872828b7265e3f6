#!/usr/bin/env python3
"""The manual and the completions of bash and zsh have every option that --help has: help.py AMITY SHARE

AMITY is the program, SHARE the folder with what it has written (`amity help-files SHARE`).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

amity, share = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
problems = []


def demand(true, *words):
    if not true:
        problems.append(" ".join(str(w) for w in words))


def run(*command, **more):
    return subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=60, **more)


def help_of(path):
    """Names of options and of commands, as --help of the command has them."""
    text = run(amity, *path, "--help").stdout
    options, commands = [], []
    for part in re.split(r"\n\n+", text):
        lines = part.strip("\n").split("\n")
        if lines[0] == "Options:":
            for line in lines[1:]:
                if names := re.match(r"  ((?:--?[\w-]+,?)+)", line):
                    options += [name for name in names[1].split(",") if name]
        if lines[0] == "Subcommands:":
            commands = [line.split()[0] for line in lines[1:] if re.match(r"  \w", line)]
    return options, commands


def all_commands(path=()):
    options, commands = help_of(path)
    yield path, options, commands
    for command in commands:
        yield from all_commands((*path, command))


# --- the manual

def troff(text):
    return text.replace("-", r"\-")


def demand_manual(path, options):
    name = "-".join(("amity", *path[:1])) + ".1"
    text = (share / "man/man1" / name).read_text()
    if len(path) > 1:  # it is a part of the page
        begin = text.find(f".SS \\fBamity {' '.join(path)}\\fR")
        demand(begin >= 0, name, "lacks", path)
        text = text[begin:].split("\n.SS ")[0] + r"\fB\-h\fR\fB\-\-help\fR"
    for option in options:
        demand(rf"\fB{troff(option)}\fR" in text, name, "lacks", option, "of", path)


def demand_pages_that_render():
    for page in sorted((share / "man/man1").iterdir()):
        if shutil.which("man") and shutil.which("groff"):
            done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page, env=os.environ | {"LC_ALL": "C.UTF-8"})
            demand(done.returncode == 0 and not done.stderr and done.stdout, "man:", page, done.stderr)
        if shutil.which("mandoc"):
            said = run("mandoc", "-T", "lint", "-W", "warning", page).stdout.splitlines()
            # There is no date, so that the same sources give the same page.
            demand(not [s for s in said if "missing date" not in s], "mandoc:", page, said)


# --- bash

COMPLETE = """source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _amity && printf '%s\\n' "${COMPREPLY[@]}" """


def completed(*words, at=None):
    done = run("bash", "--norc", "-c", COMPLETE, "bash", share / "bash-completion/completions/amity", "amity", *words, cwd=at)
    demand(done.returncode == 0 and not done.stderr, "bash, at", words, done.stderr)
    return [word for word in done.stdout.split("\n") if word]


def demand_bash(path, options, commands):
    demand(sorted(completed(*path, "-")) == sorted(options), "bash:", path, completed(*path, "-"), "are not", options)
    if commands:
        demand(completed(*path, "") == commands, "bash:", path, completed(*path, ""), "are not", commands)


def demand_bash_knows_values():
    with tempfile.TemporaryDirectory() as at:
        os.mkdir(f"{at}/folder")
        Path(f"{at}/folder.json").touch()
        for words, expected in [
            (("run", "-t", "8", "--st"), ["--stats"]),
            (("run", "-t", ""), []),
            (("run", "--nodes", "2", "--trace-p"), ["--trace-pages"]),
            (("run", "--nodes", "--trace"), ["--trace", "--trace-last", "--trace-pages"]),
            (("run", "--trace-pages", "=", "fo"), ["folder"]),
            (("run", "--trace-pages", "="), ["folder"]),
            (("run", "--trace-pages", "=", "folder", "--st"), ["--stats"]),
            (("run", "--launcher", "bas"), None),
            (("run", "-t", "2", "--", "bas"), None),
            (("run", "./folder", "--st"), []),  # the program's own
            (("run", "--nodes", "2", "cat", "fo"), ["folder", "folder.json"]),
            (("pages", "fo"), ["folder"]),
            (("bench", "nodes", "--json", "fo"), ["folder", "folder.json"]),
            (("bench", "mess"), ["messages"]),
            (("help"), []),
        ]:
            words = (words,) if isinstance(words, str) else words
            got = completed(*words, at=at)
            good = "bash" in got if expected is None else sorted(got) == expected
            demand(good, "bash: after", words, "it has", got, "and not", expected)
        demand(str(os.getpid()) in completed("dump", "", at=at), "bash: dump knows no processes")


# --- zsh

def demand_zsh(path, options, commands):
    text = (share / "zsh/site-functions/_amity").read_text()
    begin = text.find(f"\n{'_'.join(('_amity', *path))}() {{")
    demand(begin >= 0, "zsh: no function of", path)
    body = text[begin:].split("\n}\n")[0]
    for option in options:
        demand(re.search(rf"\){re.escape(option)}[=\[]", body), "zsh:", path, "lacks", option)
    for command in commands:
        demand(f"    '{command}:" in body and f"  {command}) " in body, "zsh:", path, "lacks", command)


# The line after $2 and a tab, typed into a terminal as a user does it.
ZSH = r"""
zmodload zsh/zpty || exit 77
zpty z zsh -f -i
zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
zpty -w z 'complete_and_show() { zle complete-word; zle -I; print -r -- "<<$BUFFER>>" }'
zpty -w z "zle -N complete_and_show; bindkey '^I' complete_and_show; print BEG''UN"
zpty -r -m z seen '*BEGUN*' || exit 1
zpty -w -n z "$2"$'\t'
zpty -r -m z seen '*>>*' || exit 1
print -r -- "$seen"
zpty -d z
"""


def demand_zsh_that_runs():
    if not shutil.which("zsh"):
        return
    there = share / "zsh/site-functions"
    done = run("zsh", "-fn", there / "_amity")
    demand(done.returncode == 0 and not done.stderr, "zsh:", done.stderr)
    for typed, expected in [("run --trace-p", "run --trace-pages"), ("pag", "pages"), ("bench mess", "bench messages"),
                            ("run -t 2 --sta", "run -t 2 --stats"), ("bench nodes --inp", "bench nodes --input"),
                            ("run --nodes 2 -t 2 bas", "run --nodes 2 -t 2 bas")]:
        done = run("timeout", "30", "zsh", "-fc", ZSH, "zsh", there, f"amity {typed}")
        if done.returncode == 77:
            return
        demand(f"<<amity {expected}" in done.stdout, "zsh: after", typed, "there is", repr(done.stdout), done.stderr)


def main():
    count = 0
    for path, options, commands in all_commands():
        demand({"-h", "--help"} <= set(options), "--help of", path, "is not understood")
        demand_manual(path, options)
        demand_bash(path, options, commands)
        demand_zsh(path, options, commands)
        count += len(options)
    demand(count > 100, "--help has", count, "options")
    demand_pages_that_render()
    demand_bash_knows_values()
    demand_zsh_that_runs()
    with tempfile.TemporaryDirectory() as now:
        run(amity, "help-files", now)
        same = run("diff", "-r", now, share)
        demand(same.returncode == 0, "what was built is not what amity writes:", same.stdout)
    print("\n".join(problems) or f"{count} options\nok")
    return 1 if problems else 0


sys.exit(main())
