#!/usr/bin/env python3
"""Amity's own launcher: what becomes of output, input, signals and ends of the processes that it starts.

    launcher.py AMITY PROGRAM CASE

PROGRAM is one of several processes that says "ok" at its end. Each case has a time limit of its own, and no process of
a job may be left.
"""

import atexit
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

amity, program, case = sys.argv[1:]
LIMIT = 40


def fail(text):
    print(text)
    sys.exit(1)


def expect(holds, *what):
    if not holds:
        fail("wrong: " + " ".join(str(w) for w in what))


def begin(ranks, script, *options, **more):
    """A job of shells, each with its rank in $PMI_RANK."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
    job = subprocess.Popen([amity, "run", "-n", str(ranks), *options, "--", "bash", "-c", script], **more)
    atexit.register(job.kill)  # whatever this test finds: the ranks end with it
    return job


def end(job, stdin=None, limit=LIMIT):
    try:
        out, err = job.communicate(stdin, timeout=limit)
    except subprocess.TimeoutExpired:
        job.kill()
        fail(f"no end within {limit} s")
    return job.returncode, out, err


def run(ranks, script, *options, stdin=None, **more):
    return end(begin(ranks, script, *options, **more), stdin)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def expect_gone(pids, within=10):
    until = time.monotonic() + within
    while any(is_alive(p) for p in pids):
        if time.monotonic() > until:
            left = [p for p in pids if is_alive(p)]
            for p in left:
                os.kill(p, signal.SIGKILL)
            fail(f"processes {left} are left")
        time.sleep(0.01)


def pids_of(job, count):
    """The numbers that so many lines of the job consist of."""
    return [int(job.stdout.readline()) for _ in range(count)]


def statuses():
    for script, expected in (("exit 0", 0), ("exit 3", 3), ("[ $PMI_RANK = 1 ] && exit 7; exec sleep 100", 7),
                             ("[ $PMI_RANK = 1 ] && kill -SEGV $$; exec sleep 100", 139)):
        status, _, err = run(2, script)
        expect(status == expected, script, "ended with", status, err)
    expect(run(2, "kill -SEGV $$")[2].count("was ended by signal 11") >= 1)
    status, _, err = end(subprocess.Popen([amity, "run", "-n", "2", "/nowhere/at/all"], stderr=subprocess.PIPE, text=True))
    expect(status == 127 and "no such file" in err, status, err)


def cannot_be_run():
    script = Path(os.environ.get("TMPDIR", "/tmp")) / f"amity_no_interpreter_{os.getpid()}"
    script.write_text("#!/nowhere/at/all\n")
    script.chmod(0o755)
    try:
        status, _, err = end(subprocess.Popen([amity, "run", "-n", "3", str(script)], stderr=subprocess.PIPE, text=True))
        expect(status == 127 and err.count("cannot run") == 1, status, err)
    finally:
        script.unlink()


def whole_lines():
    # Lines in pieces, and long ones.
    script = r"""for i in {1..200}; do printf "rank $PMI_RANK "; printf "%0500d" $i; printf " end\n"; done"""
    status, out, _ = run(4, script)
    expect(status == 0)
    lines = out.splitlines()
    expect(len(lines) == 800 and all(re.fullmatch(r"rank [0-3] 0*\d+ end", l) for l in lines), "lines are mixed")
    for rank in range(4):
        numbers = [int(l.split()[2]) for l in lines if l.startswith(f"rank {rank} ")]
        expect(numbers == list(range(1, 201)), "order of rank", rank)


def much_output():
    """Bytes arrive as they are, also where they are no text and the reader is slow."""
    job = begin(2, "[ $PMI_RANK = 0 ] && head -c 20000000 /dev/zero | tr '\\0' '\\377'; exit 0", text=False)
    time.sleep(0.3)
    out, _ = job.communicate(timeout=LIMIT)
    expect(job.returncode == 0 and out == b"\377" * 20000000, job.returncode, len(out))


def tags():
    status, out, err = run(2, "echo a; echo b >&2; printf c", "--tag")
    expect(status == 0)
    expect(sorted(out.replace("c[", "c\n[").split()) == ["[0]", "[0]", "[1]", "[1]", "a", "a", "c", "c"], out)
    expect(sorted(err.splitlines()) == ["[0] b", "[1] b"], err)


def one_stream():
    """2>&1 keeps a rank's own order."""
    script = "for i in {1..50}; do echo out $i; echo err $i >&2; done"
    status, out, _ = run(1 + 1, f"[ $PMI_RANK = 0 ] || exit 0; {script}", stderr=subprocess.STDOUT)
    expect(status == 0 and out.split() == [w for i in range(1, 51) for w in ("out", str(i), "err", str(i))], out)


def prompt():
    """What a program asks without ending the line is seen while it waits."""
    job = begin(2, "[ $PMI_RANK = 0 ] || exit 0; printf 'name? '; read name; echo hello $name", stdin=subprocess.PIPE)
    ready, _, _ = select.select([job.stdout], [], [], 20)
    expect(ready and os.read(job.stdout.fileno(), 100) == b"name? ", "no prompt")
    status, out, _ = end(job, "you\n")
    expect(status == 0 and out == "hello you\n", status, out)


def standard_input():
    status, out, _ = end(
        begin(3, "cat | sed s/^/$PMI_RANK:/", stdin=subprocess.PIPE), "a\nb\n")
    expect(status == 0 and out == "0:a\n0:b\n", status, out)


def closed_files():
    status, _, _ = end(subprocess.Popen(["bash", "-c", f"exec '{amity}' run -n 2 -- '{program}' <&- >&- 2>&-"]))
    expect(status == 0, status)


def reader_gone():
    job = begin(2, "echo $$; while echo y; do :; done")
    pids = pids_of(job, 1)
    job.stdout.close()
    job.stdout = open(os.devnull)
    expect(job.wait(LIMIT) != 0, "it says that all is well")
    expect_gone(pids)


def disk_full():
    if not os.path.exists("/dev/full"):
        sys.exit(77)
    with open("/dev/full", "w") as full:
        status, _, err = run(2, "echo hello", stdout=full)
    expect(status == 125 and "No space left" in err, status, err)


def terminal():
    """On a terminal lines are seen as they are written, with a tag as without."""
    for options in ((), ("--tag",)):
        ours, its = pty.openpty()
        script = "import time\nfor i in range(2):\n  print('line', i)\n  time.sleep(30 * i)"
        job = subprocess.Popen([amity, "run", "-n", "2", *options, "--", sys.executable, "-c", script], stdout=its, stderr=its,
                               stdin=its)
        os.close(its)
        text, until = b"", time.monotonic() + 20
        while text.count(b"line 1") < 2 and time.monotonic() < until and select.select([ours], [], [], 20)[0]:
            text += os.read(ours, 1000)
        job.send_signal(signal.SIGTERM)
        expect(job.wait(LIMIT) == 143, job.returncode)
        os.close(ours)
        expect(text.count(b"line 1") == 2, options, text)
        expect(options == () or text.count(b"[1] line") == 2, text)


def signals():
    job = begin(2, "trap 'echo usr1' USR1; trap 'echo term; exit 5' TERM; echo $$; while :; do sleep 0.05; done")
    pids_of(job, 2)
    job.send_signal(signal.SIGUSR1)
    expect([job.stdout.readline() for _ in range(2)] == ["usr1\n"] * 2)
    job.send_signal(signal.SIGTERM)
    status, out, err = end(job)
    expect(status == 5 and out.count("term") == 2, status, out, err)
    job = begin(2, "echo $$; exec sleep 1000")
    pids = pids_of(job, 2)
    job.send_signal(signal.SIGINT)
    status, _, err = end(job)
    expect(status == 130 and err == "", status, err)
    expect_gone(pids)


def stops_and_goes_on():
    # A group of its own, whose parent is in the same session: the kernel stops none that is an orphan's.
    job = begin(2, "echo $$; while :; do sleep 0.05; done", process_group=0)
    pids = pids_of(job, 2)
    state = lambda p: Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()[0]

    def until(stopped):
        for _ in range(1000):
            if all((state(p) == "T") == stopped for p in [*pids, job.pid]):
                return
            time.sleep(0.01)
        fail(f"not {'stopped' if stopped else 'going on'}: {[state(p) for p in [*pids, job.pid]]}")

    job.send_signal(signal.SIGTSTP)
    until(True)
    job.send_signal(signal.SIGCONT)
    until(False)
    job.send_signal(signal.SIGTERM)
    expect(end(job)[0] == 143)


def killed():
    """Also a rank that ignores what can be ignored."""
    job = begin(3, "trap '' TERM HUP INT; echo $$; while :; do sleep 0.05; done")
    pids = pids_of(job, 3)
    job.kill()
    job.wait()
    expect_gone(pids)


def others_are_ended():
    script = """trap '' TERM; [ $PMI_RANK = 2 ] && sleep 0.2 && exit 9
    sleep 1000 & echo $!; echo $$; wait; while :; do sleep 0.05; done"""
    job = begin(3, script)
    pids = pids_of(job, 4)
    status, _, err = end(job)
    expect(status == 9 and "rank 2" in err and "exit status 9; the others are ended" in err, status, err)
    expect_gone(pids, 1)


def keeps_going():
    script = "[ $PMI_RANK = 1 ] && kill -KILL $$; sleep 1.5; echo ok"
    status, out, err = run(3, script, "--keep-going")
    expect(status == 137 and out == "ok\nok\n" and "was ended by signal 9" in err, status, out, err)


def one_never_joins():
    """The others wait for it to join, and it has ended."""
    status, _, err = run(3, f"[ $PMI_RANK = 1 ] && exit 0; exec '{program}'")
    expect(status != 0 and "rank 1 has ended" in err, status, err)


def nonsense_for_the_process_manager():
    status, out, _ = run(2, f"printf 'cmd=\\ncmd=x y=z\\n\\0\\1\\n' >&$PMI_FD; read -t 5 <&$PMI_FD; exec '{program}'")
    expect(status == 0 and out.endswith("ok\n"), status, out)


def many():
    status, out, _ = run(300, "echo $PMI_RANK")
    expect(status == 0 and sorted(map(int, out.split())) == list(range(300)), status, len(out.split()))


def too_many():
    """Where the system gives no further process, the job ends with words."""
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            sys.exit(77)
        before = ["setpriv", "--reuid", "12345", "--clear-groups", "--inh-caps", "-all", "--"]
    else:
        before = []
    command = [*before, "bash", "-c", f"ulimit -u 20; exec '{amity}' run -n 100 -- sleep 1000"]
    if subprocess.run([*before, amity, "--version"], capture_output=True).returncode != 0:
        sys.exit(77)  # that user can't read it
    status, _, err = end(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    expect(status == 125 and "cannot start rank" in err, status, err)


def within_another():
    """A job in a rank of another launcher's is its own."""
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        sys.exit(77)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 and "Open MPI" in subprocess.run(
        [mpirun, "--version"], capture_output=True, text=True).stdout else []
    status, out, err = end(subprocess.Popen([mpirun, *root, "-n", "1", amity, "run", "-n", "2", "--", program],
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    expect(status == 0 and out.count("ok\n") == 1, status, out, err)


def wishes():
    status, _, err = end(subprocess.Popen([amity, "run", "-n", "2", "--launcher", "amity", "--hosts", "a,b", "true"],
                                          stderr=subprocess.PIPE, text=True))
    expect(status == 125 and "this machine alone" in err, status, err)
    # Nothing of other launchers is needed.
    status, out, err = end(subprocess.Popen([amity, "run", "-n", "2", "--", program], env={**os.environ, "PATH": "/nowhere"},
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    expect(status == 0 and out == "ok\n", status, out, err)
    status, _, err = end(subprocess.Popen([amity, "run", "-n", "2", "--", program], stderr=subprocess.PIPE, text=True,
                                          env={**os.environ, "PATH": "/nowhere", "SLURM_JOB_ID": "1"}))
    expect(status == 125 and "SLURM_JOB_ID" in err and "--launcher amity" in err, status, err)


CASES = {f.__name__: f for f in (
    statuses, cannot_be_run, whole_lines, much_output, tags, one_stream, prompt, standard_input, closed_files, reader_gone,
    disk_full, terminal, signals, stops_and_goes_on, killed, others_are_ended, keeps_going, one_never_joins,
    nonsense_for_the_process_manager, many, too_many, within_another, wishes)}

if case == "list":
    print("\n".join(CASES))
else:
    CASES[case]()
    print("ok")
