#include "amity/net/test_job.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "amity/launch/wire_up.hpp"
#include "amity/net/internal/two_engines.hpp"

namespace {
std::atomic<bool> some_is_left_behind{false};
}  // namespace

/// LeakSanitizer asks for this at the end of the process.
extern "C" int __lsan_is_turned_off() { return some_is_left_behind ? 1 : 0; }

namespace amity::net {

void leave_some_behind() noexcept { some_is_left_behind = true; }

namespace {

// --- memory for messages

struct ledger {
  std::mutex lock;
  std::unordered_set<std::byte*> out;
};
ledger& buffers() noexcept {
  static auto* const one = new ledger;
  return *one;
}

std::byte* take_counted(std::size_t size) noexcept {
  auto* const b = static_cast<std::byte*>(malloc(std::max<std::size_t>(size, 1)));
  std::lock_guard const held(buffers().lock);
  buffers().out.insert(b);
  return b;
}

/// What was given back before ends the test.
void give_counted(std::byte* b) noexcept {
  {
    std::lock_guard const held(buffers().lock);
    if (buffers().out.erase(b) != 1) abort();
  }
  free(b);
}

/// Large messages come in memory of take_counted, or of malloc.
void free_arrived(std::byte* b) noexcept {
  {
    std::lock_guard const held(buffers().lock);
    buffers().out.erase(b);
  }
  free(b);
}

// --- what messages are

/// Fills, or compares. False: it differs.
template <class Each>
bool for_each_byte(std::size_t size, std::uint64_t seed, Each each) {
  std::uint64_t x = seed;
  for (std::size_t at = 0; at < size; at += sizeof x) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    if (!each(at, x, std::min(sizeof x, size - at))) return false;
  }
  return true;
}

std::uint64_t seed_of(const message_header& h, int from) noexcept {
  return h.code * 31 + h.word * 7 + static_cast<std::uint64_t>(from);
}

void fill(std::byte* bytes, std::size_t size, std::uint64_t seed) {
  for_each_byte(size, seed, [bytes](std::size_t at, std::uint64_t x, std::size_t part) {
    memcpy(bytes + at, &x, part);
    return true;
  });
}

bool is_filled(const std::byte* bytes, std::size_t size, std::uint64_t seed) {
  return for_each_byte(size, seed, [bytes](std::size_t at, std::uint64_t x, std::size_t part) {
    return memcmp(bytes + at, &x, part) == 0;
  });
}

// --- which engines there are

/// As engines.cpp has it: UCX and Open MPI read these as they are loaded.
void settle_libraries() noexcept {
  setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 0);
  setenv("UCX_ERROR_SIGNALS", "", 0);
  setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
  setenv("UCX_LOG_LEVEL", "error", 0);
  setenv("OMPI_MCA_opal_signal", "", 0);
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
}

const void* find(const char* plugin, const char* symbol) noexcept {
  settle_libraries();
  void* const library = *plugin != '\0' ? dlopen(plugin, RTLD_NOW | RTLD_LOCAL) : nullptr;
  return library != nullptr ? dlsym(library, symbol) : nullptr;
}

const engine* ucx_engine() noexcept {
  static auto* const table = static_cast<const engine*>(find(AMITY_UCX_PLUGIN, "amity_engine"));
  return table;
}

/// Of a job of MPI's that has one process.
struct loaded_mpi {
  const engine* table = nullptr;
  const launching::wire_up* wires = nullptr;
  const char* why_not = "the plug-in is not there";

  explicit loaded_mpi(const char* plugin) noexcept
      : table(static_cast<const engine*>(find(plugin, "amity_engine"))),
        wires(static_cast<const launching::wire_up*>(find(plugin, "amity_wire_up"))) {
    static const char* only_one = nullptr;
    if (table == nullptr || wires == nullptr) return;
    why_not = "another MPI is in this process";
    if (only_one != nullptr) return;
    only_one = plugin;
    leave_some_behind();  // components of Open MPI do, which are unloaded by then, so that no suppression can name them
    launching::membership alone;
    why_not = wires->open(alone);
  }
  ~loaded_mpi() {
    if (why_not == nullptr) wires->close();
  }
  loaded_mpi(const loaded_mpi&) = delete;
  loaded_mpi& operator=(const loaded_mpi&) = delete;
};

const loaded_mpi& mpi_of(kind_of_engine kind) noexcept {
  if (kind == kind_of_engine::openmpi) {
    static const loaded_mpi one(AMITY_OPENMPI_PLUGIN);
    return one;
  }
  static const loaded_mpi one(AMITY_MPICH_PLUGIN);
  return one;
}

const engine& near_engine(kind_of_engine kind) noexcept {
  switch (kind) {
    case kind_of_engine::ucx:
    case kind_of_engine::rings_and_ucx:
    case kind_of_engine::ucx_and_sockets:
      return *ucx_engine();
    case kind_of_engine::openmpi:
    case kind_of_engine::mpich:
      return *mpi_of(kind).table;
    case kind_of_engine::sockets:
    case kind_of_engine::tcp:
    case kind_of_engine::rings_and_sockets:
      break;
  }
  return sockets_engine;
}

bool has_rings(kind_of_engine kind) noexcept {
  return kind == kind_of_engine::rings_and_sockets || kind == kind_of_engine::rings_and_ucx;
}

}  // namespace

std::string name_of(kind_of_engine kind) {
  constexpr const char* names[] = {
      "sockets", "tcp", "ucx", "openmpi", "mpich", "rings_and_sockets", "rings_and_ucx", "ucx_and_sockets"};
  return names[static_cast<int>(kind)];
}

const char* why_missing(kind_of_engine kind) {
  bool const is_mpi = kind == kind_of_engine::openmpi || kind == kind_of_engine::mpich;
  bool const is_ucx =
      kind == kind_of_engine::ucx || kind == kind_of_engine::rings_and_ucx || kind == kind_of_engine::ucx_and_sockets;
  if (is_mpi) return mpi_of(kind).why_not;
  if (!is_ucx) return nullptr;
  if (ucx_engine() == nullptr) return "the plug-in is not there";
  // In a container without shared memory, for example.
  static std::string const refused = test_job(kind_of_engine::ucx, 1).faults();
  return refused.empty() ? nullptr : refused.c_str();
}

std::size_t buffers_out() {
  std::lock_guard const held(buffers().lock);
  return buffers().out.size();
}

// --- a rank

test_rank::test_rank(const test_job& job, int own, int all)
    : rank(own),
      size(all),
      taken_from(static_cast<std::size_t>(all)),
      losses(static_cast<std::size_t>(all)),
      job_(job),
      next_number_(static_cast<std::size_t>(all)),
      taken_numbers_(static_cast<std::size_t>(all)),
      is_forgotten_(static_cast<std::size_t>(all)) {}

const engine_events test_rank::events{
    .arrived = [](void* owner, int from, const message_header& h, const std::byte* bytes,
                  std::size_t size) noexcept { static_cast<test_rank*>(owner)->take(from, h, bytes, size); },
    .arrived_large =
        [](void* owner, int from, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
          static_cast<test_rank*>(owner)->take(from, h, bytes, size);
          free_arrived(bytes);
        },
    .lost = [](void* owner, int rank, const char*) noexcept { ++static_cast<test_rank*>(owner)->losses[rank]; },
    .taken_away = [](void*) noexcept {},
    .take_buffer = take_counted,
    .give_buffer = give_counted,
    .stranger =
        [](void* owner, const char* who, const char* why) noexcept {
          static_cast<test_rank*>(owner)->faults_ += std::string("a stranger, ") + who + ": " + why + "\n";
        },
};

/// The code tells of the job and the receiver, and the word of number and size.
void test_rank::send(int to, std::size_t bytes, bool copied) {
  message_header const h{job_.number_ << 32 | static_cast<std::uint64_t>(to), next_number_[to]++ << 32 | bytes};
  if (!copied && bytes >= engine.table->least_large) {
    std::byte* const owned = take_counted(bytes);
    fill(owned, bytes, seed_of(h, rank));
    return engine.send_large(to, h, owned, bytes);
  }
  auto const gone = std::make_unique<std::byte[]>(bytes);
  fill(gone.get(), bytes, seed_of(h, rank));
  engine.send(to, h, gone.get(), bytes);
  std::fill_n(gone.get(), bytes, std::byte{0xee});
}

void test_rank::take(int from, const message_header& h, const std::byte* bytes, std::size_t bytes_size) {
  constexpr std::size_t enough_faults = 1000;
  if ((h.code & control_bit) != 0) return;  // from rings, to wake this one
  std::uint64_t const number = h.word >> 32;
  std::string const what = "message " + std::to_string(number) + " from " + std::to_string(from) + " to " +
                           std::to_string(rank) + ", of " + std::to_string(bytes_size) + " bytes, ";
  if (from < 0 || from >= size) {
    faults_ += what + "is of no rank\n";
    return;
  }
  if (h.code != (job_.number_ << 32 | static_cast<std::uint64_t>(rank))) faults_ += what + "is not for this one\n";
  if ((h.word & 0xffffffff) != bytes_size) faults_ += what + "has another size than was sent\n";
  if (is_forgotten_[from]) faults_ += what + "is of a rank that was forgotten\n";
  if (!is_filled(bytes, bytes_size, seed_of(h, from))) faults_ += what + "has other bytes than were sent\n";
  std::vector<bool>& numbers = taken_numbers_[from];
  if (number >= numbers.size()) numbers.resize(number + 1);
  if (numbers[number]) faults_ += what + "came twice\n";
  numbers[number] = true;
  if (faults_.size() > enough_faults) faults_.resize(enough_faults);
  all_in_order = all_in_order && number == taken_from[from];
  ++taken_from[from];
  ++taken;
}

void test_rank::serve() {
  if (engine.poll() == 0) sched_yield();
}

void test_rank::serve_until(const std::function<bool()>& done, meeting& with_others) {
  while (!done() || !engine.is_flushed()) serve();
  --with_others.missing;
  while (with_others.missing > 0) serve();
}

void test_rank::forget(int other) {
  engine.forget(other);
  is_forgotten_[other] = true;
}

void test_rank::close() {
  if (is_closed || engine.table == nullptr) return;
  std::vector<int> const before = losses;
  engine.close();
  losses = before;
  is_closed = true;
}

// --- a job

namespace {
std::uint64_t next_job() noexcept {
  static std::atomic<std::uint64_t> jobs{0};
  return ++jobs;
}
}  // namespace

test_job::test_job(kind_of_engine kind, int ranks)
    : kind_(kind), number_(next_job()), secret_("0123456789abcdef0123456789abcd" + std::to_string(10 + number_ % 90)) {
  for (int r = 0; r < ranks; ++r) ranks_.push_back(std::make_unique<test_rank>(*this, r, ranks));
  for (auto& r : ranks_) open(*r);
  for (auto& r : ranks_) connect(*r);
}

test_job::~test_job() {
  for (auto& r : ranks_) r->close();
}

bool test_job::shares_memory(int a, int b) const noexcept {
  return kind_ != kind_of_engine::ucx_and_sockets || a / 2 == b / 2;
}

engine_facts test_job::facts_of(test_rank& r) const noexcept {
  engine_facts facts{};
  facts.rank = r.rank;
  facts.size = r.size;
  facts.one_node = kind_ != kind_of_engine::tcp && kind_ != kind_of_engine::ucx_and_sockets;
  facts.is_watched = [](void*, int) noexcept { return true; };
  facts.shares_memory = [](void* owner, int other) noexcept {
    const test_rank& own = *static_cast<test_rank*>(owner);
    return own.job_.shares_memory(own.rank, other);
  };
  facts.ucx_within = "posix,sysv,cma";
  facts.ucx_between = "";
  facts.tcp_address = "127.0.0.1";
  facts.secret = secret_.c_str();
  facts.secret_bytes = secret_.size();
  facts.events = &test_rank::events;
  facts.owner = &r;
  return facts;
}

void test_job::open(test_rank& r) {
  const auto one = [&](const engine& table, std::string& text) -> open_engine {
    text.assign(most_address, '\0');
    engine_instance* const i = table.open(facts_of(r), text.data(), text.size());
    text.resize(text.find('\0'));
    if (i == nullptr) faults_ += std::string(table.name) + " can't be opened: " + text + "\n";
    return {&table, i};
  };
  near_.push_back(one(near_engine(kind_), near_texts_.emplace_back()));
  if (kind_ == kind_of_engine::ucx_and_sockets) far_.push_back(one(sockets_engine, far_texts_.emplace_back()));
  if (has_rings(kind_)) rings_.push_back(open_rings(facts_of(r), places_.emplace_back()));
}

void test_job::connect(test_rank& r) {
  if (!faults_.empty()) return;
  auto const own = static_cast<std::size_t>(r.rank);
  for (int other = 0; other < r.size; ++other) {
    auto const its = static_cast<std::size_t>(other);
    // The kernel's own sockets are for those whose host is the same.
    std::string const elsewhere = kind_ == kind_of_engine::tcp ? "elsewhere-" : "";
    const char* wrong = near_[own].know(other, (elsewhere + near_texts_[its]).c_str());
    if (wrong == nullptr && !far_.empty()) wrong = far_[own].know(other, ("elsewhere-" + far_texts_[its]).c_str());
    if (wrong != nullptr) faults_ += wrong;
  }
  r.engine = near_[own];
  const char* why = nullptr;
  if (!far_.empty()) r.engine = join_engines(near_[own], far_[own], facts_of(r), &why);
  if (why != nullptr) faults_ += why;
  if (!rings_.empty()) r.engine = put_rings_before(near_[own], rings_[own], places_);
}

void test_job::run(const std::function<void(test_rank&)>& of) {
  if (!faults_.empty()) return;
  std::vector<std::thread> threads;
  threads.reserve(ranks_.size());
  for (auto& r : ranks_) threads.emplace_back([&of, &r] { of(*r); });
  for (std::thread& t : threads) t.join();
}

std::string test_job::faults() const {
  std::string all = faults_;
  for (const auto& r : ranks_) {
    all += r->faults_;
    for (const auto& other : ranks_)
      if (r->losses[other->rank] != 0 && !other->is_closed && !r->is_forgotten_[other->rank] &&
          !other->is_forgotten_[r->rank])
        all += "rank " + std::to_string(r->rank) + " has lost " + std::to_string(other->rank) + "\n";
  }
  return all;
}

}  // namespace amity::net
