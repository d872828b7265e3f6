// `amity info`: what Amity sees of the machine, and why it uses as many cores as it does. For people, or with --json
// for scripts.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "amity/accel/objects.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/launch.hpp"
#include "amity/cli/machine_info.hpp"
#include "amity/cli/own_folder.hpp"
#include "amity/cli/system_libraries.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/sys/plugin_words.hpp"

namespace amity::cli {
namespace {

std::string size_text(long long bytes) {
  char text[32];
  if (bytes >= 1 << 20)
    std::snprintf(text, sizeof text, "%g MiB", static_cast<double>(bytes) / (1 << 20));
  else
    std::snprintf(text, sizeof text, "%g KiB", static_cast<double>(bytes) / (1 << 10));
  return text;
}

void line(const char* what, const std::string& text) { std::printf("  %-18s %s\n", what, text.c_str()); }

std::string counted(int count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void print_machine(const machine_info& info) {
  const sys::topology_summary& topology = info.topology;
  std::printf("Machine\n");
  line("name", info.host);
  line("processor", info.cpu_model);
  line("built of",
       counted(topology.sockets, "socket", "sockets") + ", " +
           counted(topology.numa_domains, "NUMA domain", "NUMA domains") + ", " +
           counted(topology.cores, "core", "cores") + ", " +
           counted(topology.threads, "hardware thread", "hardware threads") +
           (topology.from_hwloc ? "" : " (libhwloc.so.15 is missing: the CPUs are taken as one flat list)"));
  for (int i = 0; i < topology.cache_levels; ++i) {
    const sys::cache_summary& cache = topology.caches[i];
    line(("L" + std::to_string(cache.level) + " cache").c_str(),
         std::to_string(cache.count) + " x " + size_text(cache.bytes));
  }
  line("kernel", info.kernel);
  line("FSGSBASE", info.fsgsbase ? "yes: a fiber takes its thread's identity along without a system call"
                                 : "no: a fiber's change of identity costs a system call (arch_prctl)");
}

void print_budget(const sys::cpu_budget& budget, const std::string& mask) {
  std::printf("\nCores that may be used: %d\n", budget.usable);
  line("affinity mask", counted(budget.in_mask, "CPU", "CPUs") + " (" + mask + ")");
  if (budget.quota <= 0) {
    line("cgroup quota", "none");
    return;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%g CPUs' worth of time", budget.quota);
  line("cgroup quota", std::string(text) + ", by " + budget.quota_source);
}

// What starts processes, and what carries their messages.
void print_processes() {
  std::printf("\nProcesses\n");
  line("amity run -n", "starts them on this machine by itself");
  bool some = false;
  for (const char* name : {"mpirun", "mpirun.openmpi", "mpirun.mpich", "srun"}) {
    const launcher found = find_launcher(name);
    if (found.command.empty()) continue;
    some = true;
    line(name, !found.trouble.empty()
                   ? found.trouble
                   : std::string(name_of(found.family)) + (found.version.empty() ? "" : ": " + found.version));
  }
  if (!some) line("on others", "no launcher: Debian has openmpi-bin, and mpich");
  std::string looked_in;
  const auto own = find_own_libraries(looked_in);
  if (!own) return;
  const auto plugin = [&](const char* what, const char* name, const char* without) {
    const std::string path = (own->folder / name).string();
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const error = library == nullptr ? dlerror() : nullptr;
    line(what, library != nullptr ? path : std::string(without) + " (" + sys::why_no_plugin(path, error) + ")");
  };
  plugin("UCX", "libamity_ucx.so", "not here: messages go by sockets");
  plugin("PMIx", "libamity_pmix.so", "not here: Open MPI's jobs can't be joined");
  plugin("Open MPI", "libamity_mpi_openmpi.so", "not here: AMITY_NET=mpi can't be asked for under its mpirun");
  plugin("MPICH", "libamity_mpi_mpich.so", "not here: AMITY_NET=mpi can't be asked for under its mpirun");
  const sys::node_rank here = sys::rank_on_node();
  if (here.size > 1)
    line("this process", "rank " + std::to_string(here.rank) + " of " + std::to_string(here.size) + " on this node");
}

std::string device_text(const accel::detail::device_facts& f) {
  return f.backend + ": " + f.name + ", " +
         counted(static_cast<int>(f.compute_units), "compute unit", "compute units") + ", " +
         size_text(static_cast<long long>(f.memory)) + ", version " + std::to_string(f.capability.first) + "." +
         std::to_string(f.capability.second) + ", " + f.platform + " " + f.driver;
}

void print_devices() {
  std::printf("\nDevices\n");
  int number = 0;
  for (const accel::detail::device_object* const d : accel::detail::own_devices())
    line(std::to_string(number++).c_str(), device_text(d->facts()));
  for (const auto& [backend, status] : accel::detail::backend_statuses()) line(backend.c_str(), status);
}

void print_libraries() {
  std::printf("\nLibraries\n");
  std::string looked_in;
  const auto own = find_own_libraries(looked_in);
  line("Amity", own ? own->library.string() : "missing: looked in " + looked_in);
  std::error_code ignored;
  if (own && !std::filesystem::exists(own->folder / "amity_redirect.so", ignored))
    line("", "amity_redirect.so is missing: wheels of Python and others keep runtimes that they bring along");
  for (const system_library& library : find_system_libraries())
    line(library.name.c_str(), library.path + (library.in_path ? "" : " (not in the loader's path)"));
}

const char* name_of(omp::setting_source source) {
  switch (source) {
    case omp::setting_source::default_:
      return "default";
    case omp::setting_source::environment:
      return "environment";
    case omp::setting_source::refused:
      return "refused";
    case omp::setting_source::overridden:
      return "overridden";
    case omp::setting_source::ineffective:
      return "without effect";
  }
  return "unknown";
}

void print_settings(bool verbose) {
  std::printf("\nSettings\n");
  std::fflush(stdout);
  omp::print_settings(stdout, verbose);
}

nlohmann::ordered_json as_json(const machine_info& info) {
  nlohmann::ordered_json json;
  const sys::topology_summary& topology = info.topology;
  json["machine"] = {{"name", info.host},
                     {"processor", info.cpu_model},
                     {"sockets", topology.sockets},
                     {"numa_domains", topology.numa_domains},
                     {"cores", topology.cores},
                     {"hardware_threads", topology.threads},
                     {"from_hwloc", topology.from_hwloc},
                     {"kernel", info.kernel},
                     {"fsgsbase", info.fsgsbase}};
  auto caches = nlohmann::ordered_json::array();
  for (int i = 0; i < topology.cache_levels; ++i)
    caches.push_back({{"level", topology.caches[i].level},
                      {"count", topology.caches[i].count},
                      {"bytes", topology.caches[i].bytes}});
  json["machine"]["caches"] = caches;
  json["cores_usable"] = {{"count", info.budget.usable}, {"in_mask", info.budget.in_mask}, {"mask", info.mask}};
  if (info.budget.quota > 0) {
    json["cores_usable"]["quota"] = info.budget.quota;
    json["cores_usable"]["quota_source"] = info.budget.quota_source;
  }
  std::string looked_in;
  const auto own = find_own_libraries(looked_in);
  json["libraries"]["amity"] = own ? nlohmann::ordered_json(own->library.string()) : nlohmann::ordered_json();
  json["libraries"]["system"] = nlohmann::ordered_json::array();
  for (const system_library& library : find_system_libraries())
    json["libraries"]["system"].push_back(
        {{"name", library.name}, {"path", library.path}, {"in_loader_path", library.in_path}});
  json["devices"] = nlohmann::ordered_json::array();
  for (const accel::detail::device_object* const d : accel::detail::own_devices()) {
    const accel::detail::device_facts& f = d->facts();
    json["devices"].push_back({{"backend", f.backend},
                               {"name", f.name},
                               {"platform", f.platform},
                               {"driver", f.driver},
                               {"version", {f.capability.first, f.capability.second}},
                               {"compute_units", f.compute_units},
                               {"memory", f.memory}});
  }
  for (const auto& [backend, status] : accel::detail::backend_statuses()) json["backends"][backend] = status;
  json["settings"] = nlohmann::ordered_json::object();
  omp::visit_settings(
      [](const omp::setting_view& one, void* into) {
        (*static_cast<nlohmann::ordered_json*>(into))["settings"][one.name] = {
            {"value", one.value}, {"source", name_of(one.source)}, {"meaning", one.meaning}};
      },
      &json);
  return json;
}

int print_info(bool json, bool verbose) {
  const machine_info info = look_at_machine();
  if (json) {
    std::printf("%s\n", as_json(info).dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
  }
  print_machine(info);
  print_budget(info.budget, info.mask);
  print_libraries();
  print_processes();
  print_devices();
  print_settings(verbose);
  return 0;
}

}  // namespace

command add_info(CLI::App& app) {
  struct options {
    bool json = false;
    bool verbose = false;
  };
  auto chosen = std::make_shared<options>();
  app.add_flag("--json", chosen->json, "for scripts");
  app.add_flag("-v,--verbose", chosen->verbose,
               "every setting, also those without effect here, with its meaning, default and allowed values");
  return [chosen] { return print_info(chosen->json, chosen->verbose); };
}

}  // namespace amity::cli
