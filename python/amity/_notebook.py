"""IPython and Jupyter: `%load_ext amity`, `%amity`, `%%amity`."""

from . import _runtime


def load_ipython_extension(shell):
    """For `%load_ext amity`: activates Amity, and adds the magic. `%amity` says how many threads a region has and what was
    done so far, `%amity 4` sets their number, `%%amity` and `%%amity 4` run a cell and say what the runtime did in it."""
    _runtime.activate()
    shell.register_magic_function(_magic_of(shell), "line_cell", "amity")


def unload_ipython_extension(shell):
    """For `%unload_ext amity`: takes the magic away. The runtime stays: what was imported uses it."""
    shell.magics_manager.magics["line"].pop("amity", None)
    shell.magics_manager.magics["cell"].pop("amity", None)


def _magic_of(shell):
    def amity(line, cell=None):
        """%amity [THREADS], %%amity [THREADS]"""
        count = _count_in(line)
        if cell is None:
            if count is not None:
                _runtime.activate(threads=count)
            print(_words(_runtime.stats()))
            return
        before = _runtime.stats()
        with _runtime.limit(count if count is not None else _runtime.threads()):
            shell.run_cell(cell)
        after = _runtime.stats()
        after_less_before = {name: number - before[name] for name, number in after.items()}
        print(_words({**after_less_before, "carriers": after["carriers"]}))

    return amity


def _count_in(line):
    text = line.strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"%amity takes a number of threads or nothing, not '{text}'") from None


def _words(done):
    return (
        f"amity: {_runtime.threads()} threads a region; {done['regions']} regions, {done['serial_regions']} of one thread, "
        f"{done['tasks']} tasks, {done['steals']} steals, {done['sleeps']} sleeps"
    )
