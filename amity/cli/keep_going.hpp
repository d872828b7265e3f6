// A process of its own between the launcher and a rank.
#pragma once

namespace amity::cli {

// MPICH's launcher kills all processes of a node when one of them is killed by a signal, whatever it was told; and when
// one goes without a word, it sends SIGUSR1 to the others. So the launcher is given a process that ends with an exit
// status of 128 and the signal's number instead, and the rank is its child, which ignores SIGUSR1.
//
// Returns in the child, which is to become the rank and is killed if its parent ends. The parent waits for it, hands on
// the signals that ask for an end, and exits. -1, and errno: there is no child.
[[nodiscard]] int become_child_of_guard();

}  // namespace amity::cli
