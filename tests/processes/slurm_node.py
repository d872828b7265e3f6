#!/usr/bin/env python3
"""Jobs that Slurm's srun starts. This machine becomes a cluster of one node for as long as the test takes: slurmctld and
slurmd with a configuration in a folder of their own, on ports that are free. Needs root and Slurm; 77: skipped.

    slurm_node.py AMITY ENDS ORDER PROGRAM...

Each PROGRAM runs on 2 and 4 processes; the program ENDS ends in each way that ends.py knows; ORDER, a program of OpenMP, runs as
one over two and four nodes, and prints what it prints on one (tests/nodes/order.c).
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

amity, ends, order, *programs = sys.argv[1:]
ENDS = pathlib.Path(__file__).resolve().parent / "ends.py"
CONFIGURATION = """
ClusterName=test
SlurmctldHost={name}(127.0.0.1)
NodeName={name} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={name} Default=YES State=UP OverSubscribe=FORCE:64
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MailProg=/bin/true
InactiveLimit=0
KillWait=2
"""
wrong = []


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def run(*command, limit=60):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, str(late.stdout), str(late.stderr))


def expect(holds, what, done):
    print("ok  " if holds else "FAIL", what, flush=True)
    if not holds:
        wrong.append(f"{what}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")


def await_node():
    for _ in range(100):
        if "idle" in run("sinfo", "--noheader", "--format=%T").stdout:
            return True
        time.sleep(0.2)
    return False


def await_no_jobs():
    for _ in range(100):
        if not run("squeue", "--noheader").stdout.strip():
            return
        time.sleep(0.2)


def check_all():
    for program in programs:
        for ranks in ("2", "4"):
            done = run(amity, "run", "-n", ranks, "--launcher", "srun", "--", program)
            expect(done.returncode == 0, f"{pathlib.Path(program).name}, {ranks} processes", done)
    done = run("srun", "-n", "2", "--overcommit", "--mpi=pmix", programs[0])
    expect(done.returncode == 0, "srun by itself", done)
    done = run("srun", "-n", "2", "--overcommit", "--mpi=pmi2", programs[0])
    expect(done.returncode != 0 and "PMI-2, which Amity does not speak" in done.stderr, "PMI-2", done)
    done = run("srun", "-n", "2", "--overcommit", "--mpi=none", programs[0])
    expect(done.returncode != 0 and "start them by srun --mpi=pmix" in done.stderr, "srun without PMIx", done)
    one_node = run(amity, "run", "-t", "4", "--", order)
    for nodes, threads in (("2", "2"), ("4", "1")):
        done = run("srun", "-n", nodes, "--overcommit", "--mpi=pmix", amity, "run", "--nodes", "-t", threads, "--", order)
        if "may not handle its own page faults" not in done.stderr:
            expect(done.returncode == 7 and done.stdout == one_node.stdout, f"one program over {nodes} nodes", done)
    for case in run(ENDS, "-", "-", "-", "list").stdout.split():
        await_no_jobs()  # while one ends, Slurm may fail to launch the next
        done = run(ENDS, amity, "srun", ends, case)
        if done.returncode == 77:
            print(f"not tried, ends: {case}: {done.stdout.strip()}")
        else:
            expect(done.returncode == 0, f"ends: {case}", done)


if os.geteuid() != 0:
    skip("slurmd takes root")
for command in ("slurmctld", "slurmd", "srun", "sinfo"):
    if shutil.which(command) is None:
        skip(f"there is no {command}")
folder = pathlib.Path(tempfile.mkdtemp(prefix="amity-slurm-"))
daemons = []
try:
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(CONFIGURATION.format(
        name=socket.gethostname().split(".")[0], cpus=os.cpu_count(), ports=free_ports(2), folder=folder))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    os.environ["SLURM_PMIX_TMPDIR"] = str(folder)  # in /tmp, jobs of another cluster that have the same number are in the way
    for name in ("slurmctld", "slurmd"):
        daemons.append(subprocess.Popen([name, "-D"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    if not await_node():
        print((folder / "slurmctld.log").read_text()[-3000:])
        skip("Slurm does not start here")
    check_all()
finally:
    run("scancel", "--user=root")
    await_no_jobs()  # what still ends a job would look for its slurmctld for minutes
    for daemon in reversed(daemons):
        daemon.terminate()
    for daemon in daemons:
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
    shutil.rmtree(folder, ignore_errors=True)
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
