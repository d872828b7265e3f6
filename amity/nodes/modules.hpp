#pragma once

/// The program and its libraries, as the loader has put them: the same in all processes, at the same addresses.
///
/// The writable data of the program and of most libraries become memory that all processes have, with the contents of
/// process 0. Some libraries stay each process's own: libc and those that a thread must be able to use while it waits
/// for memory (stays_private).

#include <cstdint>

namespace amity::nodes {

/// Looks through what is loaded. Call first, and once.
void list_modules() noexcept;

/// Ends the process, in words, where a library is among them that can't be in such a program.
void refuse_unsuitable_modules() noexcept;

/// Of names, addresses, lengths and build numbers of all modules: processes with another one can't be of one program.
[[nodiscard]] std::uint64_t hash_of_modules() noexcept;

/// Puts shared memory in the place of their writable data.
void overlay_modules() noexcept;

/// The function that begins there is in all processes: in something that was loaded at the start.
[[nodiscard]] bool is_in_module(const void* code) noexcept;

/// It is of libc, or of the runtime.
[[nodiscard]] bool is_of_runtime(const void* code) noexcept;

/// It is of the program itself, not of a library.
[[nodiscard]] bool is_main_program(const void* code) noexcept;

/// The program, or a library of its, has thread-local variables.
[[nodiscard]] bool threads_have_variables() noexcept;

/// One of them wants stacks that hold code (gcc's nested functions).
[[nodiscard]] bool stacks_hold_code() noexcept;

/// Runs the constructors of what stays private, but for this library's. For a process that doesn't go on to the
/// program's.
void run_private_constructors(int argc, char** argv, char** environment) noexcept;

/// The constructors of all other libraries run by `run` from now on, when the loader comes to them, in its order.
using constructor = void (*)(int argc, char** argv, char** environment);
struct constructor_list {
  const constructor* first;
  int count;
};
void hand_over_constructors(void (*run)(const constructor_list& of_library)) noexcept;

}  // namespace amity::nodes
