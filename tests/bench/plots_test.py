#!/usr/bin/env python3
"""`amity bench SUITE --plot FOLDER` leaves the JSON there in any case, and the pictures where a python3 has matplotlib.

    plots_test.py build/bin/amity SUITE PICTURE,... OPTIONS...
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def has_matplotlib():
    return any(subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0
               for python in ("python3", "/usr/bin/python3") if python == "python3" or Path(python).exists())


def main():
    amity, suite, pictures_expected, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "pictures"
        counts = ["--ranks", "2-3"] if suite in ("messages", "collectives") else ["--threads", "1-2"]
        done = subprocess.run([amity, "bench", suite, *counts, "--rounds", "1", *options, "--plot", str(folder)],
                              stderr=subprocess.PIPE, text=True)
        print(done.stderr)
        result = json.loads((folder / f"{suite}.json").read_text())
        assert result["context"]["executable"] == f"amity bench {suite}"
        pictures = sorted(path.name for path in folder.glob("*.png"))
        if has_matplotlib():
            assert done.returncode == 0, done.returncode
            assert pictures == pictures_expected.split(","), pictures
            assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.glob("*.png"))
        else:
            assert done.returncode == 1 and not pictures, (done.returncode, pictures)
            assert "python3-matplotlib" in done.stderr
        print("with pictures" if pictures else "without pictures: no matplotlib")


if __name__ == "__main__":
    main()
