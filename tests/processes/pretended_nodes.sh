#!/bin/sh
# A rank that takes itself for one of another node, as a launcher's program: `pretended_nodes.sh 0,0,1,1 PROGRAM ...` has
# ranks 0 and 1 on one node, and 2 and 3 on another. They are reached by the loopback device, and share no memory.
nodes=$1
shift
AMITY_TEST_NODE=$(echo "$nodes" | cut -d, -f$((PMI_RANK + 1)))
AMITY_NET_DEVICE=lo
export AMITY_TEST_NODE AMITY_NET_DEVICE
exec "$@"
