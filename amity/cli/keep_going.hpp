// A process of its own between the launcher and a rank.
#pragma once

#include <string>
#include <vector>

namespace amity::cli {

// MPICH's launcher kills all processes of a node when one of them is killed by a signal, whatever it was told; and when
// one goes without a word, it sends SIGUSR1 to the others. So the launcher is given a process that ends with an exit
// status of 128 and the signal's number instead, and the rank is its child, which ignores SIGUSR1.
//
// Returns in the child, which is to become the rank and is killed if its parent ends. The parent waits for it, hands on
// the signals that ask for an end, and exits. -1, and errno: there is no child.
//
// `note`: a file in which the guard says how the rank ended, where that is no success; empty: none.
[[nodiscard]] int become_child_of_guard(const std::string& note);

// Open MPI's launcher, told to go on, ends with 0 whatever became of the ranks. So `launching`, the launcher and its
// words, is a child; its ranks' guards note what they saw in the file that the variable names. Returns the launcher's
// exit status; where that is 0, the first that was noted, on this machine.
[[nodiscard]] int wait_for_launcher(const std::vector<std::string>& launching);
inline constexpr const char* note_variable = "AMITY_RUN_NOTE";

}  // namespace amity::cli
