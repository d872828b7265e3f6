#include "amity/net/internal/engines.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "amity/base/report.hpp"
#include "amity/launch/beside_mpi.hpp"
#include "amity/launch/plugin.hpp"
#include "amity/net/internal/two_engines.hpp"
#include "amity/net/internal/ucx_transports.hpp"
#include "amity/sys/environment.hpp"
#include "amity/sys/launcher.hpp"

namespace amity::net {
namespace {

/// UCX takes some MiB of it for each rank, and has no network without. System V's shared memory has limits of its own.
bool dev_shm_is_roomy() noexcept {
  constexpr std::uint64_t for_each_rank = std::uint64_t{16} << 20;
  struct statvfs s;
  return statvfs("/dev/shm", &s) == 0 &&
         std::uint64_t{s.f_bavail} * s.f_frsize >= for_each_rank * static_cast<unsigned>(sys::rank_on_node().size);
}

/// The machine has an adapter for RDMA: InfiniBand, RoCE or the like.
bool has_rdma() noexcept {
  std::error_code none;
  std::filesystem::directory_iterator const adapters("/sys/class/infiniband", none);
  return !none && adapters != std::filesystem::directory_iterator();
}

/// UCX reads these when it is loaded, also by an MPI. Its handlers of SIGSEGV and the like would take the place of the
/// program's and of Amity's. What only Amity's own part of UCX is to do stands in its facts, not here.
///
/// To hear of memory that is unmapped, UCX overwrites the first instructions of mmap and the like as it is loaded. Here
/// other threads run by then, and one that is just about to execute them crashes (1 start of 6000). RDMA alone has to
/// hear of that, and does it by relocations instead, each of which is one store.
void settle_ucx(const sys::library_start& start) noexcept {
  start.set_default("UCX_MEM_MMAP_HOOK_MODE", has_rdma() ? "reloc" : "none");
  start.set_default("UCX_ERROR_SIGNALS", "");
  start.set_default("UCX_WARN_UNUSED_ENV_VARS", "n");
  start.set_default("UCX_LOG_LEVEL", "error");
}

const void* from_ucx_plugin(const char** why) noexcept {
  sys::library_start const start;
  settle_ucx(start);
  return launching::open_plugin("libamity_ucx.so", "amity_engine", why);
}

/// Of the family that the program brings along; else of the launcher's, which MPI_Init has to speak to.
const void* from_mpi_plugin(launching::wiring by, const char* symbol, const char** why) noexcept {
  sys::library_start const start;
  settle_ucx(start);
  if (!dev_shm_is_roomy()) start.set_default("UCX_TLS", "^posix");
  launching::mpi_family const loaded = launching::loaded_mpi();
  bool const is_mpich = loaded == launching::mpi_family::mpich ||
                        (loaded == launching::mpi_family::none && by == launching::wiring::pmi1);
  // Open MPI has handlers of SIGSEGV and the like, too.
  start.set_default("OMPI_MCA_opal_signal", "");
  return is_mpich ? launching::open_plugin("libamity_mpi_mpich.so", symbol, why)
                  : launching::open_plugin("libamity_mpi_openmpi.so", symbol, why);
}

known_engine plugged_in(const char* name, const void* table, const char* why) {
  known_engine e{name, static_cast<const engine*>(table), {}};
  if (table == nullptr) e.why_not = why;
  return e;
}

/// Beside the engines' names: that of one which reaches only those that share memory with it.
constexpr char stays_within[] = "within";
/// There, too: where this process's rings are.
constexpr char rings_at[] = "rings";

/// What `text` has for an engine; empty: that rank has none.
std::string address_of(const std::string& text, const std::string& engine) {
  std::string const start = "|" + engine + ">";
  std::size_t const at = text.find(start);
  if (at == std::string::npos) return {};
  std::size_t const from = at + start.size();
  return text.substr(from, text.find('|', from) - from);
}

}  // namespace

bool read_net_wish(net_wish& wish) noexcept {
  const char* const text = getenv("AMITY_NET");
  std::string const wanted = text != nullptr ? text : "";
  wish = wanted == "ucx"       ? net_wish::ucx
         : wanted == "sockets" ? net_wish::sockets
         : wanted == "mpi"     ? net_wish::mpi
                               : net_wish::best;
  return wish != net_wish::best || wanted.empty();
}

known_engines candidates(net_wish wish, launching::wiring by, bool all_share_memory) {
  known_engines known;
  std::vector<known_engine>& all = known.all;
  const char* why = "";
  if (wish == net_wish::best || wish == net_wish::ucx) {
    const void* const table = from_ucx_plugin(&why);
    all.push_back(plugged_in("ucx", table, why));
  }
  if (wish == net_wish::best || wish == net_wish::sockets || (wish == net_wish::ucx && !all_share_memory))
    all.push_back({"sockets", &sockets_engine, {}, wish == net_wish::ucx});
  if (wish == net_wish::mpi) {
    const void* const table = from_mpi_plugin(by, "amity_engine", &why);
    all.push_back(plugged_in("mpi", table, why));
  }
  return known;
}

void choose_ucx_transports(engine_facts& facts) {
  static std::string within, between;
  const char* const wanted = getenv("UCX_TLS");
  bool const dev_shm = dev_shm_is_roomy();
  transports const chosen = ucx_transports(wanted, facts.one_node, dev_shm);
  within = ucx_transports(wanted, true, dev_shm).list;
  between = facts.one_node ? "" : chosen.list;
  facts.ucx_within = within.c_str();
  facts.ucx_between = between.c_str();
  if (!chosen.left.empty() && facts.rank == 0)
    base::warn("UCX_TLS='%s': %s is not taken for Amity's messages, since %s", base::quoted(wanted).text,
               base::quoted(chosen.left.c_str()).text,
               facts.one_node ? "all ranks are on one machine, where shared memory carries them and nothing listens"
                              : "UCX does not ask for the job's secret there; sockets do");
}

std::string open_engines(known_engines& known, const engine_facts& facts) {
  std::string text = "|";
  for (known_engine& e : known.all) {
    if (e.table == nullptr) continue;
    std::string address(most_address, '\0');
    e.instance = e.table->open(facts, address.data(), address.size());
    if (e.instance == nullptr) {
      e.why_not = address.c_str();
      e.table = nullptr;
      continue;
    }
    text += std::string(e.name) + ">" + address.c_str() + "|";
    if (open_engine{e.table, e.instance}.stays_within()) text += std::string(stays_within) + ">" + e.name + "|";
  }
  if (text == "|") return text;
  std::string place;
  known.before = open_rings(facts, place);
  return known.before == nullptr ? text : text + rings_at + ">" + place + "|";
}

namespace {

bool all_have(const std::vector<std::string>& of_ranks, const char* name) {
  for (const std::string& each : of_ranks)
    if (address_of(each, name).empty()) return false;
  return true;
}

/// By what ranks have said, so that all come to the same.
bool reaches_all(const known_engine& e, const std::vector<std::string>& of_ranks, bool all_share_memory) {
  if (all_share_memory) return true;
  for (const std::string& each : of_ranks)
    if (address_of(each, stays_within) == e.name) return false;
  return true;
}

/// Null, or what is wrong.
const char* tell_addresses(const known_engine& e, const std::vector<std::string>& of_ranks) {
  const char* problem = nullptr;
  for (std::size_t r = 0; r < of_ranks.size() && problem == nullptr; ++r)
    problem = e.table->know(*e.instance, static_cast<int>(r), address_of(of_ranks[r], e.name).c_str());
  return problem;
}

}  // namespace

open_engine choose_engine(known_engines& known, const std::vector<std::string>& of_ranks, const engine_facts& facts,
                          const char** problem) {
  *problem = nullptr;
  bool all_share_memory = true;
  for (int r = 0; r < facts.size; ++r) all_share_memory = all_share_memory && facts.shares_memory(facts.owner, r);
  std::vector<const known_engine*> taken;
  for (const known_engine& e : known.all) {
    if (e.table == nullptr || !all_have(of_ranks, e.name)) continue;
    if (e.only_beside && taken.empty()) continue;
    taken.push_back(&e);
    if (reaches_all(e, of_ranks, all_share_memory)) break;
  }
  if (taken.empty() || !reaches_all(*taken.back(), of_ranks, all_share_memory)) return {};
  for (const known_engine* e : taken)
    if (*problem == nullptr) *problem = tell_addresses(*e, of_ranks);
  for (const known_engine& other : known.all)
    if (other.table != nullptr && std::find(taken.begin(), taken.end(), &other) == taken.end())
      other.table->close(*other.instance);
  open_engine chosen{taken[0]->table, taken[0]->instance};
  if (taken.size() != 1 && *problem == nullptr)
    chosen = join_engines(chosen, {taken[1]->table, taken[1]->instance}, facts, problem);
  if (*problem != nullptr) return chosen;
  std::vector<std::string> places;
  for (const std::string& each : of_ranks) places.push_back(address_of(each, rings_at));
  return put_rings_before(chosen, known.before, places);
}

const launching::wire_up* mpi_wire_up(launching::wiring by, const char** why) noexcept {
  return static_cast<const launching::wire_up*>(from_mpi_plugin(by, "amity_wire_up", why));
}

}  // namespace amity::net
