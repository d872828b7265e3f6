#!/usr/bin/env python3
"""package.py BUILD COMPILER FOLDER: makes the Python package of the products in BUILD, installs it in a virtual environment in
FOLDER, and uses it there, with libraries that carry an OpenMP runtime of their own. No network."""

import importlib.util
import json
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import textwrap
import unittest
import zipfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "redirect"))
import bundled  # noqa: E402

build, compiler, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
environment = {name: value for name, value in os.environ.items()
               if not name.startswith(("LD_", "AMITY_", "OMP_", "PYTHON", "JUPYTER_", "XDG_", "VIRTUAL_ENV"))}


def run(*command, **more):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, env=environment | more, cwd=folder)


def must_run(*command, **more):
    done = run(*command, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.stdout


def python(code, *arguments, **more):
    """A script in the environment, where `bundled` and `other` are libraries with runtimes of their own, `use(library,
    threads)` opens a region in one, and `runtimes()` are the names of the OpenMP runtimes that are loaded."""
    script = folder / "script.py"
    script.write_text(f"bundled, other = {str(library)!r}, {str(second)!r}\n" + textwrap.dedent("""
        import ctypes, os, re, subprocess, sys
        def use(library, threads=0):
            seen = ctypes.c_int()
            assert ctypes.CDLL(library).plugin_run(threads, ctypes.byref(seen)) == 1, "a wrong answer"
            return seen.value
        def runtimes():
            with open("/proc/self/maps") as maps:
                return sorted(set(re.findall(r"/((?:libgomp|libomp|libiomp5)[^/\\n]*)$", maps.read(), re.M)))
        """) + textwrap.dedent(code))
    return run(environment_python, *arguments, script, **more)


class package(unittest.TestCase):
    def good(self, done, output=None):
        self.assertEqual(done.returncode, 0, done)
        if output is not None:
            self.assertEqual(done.stdout, output, done)

    def test_the_tag_is_that_of_the_symbols_and_modes_are_kept(self):
        with zipfile.ZipFile(wheel) as file:
            names = {entry.filename: entry for entry in file.infolist()}
        program = names["amity/_native/bin/amity"]
        self.assertTrue(program.external_attr >> 16 & stat.S_IXUSR)
        self.assertFalse([name for name, entry in names.items() if stat.S_ISLNK(entry.external_attr >> 16)])
        self.assertTrue(any(name.endswith("/LICENSE") for name in names), names.keys())
        native = [each for each in (package_folder / "_native").rglob("*") if each.is_file()]
        newest = max(map(int, re.findall(r"GLIBC_2\.(\d+)", must_run("objdump", "-T", *native))))
        self.assertRegex(wheel.name, rf"^amity_runtime-[0-9.]+-py3-none-manylinux_2_{newest}_{platform.machine()}\.whl$")
        major, minor = map(int, platform.libc_ver()[1].split("."))
        if (major, minor) <= (2, 36):  # what is built on a newer system may need a newer one
            self.assertLessEqual(newest, 34)
        self.assertLess(wheel.stat().st_size, 6_000_000)

    def test_run_takes_a_script_of_python(self):
        for command in (["-m", "amity"], [bin_folder / "amity"]):
            done = python("print(use(bundled), use(other), runtimes())", *command, "run", "-v", "-t", "3") \
                if command[0] == "-m" else run(*command, "run", "-v", "-t", "3", folder / "script.py")
            self.good(done, "3 3 ['libomp_amity.so.1']\n")
            self.assertRegex(done.stderr, r"^amity: python3? \(process \d+\): libgomp-1\.so -> Amity \(asked for by ")

    def test_run_takes_other_programs(self):
        (folder / "plain.c").write_text("#include <omp.h>\nint main(void) { int n = 0;\n#pragma omp parallel reduction(+ : n)\n"
                                        "++n;\nreturn n; }\n")
        bundled.Maker(compiler, folder).compile_c("-fopenmp", folder / "plain.c", "-o", folder / "plain")
        done = run(bin_folder / "amity", "run", "-v", "-t", "5", "--", folder / "plain")
        self.assertEqual(done.returncode, 5, done)
        self.assertIn("libgomp.so.1 -> Amity (asked for by the program)", done.stderr)
        self.assertIn("Cores that may be used", must_run(bin_folder / "amity", "info"))

    def test_scripts_as_arguments_of_programs_stay_what_they_are(self):
        code = "import sys; from amity.__main__ import _with_interpreter as w; print(w(sys.argv[1:]))"
        (folder / "a.py").write_text("")
        for line, expected in ((["-t", "4", "a.py", "b.py"], ["-t", "4", "PYTHON", "a.py", "b.py"]),
                               (["--", "a.py"], ["--", "PYTHON", "a.py"]), (["-v", "a.py"], ["-v", "PYTHON", "a.py"]),
                               (["-t", "4", "python3", "a.py"], ["-t", "4", "python3", "a.py"]),
                               (["--", "cat", "a.py"], ["--", "cat", "a.py"]), (["missing.py"], ["missing.py"]),
                               (["-v", "python3", "a.py"], ["-v", "python3", "a.py"]),
                               (["--stats", "./b", "a.py"], ["--stats", "./b", "a.py"]),
                               (["--launcher", "cat", "a.py"], ["--launcher", "cat", "PYTHON", "a.py"]),
                               (["-t4", "--nodes", "2", "a.py"], ["-t4", "--nodes", "2", "PYTHON", "a.py"]),
                               (["--nodes", "a.py"], ["--nodes", "PYTHON", "a.py"]), (["-t"], ["-t"]), ([], [])):
            printed = must_run(environment_python, "-c", code, *line).replace(str(environment_python), "PYTHON")
            self.assertEqual(printed, f"{expected}\n")

    def test_activate_makes_amity_the_runtime(self):
        self.good(python("""
            import amity
            assert not amity.is_active()
            amity.activate()
            assert amity.is_active() and runtimes() == ["libomp_amity.so.1"]
            before = amity.stats()
            assert before["regions"] == 0, before
            assert use(bundled, 3) == 3 and use(other, 3) == 3
            after = amity.stats()
            assert after["regions"] == 2 and after["tasks"] == 16, after
            assert all(number >= 0 for number in after.values()) and after["carriers"] >= 1
            amity.activate()                      # again: no harm
            assert os.environ["LD_AUDIT"].count("amity_redirect.so") == 1
            print(amity.__version__ != "", use(bundled) == amity.threads())"""), "True True\n")

    def test_threads_and_limits(self):
        self.good(python("""
            import amity
            amity.activate(threads=5)
            print(amity.threads(), use(bundled))
            with amity.limit(2):
                print(amity.threads(), use(bundled))
                with amity.limit(3): print(use(bundled))
            try:
                with amity.limit(1): raise KeyError
            except KeyError: pass
            print(use(bundled))
            amity.activate(threads=4)
            print(use(bundled))
            for wrong in (0, -1, 2**40, 1.5, "2", None, True):
                try:
                    with amity.limit(wrong): print("no error for", wrong)
                except ValueError as e: assert "number of threads" in str(e), e
            """), "5 5\n2 2\n3\n5\n4\n")

    def test_activate_says_that_it_is_too_late(self):
        self.good(python("""
            import amity
            use(bundled)
            before = dict(os.environ)
            try: amity.activate(threads=2)
            except RuntimeError as e: assert "too late" in str(e) and "/bundled.libs/libgomp-1.so" in str(e), e
            else: print("no error")
            assert dict(os.environ) == before and not amity.is_active()
            for each in (amity.threads, amity.stats, amity.limit(1).__enter__):
                try: each()
                except RuntimeError as e: assert "amity.activate()" in str(e), e
                else: print("no error")
            """), "")

    def test_activate_under_run(self):
        self.good(python("""
            import amity
            amity.activate()
            print(use(bundled), runtimes(), os.environ["LD_AUDIT"].count("amity_redirect.so"))
            """, "-m", "amity", "run", "-t", "2"), "2 ['libomp_amity.so.1'] 1\n")
        self.good(python("""
            import amity
            assert use(bundled) == 2
            amity.activate(threads=3)
            print(use(bundled), amity.stats()["regions"])
            """, "-m", "amity", "run", "-t", "2"), "3 2\n")

    def test_activate_under_the_run_of_another_amity(self):
        """That one's auditor leads every name to its own library: a second Amity beside it would have a pool of its own."""
        another = folder / "another_amity"
        shutil.copytree(package_folder / "_native", another, dirs_exist_ok=True)
        script = """
            import amity
            amity.activate(threads=3)
            print(use(bundled), use(other))
            with open("/proc/self/maps") as maps:
                print(sorted(set(re.findall(r"/\\S*libomp_amity\\S*$", maps.read(), re.M))))
            """
        python(script)  # writes it
        done = run(another / "bin/amity", "run", "--", environment_python, folder / "script.py")
        self.good(done, f"3 3\n['{another}/lib/libomp_amity.so.1']\n")

    def test_a_number_of_numpys(self):
        self.good(python("""
            import amity
            class Four:
                def __index__(self): return 4
            amity.activate(threads=Four())
            print(amity.threads(), use(bundled))
            """), "4 4\n")

    def test_children_have_amity_too(self):
        self.good(python("""
            if __name__ == "__main__":
                import amity, multiprocessing
                amity.activate(threads=3)
                code = "import ctypes; ctypes.CDLL(%r); print(open('/proc/self/maps').read())" % other
                printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
                assert "libomp_amity.so.1" in printed and "libgomp" not in printed, printed
                for method in ("spawn", "forkserver", "fork"):
                    with multiprocessing.get_context(method).Pool(2) as pool:
                        assert pool.map(use, [bundled] * 4) == [3] * 4
                        if method != "fork": assert pool.apply(runtimes) == ["libomp_amity.so.1"], method
            """), "")

    def test_a_folder_with_a_colon(self):
        odd = folder / "a:b"
        shutil.copytree(package_folder, odd / "amity", dirs_exist_ok=True)
        self.good(python(f"""
            sys.path.insert(0, {str(odd)!r})
            import amity
            try: amity.activate(threads=2)
            except RuntimeError as e: print("LD_AUDIT" in str(e) and ":" in str(e))
            assert not amity.is_active() and "OMP_NUM_THREADS" not in os.environ
            """), "True\n")

    def test_a_part_is_missing(self):
        part = folder / "part"
        shutil.copytree(package_folder, part / "amity", dirs_exist_ok=True)
        (part / "amity/_native/lib/libomp_amity.so.1").unlink()
        (part / "amity/_native/bin/amity").unlink()
        self.good(python(f"""
            sys.path.insert(0, {str(part)!r})
            import amity
            try: amity.activate()
            except RuntimeError as e: print("libomp_amity.so.1 is missing" in str(e))
            done = subprocess.run([sys.executable, "-m", "amity", "info"], env=os.environ | {{"PYTHONPATH": {str(part)!r}}},
                                  capture_output=True, text=True)
            print(done.returncode, "can't be started: No such file" in done.stderr)
            """), "True\n127 True\n")

    def test_the_magic_of_notebooks(self):
        done = python("""
            import amity, types
            magics = {"line": {}, "cell": {}}
            class Shell:
                magics_manager = types.SimpleNamespace(magics=magics)
                def register_magic_function(self, function, kind, name):
                    assert kind == "line_cell"
                    magics["line"][name] = magics["cell"][name] = function
                def run_cell(self, cell): exec(cell, globals())
            shell = Shell()
            amity.load_ipython_extension(shell)
            magic = magics["line"]["amity"]
            magic("6")
            magic("2", "print(use(bundled))")
            magic("")
            try: magic("many")
            except ValueError as e: print(e)
            amity.unload_ipython_extension(shell)
            assert magics == {"line": {}, "cell": {}}
            """)
        self.good(done)
        self.assertRegex(done.stdout, r"^amity: 6 threads a region; 0 regions, .*\n2\n"
                                      r"amity: 6 threads a region; 1 regions, .* 8 tasks, .*\namity: 6 threads .* 1 regions.*\n"
                                      r"%amity takes a number of threads or nothing, not 'many'\n$")

    def test_a_kernel_for_jupyter(self):
        install = ("-m", "amity", "install-kernel")
        done = run(environment_python, *install)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("pip install ipykernel", done.stderr)
        stand_in = folder / "stand-in"  # for the ipykernel that PyPI has
        (stand_in / "ipykernel").mkdir(parents=True, exist_ok=True)
        (stand_in / "ipykernel/__init__.py").write_text("")
        (stand_in / "ipykernel_launcher.py").write_text(
            f"import ctypes, sys\nctypes.CDLL({str(library)!r})\n"
            "print(sys.argv[1:], 'libomp_amity' in open('/proc/self/maps').read(), 'libgomp' in open('/proc/self/maps').read())\n")
        self.good(run(environment_python, *install, "-t", "3", PYTHONPATH=str(stand_in)))
        file = folder / "venv/share/jupyter/kernels/amity/kernel.json"
        described = json.loads(file.read_text())
        self.assertEqual(described["language"], "python")
        command = [each.replace("{connection_file}", "x.json") for each in described["argv"]]
        self.good(run(*command, PYTHONPATH=str(stand_in)), "['-f', 'x.json'] True False\n")
        home = folder / "home"
        self.good(run(environment_python, *install, "--user", "--name", "mine", PYTHONPATH=str(stand_in), HOME=str(home)))
        self.assertTrue((home / ".local/share/jupyter/kernels/mine/kernel.json").is_file())
        for wrong in (["--name", "a/b"], ["-t", "0"], ["-t", "many"]):
            self.assertEqual(run(environment_python, *install, *wrong).returncode, 2)

    def test_threadpoolctl(self):
        if importlib.util.find_spec("threadpoolctl") is None:
            self.skipTest("threadpoolctl is not installed")
        beside = os.path.dirname(importlib.util.find_spec("threadpoolctl").origin)
        self.good(python(f"""
            sys.path.append({beside!r})
            import amity, amity.threadpoolctl, threadpoolctl
            amity.activate(threads=4)
            own = [each for each in threadpoolctl.threadpool_info() if each["internal_api"] == "amity"]
            assert len(own) == 1 and own[0]["num_threads"] == 4 and own[0]["version"] == amity.__version__, own
            with threadpoolctl.threadpool_limits(2): print(use(bundled))
            print(use(bundled))
            """), "2\n4\n")


for needed in ("setuptools", "wheel", "pip", "venv", "ensurepip"):
    if importlib.util.find_spec(needed) is None:
        print(f"package.py: skipped: {sys.executable} has no {needed}")
        sys.exit(77)
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
folder = folder.resolve()
wheel = pathlib.Path(must_run(sys.executable, here.parent.parent / "tools/make_wheel.py", build, folder / "wheel").strip())
must_run(sys.executable, "-m", "venv", folder / "venv")
bin_folder = folder / "venv/bin"
environment_python = bin_folder / "python3"
must_run(environment_python, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", wheel)
package_folder = next((folder / "venv/lib").glob("python3*/site-packages/amity"))
maker = bundled.Maker(compiler, folder)
library, second = maker.make("bundled", "libgomp-1.so"), maker.make("another", "libgomp-2.so")
unittest.main(argv=sys.argv[:1])
