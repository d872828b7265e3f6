// `amity dump PID`: what the threads of a process that uses Amity wait for. It reads that process's memory, by the
// table that libamity.so exports for this (sched/monitor/report_table.hpp); nothing runs there, and it works
// however stuck it is.
#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/process_memory.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/monitor/report_table.hpp"
#include "amity/sys/clock.hpp"

namespace amity::cli {
namespace {

using base::warn;
using sched::wait_kind;

constexpr std::array<const char*, static_cast<std::size_t>(wait_kind::last_of_kinds)> kinds = {"",
                                                                                               "something",
                                                                                               "a mutex",
                                                                                               "a condition variable",
                                                                                               "a semaphore",
                                                                                               "a latch",
                                                                                               "an event",
                                                                                               "a barrier",
                                                                                               "a shared_mutex",
                                                                                               "a once_flag",
                                                                                               "a channel",
                                                                                               "a future",
                                                                                               "the end of a finish",
                                                                                               "a phaser",
                                                                                               "the clock",
                                                                                               "tasks"};

struct seen_fiber {
  std::uint64_t address = 0;
  std::size_t number = 0;  // the oldest is 1, as in gdb's `info amity`
  std::string openmp;      // ", OpenMP thread 1 of 4", if it is one
  bool runs = false;       // on some carrier
  bool is_guest = false;   // a thread of the program's own
  bool rests = false;      // nobody has given it anything to do
  int thread_id = 0;
  wait_kind kind = wait_kind::none;
  std::uint64_t object = 0, since = 0;
  std::uint64_t where = 0;          // in the program's code
  std::string by;                   // what that has called
  std::vector<std::string> within;  // the program's functions around it, from the inside out: they made the task
};

class dump {
 public:
  dump(const process_memory& process, std::uint64_t table) : process_(process) {
    table_ = process.read<sched::report_table>(table);
  }

  [[nodiscard]] bool is_known() const {
    return std::memcmp(table_.magic, "amity-r2", sizeof table_.magic) == 0 && table_.size == sizeof table_;
  }

  [[nodiscard]] std::vector<seen_fiber> fibers() const {
    constexpr std::size_t most = 1'000'000;  // the list is being written while it is read
    std::vector<seen_fiber> all;
    auto at = process_.read<std::uint64_t>(address(table_.first_fiber));
    for (; at != 0 && all.size() < most; at = word(at, table_.fiber_next)) all.push_back(look_at(at));
    for (std::size_t i = 0; i < all.size(); ++i) all[i].number = all.size() - i;
    return all;
  }

  [[nodiscard]] double seconds_since(std::uint64_t ticks) const {
    const auto rate = process_.read<std::uint64_t>(address(table_.ticks_per_microsecond));
    return rate == 0 ? 0 : static_cast<double>(sys::ticks() - ticks) / static_cast<double>(rate) / 1e6;
  }

 private:
  static std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
  [[nodiscard]] std::uint64_t word(std::uint64_t base, std::uint32_t offset) const {
    return process_.read<std::uint64_t>(base + offset);
  }

  // The thread that its identity is just now, in the innermost team that it is in.
  [[nodiscard]] std::string openmp_thread(std::uint64_t f) const {
    const auto layout = process_.read<sched::report_threads>(address(table_.threads));
    const std::uint64_t identity = word(f, table_.fiber_identity);
    if (layout.variable == 0 || identity == 0) return {};
    const auto thread = process_.read<std::uint64_t>(identity + static_cast<std::uint64_t>(layout.variable));
    const std::uint64_t team = thread == 0 ? 0 : word(thread, layout.team);
    if (team == 0) return {};
    return ", OpenMP thread " + std::to_string(process_.read<int>(thread + layout.number)) + " of " +
           std::to_string(process_.read<int>(team + layout.size)) +
           (process_.read<int>(team + layout.level) > 1 ? " of an inner team," : ",");
  }

  [[nodiscard]] seen_fiber look_at(std::uint64_t f) const {
    seen_fiber seen;
    seen.address = f;
    seen.openmp = openmp_thread(f);
    const std::uint64_t native = word(f, table_.fiber_native);
    const std::uint64_t place = word(f, table_.fiber_place);
    seen.is_guest = process_.read<std::uint8_t>(native + table_.carrier_kind) ==
                    static_cast<std::uint8_t>(sched::carrier_kind::guest);
    if (seen.is_guest) seen.thread_id = process_.read<int>(native + table_.carrier_thread_id);
    seen.rests = seen.is_guest ? seen.thread_id == 0 : place == 0;
    seen.kind = static_cast<wait_kind>(process_.read<std::uint8_t>(f + table_.fiber_kind));
    if (seen.kind >= wait_kind::last_of_kinds) seen.kind = wait_kind::address;
    seen.object = word(f, table_.fiber_object);
    seen.since = word(f, table_.fiber_since);
    // A guest that waits has its claim, but its OS thread runs others or nobody.
    seen.runs = seen.is_guest ? word(native, table_.carrier_running) == f
                              : process_.read<std::uint32_t>(f + table_.fiber_claimed) != 0;
    if (seen.runs || seen.rests) return seen;
    if (!seen.is_guest) {
      const std::uint64_t sp = word(f, table_.fiber_sp);
      if (table_.context_return != 0) walk(word(sp, table_.context_frame), word(sp, table_.context_return), seen);
    } else if (const std::uint64_t frame = word(native, table_.carrier_wait_frame); frame != 0) {
      walk(word(frame, 0), word(frame, 8), seen);
    }
    if (seen.where == 0) seen.where = word(f, table_.fiber_where);
    return seen;
  }

  [[nodiscard]] bool is_ours(std::uint64_t code) const {
    const std::string file = std::filesystem::path(process_.file_at(code)).filename().string();
    return file.starts_with("libamity.so") || file.starts_with("libomp_amity.so");
  }

  // From the runtime's innermost frame out to the program's code. The runtime keeps frame pointers; the program may
  // not. Of the functions on the way the outermost that a compiler calls says most; else the outermost.
  void walk(std::uint64_t frame, std::uint64_t code, seen_fiber& seen) const {
    std::string outermost, called;
    std::uint64_t stack = 0;  // of the program's function
    for (int depth = 0; depth < 64 && is_ours(code) && frame != 0; ++depth) {
      stack = frame + 16;
      outermost = without_parameters(process_.function_at(code - 1));
      if (is_entry(outermost)) called = outermost;
      code = word(frame, 8);
      frame = word(frame, 0);
    }
    const std::string file = std::filesystem::path(process_.file_at(code)).filename().string();
    const bool at_bottom =
        file.empty() || file.starts_with("libc.so") || file.starts_with("libpthread") || is_ours(code);
    seen.by = called.empty() ? outermost : called;
    if (!at_bottom) {
      seen.where = code;
      seen.within = functions_around(stack, code);
    } else if (called.empty() && seen.kind == wait_kind::none)
      seen.rests = true;  // a thread of the pool between two regions
  }

  // The program's frames can't be walked: it need not keep frame pointers. But each holds where it returns to. So
  // whatever on the stack points behind a call counts as one; a slot that was never written may lie.
  [[nodiscard]] std::vector<std::string> functions_around(std::uint64_t stack, std::uint64_t code) const {
    constexpr std::size_t most_words = 8192, most_names = 8;
    std::vector<std::string> names;
    std::string last = process_.function_at(code - 1);
    for (std::size_t i = 0; i < most_words && names.size() < most_names; ++i) {
      const auto to = word(stack, static_cast<std::uint32_t>(i * sizeof(std::uint64_t)));
      if (process_.file_at(to).empty() || !follows_a_call(to)) continue;
      std::string name = process_.function_at(to - 1);
      if (is_ours(to) ? name.find("shell_main") != std::string::npos : is_root(name)) break;
      name = is_ours(to) ? "" : in_users_terms(std::move(name));
      if (!name.empty() && name != last) names.push_back(last = std::move(name));
    }
    return names;
  }

  // Where the threads of a program begin.
  static bool is_root(const std::string& name) {
    for (const char* root : {"__libc_start_call_main", "__libc_start_main", "_start", "start_thread", "clone"})
      if (name == root) return true;
    return false;
  }

  // Of Amity's templates, which lie in the program, only those that run a task say something: what it was made of, a
  // closure as a rule, whose name begins with the function that made it.
  static std::string in_users_terms(std::string name) {
    const auto arguments = name.find_first_of("<(");
    const auto amity = name.find("amity::");
    if (amity == std::string::npos || amity > arguments || (amity != 0 && name[amity - 1] != ' ')) return name;
    const auto task = name.find("_task<");
    if (task == std::string::npos) return "";
    const auto begin = task + std::strlen("_task<");
    auto last = begin;  // argument of the template
    int open = 0;
    for (auto at = begin; at < name.size(); ++at) {
      const char c = name[at];
      if (open == 0 && c == '>') return "a task made of " + name.substr(last, at - last);
      if (open == 0 && c == ',') last = at + 2;
      open += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
    return "";
  }

  [[nodiscard]] bool follows_a_call(std::uint64_t code) const {
#if defined(__x86_64__)
    std::array<std::uint8_t, 7> before{};  // call rel32 has five bytes; call r/m64 has two to seven, FF /2
    if (!process_.read(code - before.size(), before.data(), before.size())) return false;
    if (before[2] == 0xE8) return true;
    for (const std::size_t begin : {5u, 4u, 3u, 1u, 0u})
      if (before[begin] == 0xFF && (before[begin + 1] >> 3 & 7) == 2) return true;
    return false;
#else
    const auto before = process_.read<std::uint32_t>(code - 4);
    return (before & 0xFC000000u) == 0x94000000u || (before & 0xFFFFFC1Fu) == 0xD63F0000u;  // bl, blr
#endif
  }

  static bool is_entry(const std::string& name) {
    for (const char* begin : {"GOMP_", "__kmpc_", "omp_", "kmp_"})
      if (name.starts_with(begin)) return true;
    return false;
  }

  static std::string without_parameters(std::string name) {
    const auto end = name.rfind(')');
    if (end == std::string::npos) return name;
    int open = 0;
    for (auto at = end + 1; at-- > 0;) {
      open += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
      if (open == 0) return name.substr(0, at);
    }
    return name;
  }

  const process_memory& process_;
  sched::report_table table_{};
};

// Compilers call the lock of `critical(update)` .gomp_critical_user_update, clang with .var behind it.
std::string as_construct(const std::string& variable) {
  const std::string_view begin = ".gomp_critical_user_", end = ".var";
  if (!variable.starts_with(begin)) return variable;
  std::string name = variable.substr(begin.size());
  if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name.empty() ? "critical" : "critical(" + name + ")";
}

void print(const seen_fiber& f, const dump& from, const process_memory& process) {
  if (f.is_guest)
    std::printf("  %zu: thread %d%s", f.number, f.thread_id, f.openmp.c_str());
  else
    std::printf("  %zu: fiber %#llx%s", f.number, static_cast<unsigned long long>(f.address), f.openmp.c_str());
  if (f.runs) {
    std::printf(" runs\n");
    return;
  }
  std::printf(" waits");
  if (f.kind != wait_kind::none) {
    std::printf(" for %s", kinds[static_cast<std::size_t>(f.kind)]);
    if (f.object != 0) {
      std::printf(" at %#llx", static_cast<unsigned long long>(f.object));
      const std::string variable = process.variable_at(f.object);
      if (!variable.empty()) std::printf(" (%s)", as_construct(variable).c_str());
    }
    std::printf(", since %.1f s", from.seconds_since(f.since));
  }
  if (!f.by.empty()) std::printf(", in %s", f.by.c_str());
  if (f.where != 0) {
    std::printf(", called at %s", process.name_of(f.where).c_str());
    const std::string line = process.line_of(f.where - 1);  // of the call, not of what follows it
    if (!line.empty()) std::printf(", %s", line.c_str());
  }
  std::printf("\n");
  for (const std::string& name : f.within) std::printf("    perhaps within %s\n", name.c_str());
}

int dump_process(pid_t pid) {
  process_memory process(pid);
  if (!process.why_not().empty()) {
    warn("dump: process %d can't be looked at: %s", static_cast<int>(pid), process.why_not().c_str());
    return own_failure;
  }
  std::uint64_t table = 0;
  for (const std::string& file : process.files_called("libamity.so"))
    if (table == 0) table = process.address_of(file, "amity_report_table");
  if (table == 0) {
    warn("dump: process %d has no libamity.so that can be asked", static_cast<int>(pid));
    return own_failure;
  }
  const dump from(process, table);
  if (!from.is_known()) {
    warn("dump: the libamity.so of process %d is of another version than this amity", static_cast<int>(pid));
    return own_failure;
  }
  int spare = 0, resting = 0;
  std::vector<seen_fiber> shown;
  for (const seen_fiber& f : from.fibers()) {
    const bool idle = !f.runs && f.where == 0 && f.kind == wait_kind::none;
    if (f.rests || (idle && !f.is_guest))
      ++resting;
    else if (!f.runs && f.kind == wait_kind::tasks)
      ++spare;
    else
      shown.push_back(f);
  }
  std::printf("process %d: %zu fiber%s; beside them %d spare for tasks and %d that rest%s\n", static_cast<int>(pid),
              shown.size(), shown.size() == 1 ? "" : "s", spare, resting, resting == 1 ? "s" : "");
  std::vector<std::uint64_t> calls;
  for (const seen_fiber& f : shown)
    if (f.where != 0) calls.push_back(f.where - 1);
  process.look_up_lines(calls);
  for (auto f = shown.rbegin(); f != shown.rend(); ++f) print(*f, from, process);
  return 0;
}

// What a process was started with, as far as it may be read.
std::map<std::string, std::string> environment_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ");
  std::map<std::string, std::string> all;
  for (std::string line; std::getline(file, line, '\0');)
    if (const std::size_t equals = line.find('='); equals != std::string::npos)
      all[line.substr(0, equals)] = line.substr(equals + 1);
  return all;
}

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PPid:")) return static_cast<pid_t>(std::atoi(line.c_str() + 5));
  return 0;
}

struct job_member {
  int rank = -1;  // -1: of no job
  std::string job;
};

// Which rank of which job a process is, by what its launcher has said to it.
job_member member_of_job(pid_t pid) {
  const std::map<std::string, std::string> said = environment_of(pid);
  const auto value = [&said](const char* name) {
    const auto found = said.find(name);
    return found != said.end() ? found->second : std::string();
  };
  if (const std::string job = value("PMIX_NAMESPACE"); !job.empty())
    return {std::atoi(value("PMIX_RANK").c_str()), job};
  // MPICH's has no name of its own: those that one proxy has started.
  if (!value("PMI_RANK").empty()) return {std::atoi(value("PMI_RANK").c_str()), std::to_string(parent_of(pid))};
  return {};
}

// All ranks on this machine of the job that process `pid` is of, in their order; of the only job there is, if it is 0.
int dump_job(pid_t pid) {
  std::map<std::string, std::map<int, pid_t>> jobs;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t each = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (each <= 0) continue;
    const job_member m = member_of_job(each);
    if (m.rank < 0) continue;
    const process_memory process(each);
    if (process.why_not().empty() && !process.files_called("libamity.so").empty()) jobs[m.job][m.rank] = each;
  }
  std::string job = pid != 0 ? member_of_job(pid).job : jobs.size() == 1 ? jobs.begin()->first : std::string();
  if (pid == 0 && jobs.size() > 1) {
    warn("dump: there are %zu jobs with Amity here; name a process of one: amity dump --job PID", jobs.size());
    return own_failure;
  }
  if (jobs[job].empty()) {
    warn("dump: %s", pid != 0 ? "that process is of no job whose processes have Amity" : "no job with Amity runs here");
    return own_failure;
  }
  int failed = 0;
  for (const auto& [rank, process] : jobs[job]) {
    std::printf("rank %d, ", rank);
    std::fflush(stdout);
    if (dump_process(process) != 0) failed = own_failure;
  }
  return failed;
}

}  // namespace

command add_dump(CLI::App& app) {
  auto pid = std::make_shared<std::string>();
  auto job = std::make_shared<bool>(false);
  app.add_flag("--job", *job, "all processes on this machine of its job, or of the only job there is");
  app.add_option("pid", *pid, "the process, which uses Amity")->type_name("PID")->check([](const std::string& value) {
    return check_whole_number(value, 1, "a process");
  });
  app.footer(
      "It reads the memory of the process, which goes on and notices nothing. That takes the rights to debug it.");
  return [pid, job] {
    pid_t number = 0;
    std::from_chars(pid->data(), pid->data() + pid->size(), number);
    if (*job) return dump_job(number);
    if (number == 0) {
      warn("dump: which process? amity dump PID, or amity dump --job");
      return own_failure;
    }
    return dump_process(number);
  };
}

}  // namespace amity::cli
