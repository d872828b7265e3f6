#include "amity/omp/settings/table.hpp"

#include <string.h>
#include <strings.h>

#include "amity/base/report.hpp"
#include "amity/omp/settings/parse.hpp"
#include "amity/omp/settings/show.hpp"

namespace amity::omp {
namespace {

constexpr const char* a_boolean = "'true' or 'false'";
constexpr const char* a_count = "a positive whole number";
constexpr const char* a_size = "a positive number of bytes, perhaps with B, K, M, G or T behind it";

constexpr std::uint64_t spins_per_us = 32;  // a pause is 40 to 140 cycles

// Never shrinks: the user asked for it.
sched::spin_limits spin_always(std::uint64_t us) noexcept { return {us, us, us, false}; }

bool parse_wait_policy(const char* text, settings& s) {
  parse::cursor c(text);
  if (c.take_word("active")) {
    if (!c.at_end()) return false;
    s.wait_active = s.wait_given = true;
    s.spin = spin_always(parse::for_ever_us);
    return true;
  }
  if (!c.take_word("passive") || !c.at_end()) return false;
  s.wait_active = false;
  s.wait_given = true;
  s.spin = {0, 0, 0};
  return true;
}

bool parse_spin_count(const char* text, settings& s) {
  if (!parse::spin_count(text, s.spin_count)) return false;
  const bool infinite = s.spin_count == ~std::uint64_t{0};
  s.spin =
      infinite ? spin_always(parse::for_ever_us) : sched::spin_up_to((s.spin_count + spins_per_us - 1) / spins_per_us);
  return true;
}

bool parse_blocktime(const char* text, settings& s) {
  if (!parse::blocktime(text, s.blocktime_us)) return false;
  const auto us = static_cast<std::uint64_t>(s.blocktime_us);
  s.spin = s.blocktime_us == parse::for_ever_us ? spin_always(us) : sched::spin_up_to(us);
  return true;
}

bool parse_library(const char* text, settings& s) {
  parse::cursor c(text);
  if (c.take_word("serial")) {
    if (!c.at_end()) return false;
    return s.serial = true;
  }
  if (c.take_word("turnaround")) {
    if (!c.at_end()) return false;
    s.spin = spin_always(parse::for_ever_us);
    return s.wait_active = true;
  }
  return c.take_word("throughput") && c.at_end();
}

bool parse_display(const char* text, settings& s) {
  parse::cursor c(text);
  if (c.take_word("verbose")) {
    if (!c.at_end()) return false;
    s.display_env = display_mode::verbose;
    return true;
  }
  bool on;
  if (!parse::boolean(text, on)) return false;
  s.display_env = on ? display_mode::on : display_mode::off;
  return true;
}

bool parse_offload(const char* text, settings& s) {
  parse::cursor c(text);
  offload value;
  if (c.take_word("mandatory"))
    value = offload::mandatory;
  else if (c.take_word("disabled"))
    value = offload::disabled;
  else if (c.take_word("default"))
    value = offload::default_;
  else
    return false;
  if (!c.at_end()) return false;
  s.target_offload = value;
  return true;
}

bool remember_places_text(const char* text, settings& s) {
  strncpy(s.places_text, text, sizeof s.places_text - 1);
  return true;
}

// The CPUs that places may be made of.
sys::cpu_mask usable(const settings& s) noexcept {
  return s.hw_subset.empty() ? sys::cpu_mask::of_calling_thread() : s.hw_subset.copy();
}

bool parse_hw_subset(const char* text, settings& s) {
  if (strlen(text) >= sizeof s.hw_subset_text) return false;
  if (!parse::hw_subset(text, sys::cpu_mask::of_calling_thread(), s.hw_subset)) return false;
  return parse::text(text, s.hw_subset_text, sizeof s.hw_subset_text);
}

bool parse_teams_bind(const char* text, settings& s) {
  proc_bind list[settings::most_levels];
  int count = 0;
  if (!parse::bind_list(text, list, count) || count != 1) return false;
  if (list[0] == proc_bind::true_ || list[0] == proc_bind::false_) return false;
  s.teams_bind = list[0];
  return true;
}

// `cut`: not all CPUs of the list may be used.
bool took_places(const char* name, const char* text, bool cut, settings& s) {
  if (cut)
    base::warn("%s='%s' names CPUs that this process may not use; they are left out", name, base::quoted(text).text);
  return remember_places_text(text, s);
}

bool parse_places(const char* text, settings& s) {
  if (parse::is_of_nodes(text)) {  // what it says of several nodes, `amity run --nodes` has read
    parse::node_places dealt;
    if (!parse::node_places_of(text, dealt)) return false;
    sys::cpu_mask_list node;
    if (!node.add(usable(s))) return false;
    s.places = static_cast<sys::cpu_mask_list&&>(node);
    return took_places("OMP_PLACES", text, false, s);
  }
  bool cut;
  return parse::places(text, usable(s), s.places, cut) && took_places("OMP_PLACES", text, cut, s);
}

bool parse_cpu_affinity(const char* text, settings& s) {
  bool cut;
  if (!parse::cpu_list(text, usable(s), s.places, cut)) return false;
  s.bound_by_cpu_affinity = true;
  return took_places("GOMP_CPU_AFFINITY", text, cut, s);
}

bool parse_kmp_affinity(const char* text, settings& s) {
  parse::kmp_affinity value;
  if (!parse::kmp_affinity_of(text, value)) return false;
  s.resets_binding = value.reset;
  if (!value.bound) return true;
  const sys::cpu_mask mine = usable(s);
  bool cut = false;
  if (!value.is_explicit)
    s.places = sys::object_sets(value.granularity, mine);
  else if (!parse::cpu_list(value.list, mine, s.places, cut))
    return false;
  s.bound_by_cpu_affinity = true;
  if (s.bind_levels == 0) s.bind[s.bind_levels++] = value.bind;  // OMP_PROC_BIND goes first
  if (value.verbose) s.display_affinity = true;
  return took_places("KMP_AFFINITY", text, cut, s);
}

bool parse_active_levels(const char* text, settings& s) {
  int levels;
  if (!parse::integer(text, 0, 0x7fffffff, levels)) return false;
  if (levels > settings::most_active_levels) {
    base::warn("OMP_MAX_ACTIVE_LEVELS='%s': %d levels is the most that there is; that is used", base::quoted(text).text,
               settings::most_active_levels);
    levels = settings::most_active_levels;
  }
  s.max_active_levels = levels;
  return s.max_active_levels_given = true;
}

bool parse_affinity_format(const char* text, settings& s) {
  const char* unknown;
  if (!parse::affinity_format(text, s.affinity_format, sizeof s.affinity_format, unknown)) return false;
  if (unknown != nullptr)
    base::warn("OMP_AFFINITY_FORMAT='%s': OpenMP has no such field as what begins at '%s'; it is shown as 'undefined'",
               base::quoted(text).text, base::quoted(unknown).text);
  return true;
}

// For what is always so: the value is looked at, and nothing follows from it.
bool parse_idle_bool(const char* text, settings&) {
  bool ignored;
  return parse::boolean(text, ignored);
}
bool parse_idle_number(const char* text, settings&) {
  int ignored;
  return parse::integer(text, 0, 0x7fffffff, ignored);
}

bool parse_verbose_init(const char* text, settings& s) {
  if (*text == '\0') return false;
  if (strcasecmp(text, "disabled") == 0) return s.tool_verbose_init[0] = '\0', true;
  return parse::text(text, s.tool_verbose_init, sizeof s.tool_verbose_init);
}

bool parse_stall(const char* text, settings& s) {
  parse::cursor c(text);
  if (c.take_word("abort")) {
    if (!c.at_end()) return false;
    s.stall = stall_mode::abort;
    return true;
  }
  bool on;
  if (!parse::boolean(text, on)) return false;
  s.stall = on ? stall_mode::report : stall_mode::off;
  return true;
}

bool parse_net(const char* text, settings& s) {
  parse::cursor c(text);
  for (const char* word : {"ucx", "sockets", "mpi"})
    if (c.take_word(word)) return c.at_end() && parse::text(word, s.net, sizeof s.net);
  return false;
}

bool parse_nodes_memory(const char* text, settings& s) {
  return (strcmp(text, "pages") == 0 || strcmp(text, "shared") == 0) &&
         parse::text(text, s.nodes_memory, sizeof s.nodes_memory);
}

bool parse_nodes_regions(const char* text, settings& s) {
  return (strcmp(text, "worth") == 0 || strcmp(text, "always") == 0) &&
         parse::text(text, s.nodes_regions, sizeof s.nodes_regions);
}

bool is_on_or_off(const char* text) { return strcmp(text, "on") == 0 || strcmp(text, "off") == 0; }
bool parse_collective_lines(const char* text, settings& s) {
  return is_on_or_off(text) && parse::text(text, s.collective_lines, sizeof s.collective_lines);
}
bool parse_serial_calls(const char* text, settings& s) {
  return is_on_or_off(text) && parse::text(text, s.serial_calls, sizeof s.serial_calls);
}
bool parse_net_rings(const char* text, settings& s) {
  return is_on_or_off(text) && parse::text(text, s.net_rings, sizeof s.net_rings);
}

/// "64M", "2G", "100000": bytes. As pgas/segment.cpp reads it.
bool parse_segment(const char* text, settings& s) {
  std::size_t const digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 14 || text[0] == '0') return false;
  std::size_t const unit = text[digits] != '\0' && strchr("kKmMgG", text[digits]) != nullptr ? 1 : 0;
  return text[digits + unit] == '\0' && parse::text(text, s.segment, sizeof s.segment);
}

bool parse_distributed_stealing(const char* text, settings& s) {
  for (const char* word : {"off", "random", "round_robin", "lifelines"})
    if (strcmp(text, word) == 0) return parse::text(word, s.distributed_stealing, sizeof s.distributed_stealing);
  return false;
}

bool parse_identity(const char* text, settings& s) {
  parse::cursor c(text);
  for (const char* word : {"instruction", "system_call", "fixed"})
    if (c.take_word(word)) return c.at_end() && parse::text(word, s.identity, sizeof s.identity);
  return false;
}

// --- showing

using text_out = char*;
void show_nothing(const settings&, text_out into, std::size_t size) { show::print(into, size, "%s", ""); }

template <auto Member>
void show_bool(const settings& s, text_out into, std::size_t size) {
  show::print(into, size, "%s", show::name_of(static_cast<bool>(s.*Member)));
}
template <auto Member>
void show_int(const settings& s, text_out into, std::size_t size) {
  show::print(into, size, "%d", s.*Member);
}
template <auto Member>
void show_text(const settings& s, text_out into, std::size_t size) {
  show::text(s.*Member, into, size);
}
template <auto Member>
bool parse_bool(const char* text, settings& s) {
  return parse::boolean(text, s.*Member);
}
template <auto Member, int Least>
bool parse_int(const char* text, settings& s) {
  return parse::integer(text, Least, 0x7fffffff, s.*Member);
}

bool parse_default_device(const char* text, settings& s) {
  if (!parse_int<&settings::default_device, 0>(text, s)) return false;
  return s.default_device_given = true;
}
template <auto Member>
bool parse_text(const char* text, settings& s) {
  return parse::text(text, s.*Member, sizeof(s.*Member));
}
template <std::size_t Unit>
bool parse_stack(const char* text, settings& s) {
  return parse::size(text, Unit, s.stack_size);
}
// Where nobody chose, each compiler's programs know another schedule, and ask for the library by another name.
void show_schedule(const settings& s, text_out into, std::size_t size) {
  const bool clangs = !s.run_schedule_given && show::is_loaded_as_libomp();
  show::schedule_text(clangs ? schedule{schedule_kind::static_, false, 0} : s.run_schedule, into, size);
}
void show_stack(const settings& s, text_out into, std::size_t size) { show::bytes(s.stack_size, into, size); }
void show_spin(const settings& s, text_out into, std::size_t size) { show::duration(s.spin.most, into, size); }

constexpr setting_row not_supported(const char* name,
                                    const char* meaning = "of another runtime; not supported") noexcept {
  return {name, meaning, "", nullptr, show_nothing, rivals::none, 0, true};
}

constexpr setting_row rows[] = {
    // --- libomp's; first, because the places are made of what it leaves
    {"KMP_HW_SUBSET",
     "the part of the machine that is used: so many sockets (s), of each so many NUMA domains (n), last-level caches "
     "(ll), cores (c), and of these so many threads (t); @ says how many are left out before",
     "a list like '1s,2c@2,1t' of what this process may use", parse_hw_subset, show_text<&settings::hw_subset_text>},

    // --- OpenMP 5.2, chapter 21
    {"OMP_NUM_THREADS",
     "threads of a parallel region, a number for each nesting level; default: the cores that may be used",
     "a list of positive whole numbers, at most 32",
     [](const char* text, settings& s) { return parse::integer_list(text, 1, s.num_threads, s.num_threads_levels); },
     show::num_threads, rivals::none, 0, false, false, "the number of usable cores"},
    {"OMP_SCHEDULE", "what schedule(runtime) means",
     "[monotonic:|nonmonotonic:]static|dynamic|guided|auto|static_steal|trapezoidal, perhaps with ',' and a positive "
     "chunk",
     [](const char* text, settings& s) {
       return parse::schedule_of(text, s.run_schedule) && (s.run_schedule_given = true);
     },
     show_schedule},
    {"OMP_DYNAMIC", "regions may get fewer threads than they ask for", a_boolean, parse_bool<&settings::dynamic>,
     show_bool<&settings::dynamic>},
    {"OMP_NESTED", "old name for many OMP_MAX_ACTIVE_LEVELS", a_boolean,
     [](const char* text, settings& s) { return parse::boolean(text, s.nested) && (s.nested_given = true); },
     show_bool<&settings::nested>},
    {"OMP_MAX_ACTIVE_LEVELS", "how deep regions with more than one thread may be nested", "a whole number, 0 or more",
     parse_active_levels, show_int<&settings::max_active_levels>},
    {"OMP_THREAD_LIMIT", "threads of all regions that are nested in one another", a_count,
     parse_int<&settings::thread_limit, 1>, show_int<&settings::thread_limit>, rivals::thread_limit, 3},
    {"OMP_NUM_TEAMS", "teams of a teams region without a clause; 0: one", a_count, parse_int<&settings::num_teams, 1>,
     show_int<&settings::num_teams>},
    {"OMP_TEAMS_THREAD_LIMIT", "threads of each team; 0: no limit of its own", a_count,
     parse_int<&settings::teams_thread_limit, 1>, show_int<&settings::teams_thread_limit>, rivals::teams_limit, 2},
    {"OMP_STACKSIZE",
     "stack of an OpenMP thread other than the program's own; kilobytes without a unit; 0: as the system has it",
     a_size, parse_stack<1024>, show_stack, rivals::stack, 3},
    {"OMP_WAIT_POLICY", "whether waiting threads keep their core (active) or give it away at once (passive)",
     "'active' or 'passive'", parse_wait_policy,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", s.wait_active ? "ACTIVE" : "PASSIVE");
     },
     rivals::spin, 1},
    {"OMP_PROC_BIND", "whether and how threads are bound to places",
     "'true', 'false', or a list of 'primary', 'close' and 'spread', at most 32",
     [](const char* text, settings& s) { return parse::bind_list(text, s.bind, s.bind_levels); }, show::bind_list},
    {"OMP_PLACES", "where threads may be bound to",
     "threads|cores|ll_caches|numa_domains|sockets|nodes, perhaps with a count in parentheses, a list of places like "
     "{0:2}:4:2 of CPUs that may be used, or nodes({2},{4}), threads of each node",
     parse_places, show::places, rivals::places, 3},
    {"OMP_CANCELLATION", "whether cancel does something", a_boolean, parse_bool<&settings::cancellation>,
     show_bool<&settings::cancellation>},
    {"OMP_DEFAULT_DEVICE", "device of target constructs without a clause", "a whole number, 0 or more",
     parse_default_device, show_int<&settings::default_device>},
    {"OMP_TARGET_OFFLOAD", "whether target constructs may, must or must not run on a device",
     "'default', 'mandatory' or 'disabled'", parse_offload,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", show::name_of(s.target_offload));
     }},
    {"OMP_MAX_TASK_PRIORITY", "the highest task priority that counts", "a whole number, 0 or more",
     parse_int<&settings::max_task_priority, 0>, show_int<&settings::max_task_priority>},
    {"OMP_ALLOCATOR", "the default allocator",
     "a predefined allocator (omp_default_mem_alloc ...), or a memory space with traits "
     "(omp_default_mem_space:alignment=64)",
     [](const char* text, settings& s) { return parse::allocator(text, s.allocator); },
     [](const settings& s, text_out into, std::size_t size) { show::allocator(s.allocator, into, size); }},
    {"OMP_DISPLAY_ENV", "prints the settings when OpenMP is used first", "'true', 'false' or 'verbose'", parse_display,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(
           into, size, "%s",
           s.display_env == display_mode::verbose ? "VERBOSE" : show::name_of(s.display_env == display_mode::on));
     },
     rivals::display, 2},
    {"OMP_DISPLAY_AFFINITY", "prints where the threads of a new team run", a_boolean,
     parse_bool<&settings::display_affinity>, show_bool<&settings::display_affinity>},
    {"OMP_AFFINITY_FORMAT", "how OMP_DISPLAY_AFFINITY says it",
     "text of at most 1023 bytes with fields like %n, %{thread_num} and %0.8n, which are at most 1024 wide",
     parse_affinity_format, show_text<&settings::affinity_format>},
    {"OMP_TOOL", "whether an OMPT tool may be used", "'enabled' or 'disabled'", parse_bool<&settings::tool>,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", s.tool ? "enabled" : "disabled");
     }},
    {"OMP_TOOL_LIBRARIES", "OMPT tools to try, separated by colons", "text of at most 1023 bytes",
     parse_text<&settings::tool_libraries>, show_text<&settings::tool_libraries>},
    {"OMP_TOOL_VERBOSE_INIT", "where to tell how a tool was looked for",
     "'disabled', 'stdout', 'stderr' or a file name of at most 1023 bytes", parse_verbose_init,
     [](const settings& s, text_out into, std::size_t size) {
       show::text(s.tool_verbose_init[0] == '\0' ? "disabled" : s.tool_verbose_init, into, size);
     }},
    {"OMP_DEBUG", "whether a debugger's OMPD library is prepared for", "'enabled' or 'disabled'",
     parse_bool<&settings::debug>,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", s.debug ? "enabled" : "disabled");
     }},

    // --- libgomp's
    {"GOMP_SPINCOUNT", "turns that a waiting thread spins",
     "a whole number, perhaps with k, M, G or T behind it, or 'infinite'", parse_spin_count,
     [](const settings& s, text_out into, std::size_t size) {
       if (s.spin_count == ~std::uint64_t{0})
         show::print(into, size, "INFINITE");
       else
         show::print(into, size, "%llu", static_cast<unsigned long long>(s.spin_count));
     },
     rivals::spin, 3},
    {"GOMP_STACKSIZE", "as OMP_STACKSIZE", a_size, parse_stack<1024>, show_stack, rivals::stack, 1},
    {"GOMP_CPU_AFFINITY", "CPUs to bind threads to, in order", "a list like '0 3 1-2 4-15:2' of CPUs that may be used",
     parse_cpu_affinity, show_nothing, rivals::places, 2},
    {"GOMP_DEBUG", "libgomp's messages about itself", "a whole number, 0 or more", parse_idle_number, show_nothing,
     rivals::none, 0, false, false, nullptr, true},

    // --- libomp's that have a meaning here
    {"KMP_BLOCKTIME", "how long a waiting thread spins; milliseconds without a unit",
     "a whole number, perhaps with us, ms or s behind it, or 'infinite'", parse_blocktime, show_spin, rivals::spin, 2},
    {"KMP_STACKSIZE", "as OMP_STACKSIZE, in bytes without a unit", a_size, parse_stack<1>, show_stack, rivals::stack,
     2},
    {"KMP_LIBRARY", "throughput, turnaround (as OMP_WAIT_POLICY=active) or serial (as OMP_NUM_THREADS=1)",
     "'throughput', 'turnaround' or 'serial'", parse_library,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", s.serial ? "serial" : s.wait_active ? "turnaround" : "throughput");
     }},
    {"KMP_AFFINITY",
     "binding as by OMP_PROC_BIND and OMP_PLACES: none, compact, scatter, balanced, explicit with proclist, "
     "granularity",
     "a list of none|compact|scatter|balanced|explicit, granularity=fine|core|socket..., proclist=[...], verbose",
     parse_kmp_affinity, show_nothing, rivals::places, 1},
    {"KMP_ALL_THREADS", "as OMP_THREAD_LIMIT", a_count, parse_int<&settings::thread_limit, 1>,
     show_int<&settings::thread_limit>, rivals::thread_limit, 1},
    {"KMP_DEVICE_THREAD_LIMIT", "as OMP_THREAD_LIMIT", a_count, parse_int<&settings::thread_limit, 1>,
     show_int<&settings::thread_limit>, rivals::thread_limit, 2},
    {"KMP_TEAMS_THREAD_LIMIT", "as OMP_TEAMS_THREAD_LIMIT", a_count, parse_int<&settings::teams_thread_limit, 1>,
     show_int<&settings::teams_thread_limit>, rivals::teams_limit, 1},
    {"KMP_TEAMS_PROC_BIND", "how the teams of a league are distributed over the places, if threads are bound",
     "'primary', 'close' or 'spread'", parse_teams_bind,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", show::name_of(s.teams_bind));
     }},
    {"KMP_SETTINGS", "as OMP_DISPLAY_ENV=verbose", a_boolean,
     [](const char* text, settings& s) {
       bool on;
       if (!parse::boolean(text, on)) return false;
       s.display_env = on ? display_mode::verbose : display_mode::off;
       return true;
     },
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s", show::name_of(s.display_env == display_mode::verbose));
     },
     rivals::display, 1},
    {"KMP_ENABLE_TASK_THROTTLING", "whether a thread with many tasks in its queue runs new ones at once", a_boolean,
     parse_bool<&settings::task_throttling>, show_bool<&settings::task_throttling>},
    {"KMP_INHERIT_FP_CONTROL", "whether all threads of a region of clang's code round as its leader does", a_boolean,
     parse_bool<&settings::inherit_float_control>, show_bool<&settings::inherit_float_control>},
    {"KMP_WARNINGS", "whether settings that have no effect, or are unknown, are named", a_boolean,
     parse_bool<&settings::warnings>, show_bool<&settings::warnings>},

    // --- Amity's
    {"AMITY_THREADS",
     "running OS threads; default: the cores that may be used, or of several processes each its share",
     "a whole number from 1 to 1024",
     [](const char* text, settings& s) { return parse::integer(text, 1, 1024, s.workers); },
     [](const settings& s, text_out into, std::size_t size) {
       if (s.workers == 0)
         show::print(into, size, "%s", "");
       else
         show::print(into, size, "%d", s.workers);
     },
     rivals::none, 0, false, true},
    {"AMITY_STACKSIZE", "as OMP_STACKSIZE, and goes before it", a_size, parse_stack<1024>, show_stack, rivals::stack,
     4},
    {"AMITY_STATS", "says at the end of the program what the runtime did", a_boolean, parse_bool<&settings::stats>,
     show_bool<&settings::stats>},
    {"AMITY_SCHEDULER", "the policy by which tasks of C++ are run",
     "'priority-local', 'priority-local-lifo', 'priority-local-fifo', 'static-priority', 'local', 'static', 'global', "
     "'abp', 'abp-fifo', 'hierarchical', 'periodic-priority', or one of the program's own",
     [](const char* text, settings& s) { return *text != '\0' && parse::text(text, s.scheduler, sizeof s.scheduler); },
     show_text<&settings::scheduler>},
    {"AMITY_STEALING", "whether idle workers take tasks of C++ from others", a_boolean, parse_bool<&settings::stealing>,
     show_bool<&settings::stealing>},
    {"AMITY_HIGH_PRIORITY_QUEUES",
     "queues of high priority, for policies that have several; empty: the policy's choice",
     "a whole number from 1 to 1024",
     [](const char* text, settings& s) { return parse::integer(text, 1, 1024, s.high_priority_queues); },
     [](const settings& s, text_out into, std::size_t size) {
       if (s.high_priority_queues == 0)
         show::print(into, size, "%s", "");
       else
         show::print(into, size, "%d", s.high_priority_queues);
     }},
    {"AMITY_STALL",
     "says what everybody waits for once nothing in the process can go on any more; abort: then ends it by SIGABRT",
     "'true', 'false' or 'abort'", parse_stall,
     [](const settings& s, text_out into, std::size_t size) {
       show::print(into, size, "%s",
                   s.stall == stall_mode::abort ? "abort" : show::name_of(s.stall == stall_mode::report));
     }},
    {"AMITY_COUNTERS", "counters to print at the end of the program",
     "'all', or names of counters with ',' between them", parse_text<&settings::counters>,
     show_text<&settings::counters>},
    {"AMITY_PROFILE", "where to write the profile of the program when it ends; empty: there is none",
     "a file name, or '|' and a program that reads it, of at most 1023 bytes", parse_text<&settings::profile>,
     show_text<&settings::profile>},
    {"AMITY_TRACE", "a file for who did what when in the program, for 'amity trace'; empty: there is none",
     "a file name of at most 1023 bytes", parse_text<&settings::trace>, show_text<&settings::trace>},
    {"AMITY_TRACE_SIZE", "how large that file may be; then the oldest goes", a_size,
     [](const char* text, settings& s) { return parse::size(text, 1, s.trace_size); },
     [](const settings& s, text_out into, std::size_t size) { show::bytes(s.trace_size, into, size); }},
    {"AMITY_NET", "what carries messages between processes; empty: the best that all of them have",
     "'ucx', 'sockets' or 'mpi'", parse_net, show_text<&settings::net>},
    {"AMITY_NET_DEVICE", "the network by which sockets reach other machines; empty: the first that all of them are in",
     "the name of a network device, or an address of IPv4 of this machine", parse_text<&settings::net_device>,
     show_text<&settings::net_device>},
    {"AMITY_NET_RINGS", "messages within a node go by memory that both processes map, as far as they fit there",
     "'on' or 'off'", parse_net_rings, show_text<&settings::net_rings>},
    {"AMITY_NODES_MEMORY", "how the processes of `amity run --nodes` have one memory: each its own, or all the same",
     "'pages' or 'shared'", parse_nodes_memory, show_text<&settings::nodes_memory>},
    {"AMITY_NODES_REGIONS", "which regions `amity run --nodes` spreads: those that take less time so, or all",
     "'worth' or 'always'", parse_nodes_regions, show_text<&settings::nodes_regions>},
    {"AMITY_SEGMENT", "memory of each process that others may read and write; it is taken as it is used",
     "a size, like 64M or 2G", parse_segment, show_text<&settings::segment>},
    {"AMITY_DISTRIBUTED_STEALING", "how a process without tasks looks for those of async_any in others",
     "'off', 'random', 'round_robin' or 'lifelines'", parse_distributed_stealing,
     show_text<&settings::distributed_stealing>},
    {"AMITY_SERIAL_CALLS", "calls that come from other processes run one after the other", "'on' or 'off'",
     parse_serial_calls, show_text<&settings::serial_calls>},
    {"AMITY_COLLECTIVES", "a file with the algorithms of collective operations; empty: a built-in table",
     "the name of a file that `amity bench collectives --tune` has written", parse_text<&settings::collectives>,
     show_text<&settings::collectives>},
    {"AMITY_COLLECTIVE_LINES", "small collective operations within a node go without messages; equal in all processes",
     "'on' or 'off'", parse_collective_lines, show_text<&settings::collective_lines>},
    {"AMITY_DEVICES", "which devices a program gets to see; empty: all",
     "'none', or names like cuda, opencl, opencl:0 with ',' between them", parse_text<&settings::devices>,
     show_text<&settings::devices>},
    {"AMITY_CACHE", "a folder for compiled programs of devices; empty: amity in $XDG_CACHE_HOME or ~/.cache",
     "the name of a folder, or 'none'", parse_text<&settings::cache>, show_text<&settings::cache>},
    {"AMITY_IDENTITY", "how a fiber takes its thread's identity along; empty: the best that the machine allows",
     "'instruction', 'system_call' or 'fixed'", parse_identity, show_text<&settings::identity>, rivals::none, 0, false,
     true},

    // --- accepted: what they ask for is always so here
    {"KMP_DUPLICATE_LIB_OK", "several OpenMP runtimes in one process: there is one", a_boolean, parse_idle_bool,
     show_nothing, rivals::none, 0, false, false, nullptr, true},
    {"KMP_INIT_AT_FORK", "start over in the child of a fork: always", a_boolean, parse_idle_bool, show_nothing,
     rivals::none, 0, false, false, nullptr, true},
    {"KMP_FOREIGN_THREADS_THREADPRIVATE", "threadprivate in threads that the program made: always", a_boolean,
     parse_idle_bool, show_nothing, rivals::none, 0, false, false, nullptr, true},
    {"KMP_USE_YIELD", "give the core away while spinning: by what the core is needed for", "a whole number, 0 or more",
     parse_idle_number, show_nothing, rivals::none, 0, false, false, nullptr, true},

    // --- not supported, and said so when they are set
    not_supported("KMP_ABORT_DELAY"),
    not_supported("KMP_ADAPTIVE_LOCK_PROPS"),
    not_supported("KMP_ALIGN_ALLOC"),
    not_supported("KMP_ATOMIC_MODE"),
    not_supported("KMP_CONSISTENCY_CHECK"),
    not_supported("KMP_CPUINFO_FILE"),
    not_supported("KMP_DETERMINISTIC_REDUCTION"),
    not_supported("KMP_DISP_HAND_THREAD"),
    not_supported("KMP_DISP_NUM_BUFFERS"),
    not_supported("KMP_DYNAMIC_MODE"),
    not_supported("KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE"),
    not_supported("KMP_FORCE_REDUCTION"),
    not_supported("KMP_FORKJOIN_BARRIER"),
    not_supported("KMP_FORKJOIN_BARRIER_PATTERN"),
    not_supported("KMP_FORKJOIN_FRAMES"),
    not_supported("KMP_FORKJOIN_FRAMES_MODE"),
    not_supported("KMP_GTID_MODE"),
    not_supported("KMP_HANDLE_SIGNALS"),
    not_supported("KMP_HIDDEN_HELPER_AFFINITY"),
    not_supported("KMP_HOT_TEAMS_MAX_LEVEL"),
    not_supported("KMP_HOT_TEAMS_MODE"),
    not_supported("KMP_INIT_WAIT"),
    not_supported("KMP_ITT_PREPARE_DELAY"),
    not_supported("KMP_LOCK_KIND"),
    not_supported("KMP_MALLOC_POOL_INCR"),
    not_supported("KMP_MAX_THREADS"),
    not_supported("KMP_MONITOR_STACKSIZE"),
    not_supported("KMP_MWAIT_HINTS"),
    not_supported("KMP_NESTING_MODE"),
    not_supported("KMP_NEXT_WAIT"),
    not_supported("KMP_NUM_LOCKS_IN_BLOCK"),
    not_supported("KMP_PLACE_THREADS"),
    not_supported("KMP_PLAIN_BARRIER"),
    not_supported("KMP_PLAIN_BARRIER_PATTERN"),
    not_supported("KMP_REDUCTION_BARRIER"),
    not_supported("KMP_REDUCTION_BARRIER_PATTERN"),
    not_supported("KMP_SCHEDULE"),
    not_supported("KMP_SPIN_BACKOFF_PARAMS"),
    not_supported("KMP_STACKOFFSET"),
    not_supported("KMP_STACKPAD"),
    not_supported("KMP_STATS_FILE"),
    not_supported("KMP_STORAGE_MAP"),
    not_supported("KMP_TASKING"),
    not_supported("KMP_TASKLOOP_MIN_TASKS"),
    not_supported("KMP_TASK_MAXIMUM"),
    not_supported("KMP_TASK_STEALING_CONSTRAINT"),
    not_supported("KMP_TOPOLOGY_METHOD"),
    not_supported("KMP_TPAUSE"),
    not_supported("KMP_USER_LEVEL_MWAIT"),
    not_supported("KMP_VERSION"),
    not_supported("LIBOMP_NUM_HIDDEN_HELPER_THREADS"),
    not_supported("LIBOMP_USE_HIDDEN_HELPER_TASK"),
    not_supported("GOMP_RTEMS_THREAD_POOLS"),
    not_supported("OMP_AVAILABLE_DEVICES"),
    not_supported("OMP_THREADS_RESERVE"),
};
static_assert(sizeof rows / sizeof rows[0] <= most_rows);

}  // namespace

const char* name_for_all_devices(const setting_row& row) noexcept {
  static constexpr const char* names[] = {
      "OMP_NUM_THREADS_ALL",  "OMP_SCHEDULE_ALL",   "OMP_DYNAMIC_ALL",   "OMP_MAX_ACTIVE_LEVELS_ALL",
      "OMP_THREAD_LIMIT_ALL", "OMP_NUM_TEAMS_ALL",  "OMP_STACKSIZE_ALL", "OMP_TEAMS_THREAD_LIMIT_ALL",
      "OMP_PROC_BIND_ALL",    "OMP_WAIT_POLICY_ALL"};
  std::size_t const length = strlen(row.name);
  for (const char* name : names)
    if (strncmp(name, row.name, length) == 0 && strcmp(name + length, "_ALL") == 0) return name;
  return nullptr;
}

setting_table table() noexcept { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace amity::omp
