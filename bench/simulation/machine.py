"""The simulated machine: that of Strack, Zeil, Kaiser, Pflueger, "Hierarchical Collective Operations for HPX".

What the talk says of it: 16 nodes, InfiniBand FDR with 54 Gb/s, two sockets with 20 cores each, 16 processes a node.
What it does not say is assumed (README.md): latencies and overheads as they are usual for such a network.
"""

RANKS_PER_NODE = 16
CORES = 40
OPERATIONS_PER_SECOND = 1e9  # as mpi_transport.hpp has it
NETWORK_BYTES_PER_SECOND = 54e9 / 8
MEMORY_BYTES_PER_SECOND = 10e9  # from one process of a node to another
NETWORK_LATENCY_US = 1.0  # cable, switch, cable
MEMORY_LATENCY_US = 0.2
SEND_US, RECEIVE_US = 0.2, 0.1  # what a message costs its sender's and its receiver's core
EAGER_BYTES = 16 * 1024  # longer messages wait until the receiver is ready


def platform(nodes):
    """SimGrid's description of so many nodes at one switch."""
    link = NETWORK_LATENCY_US * 0.4
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="medusa" prefix="node-" suffix="" radical="0-{nodes - 1}" speed="{OPERATIONS_PER_SECOND:.0f}f" core="{CORES}"
      bw="{NETWORK_BYTES_PER_SECOND:.0f}Bps" lat="{link:.3f}us" sharing_policy="SPLITDUPLEX"
      bb_bw="{NETWORK_BYTES_PER_SECOND * nodes:.0f}Bps" bb_lat="{NETWORK_LATENCY_US - 2 * link:.3f}us"
      loopback_bw="{MEMORY_BYTES_PER_SECOND:.0f}Bps" loopback_lat="{MEMORY_LATENCY_US:.3f}us"/>
  </zone>
</platform>
"""


def hosts(nodes, ranks, dealt=False):
    """The node of each rank, a line each: node by node, or dealt in turn."""
    return "".join(f"node-{rank % nodes if dealt else rank * nodes // ranks}\n" for rank in range(ranks))


def settings(mpi):
    """Options of smpirun; `mpi`: whose choice of algorithms the simulated MPI makes (ompi, mpich)."""
    send, receive = (f"0:{us * 1e-6:.2e}:0" for us in (SEND_US, RECEIVE_US))
    values = {
        "smpi/coll-selector": mpi, "smpi/simulate-computation": "no", "smpi/privatization": "no",
        "smpi/bw-factor": "0:0.95", "smpi/lat-factor": "0:1", "smpi/os": send, "smpi/ois": send, "smpi/or": receive,
        "smpi/async-small-thresh": EAGER_BYTES, "smpi/send-is-detached-thresh": EAGER_BYTES,
        "smpi/test": "1e-7", "smpi/iprobe": "1e-7",
    }  # fmt: skip
    return [f"--cfg={name}:{value}" for name, value in values.items()] + ["--log=root.thres:warning"]
