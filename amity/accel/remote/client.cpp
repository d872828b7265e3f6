#include "amity/accel/remote/client.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "amity/accel/operation.hpp"
#include "amity/accel/remote/calls.hpp"
#include "amity/accel/remote/exports.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/job.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::remote {
namespace {

using detail::command;
using detail::mark_state;

/// A command that another process carries out. Its mark.
struct under_way {
  name command = 0;
  int rank = 0;
  std::atomic<int> status{1};  ///< 1: it runs; 0: done; -1: failed. Release: what else is here
  std::atomic<bool> is_asked_for{false};
  std::atomic<int> references{2};  ///< the table's and the operation's
  sent_error error;
  void* host_to = nullptr;
  std::size_t bytes = 0;  ///< that come to `host_to`
  bool is_box = false;
  box to_box;
  std::size_t region[3] = {0, 1, 1};

  void drop() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

struct awaited_build {
  int rank = 0;
  promise<build_result>* answer = nullptr;
};

/// Commands and builds that wait for answers, and what has been sent where.
struct client {
  sys::spin_lock lock;
  std::unordered_map<name, under_way*> commands;
  std::unordered_map<name, awaited_build> builds;
  sync::mutex building;                                    ///< of `sources`, and of the order in which they are sent
  std::vector<std::unordered_set<std::uint64_t>> sources;  ///< R3: by rank, the hashes of those that are there
};
client& own_client() {
  static auto* const one = [] {
    auto* const made = new client;
    made->sources.resize(static_cast<std::size_t>(rank_n()));
    return made;
  }();
  return *one;
}

void copy_rows(std::byte* to, const box& to_box, const std::byte* from, const box& from_box,
               const std::size_t (&region)[3]) {
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y)
      std::memcpy(to + to_box.origin[0] + (to_box.origin[1] + y) * to_box.row_pitch +
                      (to_box.origin[2] + z) * to_box.slice_pitch,
                  from + from_box.origin[0] + (from_box.origin[1] + y) * from_box.row_pitch +
                      (from_box.origin[2] + z) * from_box.slice_pitch,
                  region[0]);
}

/// An operation's end may be noted within a poll, which must not wait until a message can be sent.
template <class Request>
void ask_in_task(int rank, Request r) {
  auto tell = [rank, r = std::move(r)]() mutable { ask(rank, std::move(r)); };
  sched::worker& w = sched::this_worker();
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(tell)}));
}

name name_of(detail::native_memory* m) noexcept { return m != nullptr ? static_cast<memory*>(m)->its_name() : 0; }

class kernel final : public detail::native_kernel {
 public:
  kernel(name of, std::string its, detail::kernel_signature s, const detail::kernel_limits& l)
      : program(of), its_name(std::move(its)) {
    signature_ = std::move(s);
    limits_ = l;
  }
  name program;
  std::string its_name;
};

class program final : public detail::native_program {
 public:
  program(int rank, name n, std::string its_name, std::vector<sent_kernel> kernels)
      : rank_(rank), name_(n), its_name_(std::move(its_name)), kernels_(std::move(kernels)) {}
  ~program() override { ask_in_task(rank_, drop_program{name_}); }
  std::unique_ptr<detail::native_kernel> kernel(const std::string& wanted) override {
    std::string there;
    for (const sent_kernel& k : kernels_) {
      there += (there.empty() ? "" : ", ") + k.its_name;
      if (k.its_name != wanted) continue;
      detail::kernel_signature s;
      s.is_known = k.is_known;
      s.takes_any_shared_bytes = k.takes_any_shared_bytes;
      for (const sent_parameter& p : k.parameters) s.parameters.push_back({p.is, p.writes, p.bytes, p.type});
      detail::kernel_limits const limits{k.shared_bytes, k.largest_block, k.only_block};
      return std::make_unique<remote::kernel>(name_, wanted, std::move(s), limits);
    }
    throw kernel_error("there is no kernel '" + wanted + "' in " + its_name_ + ", which has " +
                       (there.empty() ? std::string("none") : there));
  }
  std::vector<std::string> kernel_names() const override {
    std::vector<std::string> names;
    for (const sent_kernel& k : kernels_) names.push_back(k.its_name);
    return names;
  }
  std::vector<std::byte> binary() const override { return ask_and_wait(rank_, tell_binary, name_); }

 private:
  int rank_;
  name name_;
  std::string its_name_;
  std::vector<sent_kernel> kernels_;
};

class stream final : public detail::native_stream {
 public:
  stream(int rank, int device) : rank_(rank), device_(device), name_(new_name()) {}

  // R2: the other process orders what it is asked by buffers and streams, as this one does; so marks need not be sent.
  detail::mark enqueue(const command& c, std::span<const detail::mark>) override {
    auto* const made = new under_way;
    made->command = new_name();
    made->rank = rank_;
    made->host_to = c.host_to;
    made->is_box = c.is == command::kind::read_box;
    made->bytes = made->is_box ? c.region[0] * c.region[1] * c.region[2] : c.bytes;  // checked: box_operation
    made->to_box = c.to_box;
    std::copy(std::begin(c.region), std::end(c.region), made->region);
    {
      client& all = own_client();
      std::lock_guard const held(all.lock);
      all.commands.emplace(made->command, made);
    }
    if (net::is_lost(rank_))  // or follow_loss sees the command
      take_end(made->command, error_of_loss(rank_), {});
    else
      ask(rank_, message(c, made->command));
    return made;
  }
  void flush() noexcept override {}
  mark_state look(detail::mark m, int& code) noexcept override {
    auto* const u = static_cast<under_way*>(m);
    int const status = u->status.load(std::memory_order_acquire);  // pairs with take_end
    if (status == 1) return mark_state::runs;
    code = u->error.code;
    return status == 0 ? mark_state::done : mark_state::failed;
  }
  void announce(detail::mark m) noexcept override {
    auto* const u = static_cast<under_way*>(m);
    u->is_asked_for.store(true, std::memory_order_seq_cst);  // pairs with take_end
    if (u->status.load(std::memory_order_seq_cst) != 1 && u->is_asked_for.exchange(false)) detail::announce_end();
  }
  void release(detail::mark m) noexcept override { static_cast<under_way*>(m)->drop(); }
  std::string words_of(detail::mark m, int) const override { return static_cast<under_way*>(m)->error.what; }

 private:
  do_command message(const command& c, name its) const {
    do_command d;
    d.command = its;
    d.stream = name_;
    d.device = device_;
    d.is = c.is;
    d.to = name_of(c.to);
    d.from = name_of(c.from);
    d.to_offset = c.to_offset;
    d.from_offset = c.from_offset;
    d.bytes = c.bytes;
    d.pattern_bytes = c.pattern_bytes;
    d.to_box = c.to_box;
    d.from_box = c.from_box;
    std::copy(std::begin(c.region), std::end(c.region), d.region);
    const auto* const from = static_cast<const std::byte*>(c.host_from);
    if (c.is == command::kind::write) d.data.assign(from, from + c.bytes);
    if (c.is == command::kind::fill) d.data.assign(from, from + c.pattern_bytes);
    if (c.is == command::kind::write_box) {
      d.data.resize(c.region[0] * c.region[1] * c.region[2]);
      copy_rows(d.data.data(), {.row_pitch = c.region[0], .slice_pitch = c.region[0] * c.region[1]}, from, c.from_box,
                c.region);
    }
    if (c.is == command::kind::launch) add_launch(c, d);
    return d;
  }

  static void add_launch(const command& c, do_command& d) {
    const auto* const k = static_cast<kernel*>(c.kernel);
    d.program = k->program;
    d.kernel = k->its_name;
    d.grid = c.grid;
    d.block = c.block;
    // Else it is an argument.
    d.shared_bytes = k->signature().takes_any_shared_bytes ? c.shared_bytes : 0;
    std::size_t values = 0;
    for (const detail::argument& a : c.arguments) {
      d.arguments.push_back({a.is, name_of(a.memory), a.writes, a.bytes, a.at});
      if (a.is == detail::parameter::kind::value) values = std::max(values, a.at + a.bytes);
    }
    d.values.assign(c.values, c.values + values);
  }

  int rank_, device_;
  name name_;
};

class device final : public detail::native_device {
 public:
  device(int rank, int number, const sent_facts& f) : rank_(rank), number_(number) {
    facts_ = {f.backend,       f.its_name,       f.platform,      f.driver,        {f.major, f.minor},
              f.memory,        f.largest_buffer, f.compute_units, f.largest_block, f.largest_block_sizes,
              f.shared_memory, f.has_fp64,       f.has_fp16};
  }
  // Devices of one process; the address of what is only one for each.
  const void* domain() const noexcept override { return &own_client().sources[static_cast<std::size_t>(rank_)]; }
  std::unique_ptr<detail::native_memory> allocate(std::size_t bytes) override {
    name const its = new_name();
    ask(rank_, make_buffer{its, number_, bytes});
    return std::make_unique<memory>(rank_, its);
  }
  std::unique_ptr<detail::native_stream> open_stream() override { return std::make_unique<stream>(rank_, number_); }
  std::unique_ptr<detail::native_program> build(const detail::program_text& text) override;
  std::vector<std::unique_ptr<detail::native_device>> split(std::uint32_t) override {
    // Parts have numbers in their own process, so device::split asks it by split_device below.
    throw device_error(facts_.name + " of process " + std::to_string(rank_) + " is divided by its process");
  }
  std::vector<std::pair<std::string, std::string>> properties() const override {
    return {{"name", facts_.name},
            {"platform", facts_.platform},
            {"driver", facts_.driver},
            {"process", std::to_string(rank_)},
            {"compute units", std::to_string(facts_.compute_units)},
            {"memory in bytes", std::to_string(facts_.memory)}};
  }

 private:
  int rank_, number_;
};

std::unique_ptr<detail::native_program> device::build(const detail::program_text& text) {
  make_program m;
  m.program = new_name();
  m.device = number_;
  m.hash = std::hash<std::string>()(text.source);
  m.its_name = text.name;
  m.binary = text.binary;
  m.options = text.options;
  m.includes = text.includes;
  m.is_whole = text.is_whole;
  m.defines = text.defines;
  promise<build_result> answer;
  auto result = answer.get_future();
  name const its = m.program;
  client& all = own_client();
  {
    std::lock_guard const one_at_a_time(all.building);  // the source goes before those that rely on it
    {
      std::lock_guard const held(all.lock);
      all.builds.emplace(its, awaited_build{rank_, &answer});
    }
    m.has_source = all.sources[static_cast<std::size_t>(rank_)].insert(m.hash).second;
    if (m.has_source) m.source = text.source;
    if (net::is_lost(rank_))
      take_build(its, {error_of_loss(rank_), {}});
    else
      ask(rank_, std::move(m));
  }
  build_result r = result.get();
  if (std::exception_ptr const failed = exception_of(r.error); failed != nullptr) std::rethrow_exception(failed);
  return std::make_unique<program>(rank_, its, text.name, std::move(r.kernels));
}

}  // namespace

memory::~memory() { ask_in_task(rank_, count_buffer{name_, -1}); }

std::uint64_t ask(int rank, request r) {
  static auto* const sent = new std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(rank_n()));
  std::uint64_t const number = sent->at(static_cast<std::size_t>(rank)).fetch_add(1, std::memory_order_relaxed);
  net::go_on_after_losses();
  tell(rank, take_request, rank_me(), number, std::move(r));
  return number + 1;
}

void take_end(name its, sent_error error, std::vector<std::byte> data) {
  under_way* u = nullptr;
  {
    client& all = own_client();
    std::lock_guard const held(all.lock);
    auto const found = all.commands.find(its);
    if (found == all.commands.end()) return;
    u = found->second;
    all.commands.erase(found);
  }
  if (error.is == sent_error::kind::none && u->host_to != nullptr && data.size() != u->bytes)
    error = {sent_error::kind::device,
             0,
             "process " + std::to_string(u->rank) + " has sent " + std::to_string(data.size()) + " bytes of " +
                 std::to_string(u->bytes),
             {}};
  bool const failed = error.is != sent_error::kind::none;
  u->error = std::move(error);
  if (!failed && u->is_box)
    copy_rows(static_cast<std::byte*>(u->host_to), u->to_box, data.data(),
              {.row_pitch = u->region[0], .slice_pitch = u->region[0] * u->region[1]}, u->region);
  else if (!failed && u->host_to != nullptr)
    std::memcpy(u->host_to, data.data(), data.size());
  u->status.store(failed ? -1 : 0, std::memory_order_seq_cst);  // pairs with look, announce
  if (u->is_asked_for.exchange(false, std::memory_order_seq_cst)) detail::announce_end();
  u->drop();
}

void take_build(name its, build_result result) {
  promise<build_result>* answer = nullptr;
  {
    client& all = own_client();
    std::lock_guard const held(all.lock);
    auto const found = all.builds.find(its);
    if (found == all.builds.end()) return;
    answer = found->second.answer;
    all.builds.erase(found);
  }
  // It lies with the fiber that waits, which may go on, and end it, before set_value has returned.
  promise<build_result> mine = std::move(*answer);
  mine.set_value(std::move(result));
}

sent_error error_of_loss(int rank) {
  return {sent_error::kind::device, 0, net::words_of_loss(rank) + ", and its devices with it", {}};
}

void fail_what_is_asked_of(int rank) {
  std::vector<name> commands, builds;
  {
    client& all = own_client();
    std::lock_guard const held(all.lock);
    for (const auto& [its, command] : all.commands)
      if (command->rank == rank) commands.push_back(its);
    for (const auto& [its, build] : all.builds)
      if (build.rank == rank) builds.push_back(its);
  }
  for (name const its : commands) take_end(its, error_of_loss(rank), {});
  for (name const its : builds) take_build(its, {error_of_loss(rank), {}});
}

namespace {
struct known_devices {
  sync::mutex lock;
  bool is_asked = false;
  std::vector<detail::device_object*> devices;
  std::unordered_map<int, detail::device_object*> parts;  ///< by number
};
known_devices& known_of(int rank) {
  static auto* const all = new std::vector<known_devices>(static_cast<std::size_t>(rank_n()));
  return all->at(static_cast<std::size_t>(rank));
}
detail::device_object* new_device(int rank, int number, const sent_facts& f) {
  auto* const made = new detail::device_object(std::make_unique<device>(rank, number, f), number);
  made->rank = rank;
  return made;
}
}  // namespace

const std::vector<detail::device_object*>& devices_of(int rank) {
  known_devices& k = known_of(rank);
  std::lock_guard const held(k.lock);
  if (k.is_asked) return k.devices;
  int number = 0;
  for (const sent_facts& f : ask_and_wait(rank, tell_devices)) k.devices.push_back(new_device(rank, number++, f));
  k.is_asked = true;
  return k.devices;
}

namespace {
/// A part of a device of another process, which may be known already.
detail::device_object& part_of(int rank, int number, const sent_facts& facts) {
  known_devices& k = known_of(rank);
  std::lock_guard const held(k.lock);
  detail::device_object*& part = k.parts[number];
  if (part == nullptr) part = new_device(rank, number, facts);
  return *part;
}

division checked(division d) {
  if (std::exception_ptr const failed = exception_of(d.error); failed != nullptr) std::rethrow_exception(failed);
  return d;
}
}  // namespace

detail::device_object& device_of(int rank, int number) {
  const auto& whole = devices_of(rank);
  if (number >= 0 && static_cast<std::size_t>(number) < whole.size()) return *whole[static_cast<std::size_t>(number)];
  {
    known_devices& k = known_of(rank);
    std::lock_guard const held(k.lock);
    if (auto const found = k.parts.find(number); found != k.parts.end()) return *found->second;
  }
  return part_of(rank, number, checked(ask_and_wait(rank, tell_device, number)).facts.at(0));
}

std::vector<detail::device_object*> split_device(const detail::device_object& d, std::uint32_t units) {
  division const made = checked(ask_and_wait(d.rank, divide_device, d.number, units));
  std::vector<detail::device_object*> parts;
  for (std::size_t i = 0; i < made.numbers.size(); ++i)
    parts.push_back(&part_of(d.rank, made.numbers[i], made.facts.at(i)));
  return parts;
}

}  // namespace amity::accel::remote
