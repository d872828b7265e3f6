#include "amity/net/internal/engines.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "amity/net/internal/beside_mpi.hpp"
#include "amity/net/internal/plugin.hpp"
#include "amity/sys/environment.hpp"
#include "amity/sys/launcher.hpp"

namespace amity::net {
namespace {

constexpr std::size_t most_address = 16 * 1024;

/// UCX takes some MiB of it for each rank, and has no network without. System V's shared memory has limits of its own.
bool dev_shm_is_roomy() noexcept {
  constexpr std::uint64_t for_each_rank = std::uint64_t{16} << 20;
  struct statvfs s;
  return statvfs("/dev/shm", &s) == 0 &&
         std::uint64_t{s.f_bavail} * s.f_frsize >= for_each_rank * static_cast<unsigned>(sys::rank_on_node().size);
}

/// UCX reads these when it is loaded, also by an MPI. Its handlers of SIGSEGV and the like would take the place of the
/// program's and of Amity's.
void settle_ucx(const sys::library_start& start) noexcept {
  start.set_default("UCX_ERROR_SIGNALS", "");
  start.set_default("UCX_WARN_UNUSED_ENV_VARS", "n");
  start.set_default("UCX_LOG_LEVEL", "error");
  if (!dev_shm_is_roomy()) start.set_default("UCX_TLS", "^posix");
}

const void* from_ucx_plugin(const char** why) noexcept {
  sys::library_start const start;
  settle_ucx(start);
  return open_plugin("libamity_ucx.so", "amity_engine", why);
}

/// Of the family that the program brings along; else of the launcher's, which MPI_Init has to speak to.
const void* from_mpi_plugin(wiring by, const char* symbol, const char** why) noexcept {
  sys::library_start const start;
  settle_ucx(start);
  mpi_family const loaded = loaded_mpi();
  bool const is_mpich = loaded == mpi_family::mpich || (loaded == mpi_family::none && by == wiring::pmi1);
  // Open MPI has handlers of SIGSEGV and the like, too.
  start.set_default("OMPI_MCA_opal_signal", "");
  return is_mpich ? open_plugin("libamity_mpi_mpich.so", symbol, why)
                  : open_plugin("libamity_mpi_openmpi.so", symbol, why);
}

known_engine plugged_in(const char* name, const void* table, const char* why) {
  known_engine e{name, static_cast<const engine*>(table), {}};
  if (table == nullptr) e.why_not = why;
  return e;
}

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

std::vector<known_engine> candidates(net_wish wish, wiring by) {
  std::vector<known_engine> all;
  const char* why = "";
  if (wish == net_wish::best || wish == net_wish::ucx) {
    const void* const table = from_ucx_plugin(&why);
    all.push_back(plugged_in("ucx", table, why));
  }
  if (wish == net_wish::best || wish == net_wish::sockets) all.push_back({"sockets", &sockets_engine, {}});
  if (wish == net_wish::mpi) {
    const void* const table = from_mpi_plugin(by, "amity_engine", &why);
    all.push_back(plugged_in("mpi", table, why));
  }
  return all;
}

std::string open_engines(std::vector<known_engine>& all, const engine_facts& facts) {
  std::string text = "|";
  for (known_engine& e : all) {
    if (e.table == nullptr) continue;
    std::string address(most_address, '\0');
    std::size_t size = address.size();
    if (const char* const error = e.table->open(facts, address.data(), &size)) {
      e.why_not = error;
      e.table = nullptr;
      continue;
    }
    address.resize(size);
    text += std::string(e.name) + ">" + address + "|";
  }
  return text;
}

const engine* choose_engine(std::vector<known_engine>& all, const std::vector<std::string>& of_ranks,
                            const char** problem) {
  *problem = nullptr;
  for (const known_engine& e : all) {
    if (e.table == nullptr) continue;
    bool everywhere = true;
    for (const std::string& each : of_ranks) everywhere = everywhere && !address_of(each, e.name).empty();
    if (!everywhere) continue;
    for (std::size_t r = 0; r < of_ranks.size() && *problem == nullptr; ++r)
      *problem = e.table->know(static_cast<int>(r), address_of(of_ranks[r], e.name).c_str());
    for (const known_engine& other : all)
      if (other.table != nullptr && other.table != e.table) other.table->close();
    return e.table;
  }
  return nullptr;
}

const wire_up* mpi_wire_up(wiring by, const char** why) noexcept {
  return static_cast<const wire_up*>(from_mpi_plugin(by, "amity_wire_up", why));
}

}  // namespace amity::net
