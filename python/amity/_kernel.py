"""`python -m amity install-kernel`: a kernel for Jupyter that runs on Amity."""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import sys


def _folder_of_kernels(of_user):
    """Where Jupyter looks for kernels: those of this environment, or the user's own."""
    if not of_user:
        return pathlib.Path(sys.prefix) / "share" / "jupyter" / "kernels"
    data = os.environ.get("JUPYTER_DATA_DIR")
    if data is None:
        data = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "jupyter")
    return pathlib.Path(data) / "kernels"


def install(arguments):
    """Writes the kernel's description; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m amity install-kernel",
        description="Adds a kernel to Jupyter: this Python, started by 'amity run', so that every library in it uses Amity.",
    )
    parser.add_argument("--name", default="amity", help="the kernel's folder (default: amity)")
    parser.add_argument("--display-name", default=None, help="what Jupyter shows (default: Python 3.x (Amity))")
    parser.add_argument("-t", "--threads", type=int, default=None, help="threads of a region (default: one a core)")
    parser.add_argument("--user", action="store_true", help="for this user, not for this environment")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[A-Za-z0-9._-]+", options.name):
        parser.error(f"a kernel's name has letters, digits, '.', '-' and '_', not '{options.name}'")
    if options.threads is not None and options.threads < 1:
        parser.error(f"--threads is at least 1, not {options.threads}")
    if importlib.util.find_spec("ipykernel") is None:
        print(f"amity: {sys.executable} has no ipykernel, which a kernel needs: pip install ipykernel", file=sys.stderr)
        return 1

    count = [] if options.threads is None else ["-t", str(options.threads)]
    python = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    version = "%d.%d" % sys.version_info[:2]
    description = {
        "argv": [sys.executable, "-m", "amity", "run", *count, "--", *python],
        "display_name": options.display_name or f"Python {version} (Amity)",
        "language": "python",
        "metadata": {"debugger": True},
    }
    folder = _folder_of_kernels(options.user) / options.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    except OSError as failed:
        print(f"amity: the kernel can't be written: {failed}; --user writes it to your own folder", file=sys.stderr)
        return 1
    print(f"amity: Jupyter has the kernel '{description['display_name']}' now ({folder})")
    return 0
