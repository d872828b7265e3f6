/// Carries out what other processes ask of this one's devices.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>

#include "amity/accel/internal/boxes.hpp"
#include "amity/accel/operation.hpp"
#include "amity/accel/remote/calls.hpp"
#include "amity/accel/remote/client.hpp"
#include "amity/accel/remote/exports.hpp"
#include "amity/accel/remote/tables.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"

namespace amity::accel::remote {
namespace {

using detail::buffer_object;
using detail::command;
using detail::ref;

/// The job does not end while one of these is there: another process has begun what this one carries out.
struct activity {
  activity() noexcept { net::begin_activity(); }
  activity(const activity&) = delete;
  activity& operator=(const activity&) = delete;
  ~activity() { net::end_activity(); }
};

/// Of one client. R1: requests are carried out in the order of their numbers.
struct channel {
  sync::mutex lock;
  std::uint64_t next = 0;
  std::map<std::uint64_t, request> early;
  sync::condition_variable changed;
};

channel& channel_of(int client) {
  static auto* const all = new std::vector<channel>(static_cast<std::size_t>(rank_n()));
  return all->at(static_cast<std::size_t>(client));
}

detail::device_object& device_at(int number) {
  detail::device_object* const found = detail::own_device(number);
  if (found == nullptr)
    throw device_error("process " + std::to_string(rank_me()) + " has no device " + std::to_string(number));
  return *found;
}

detail::stream_object& stream_at(name n, detail::device_object& d) {
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  auto const found = t.streams.find(n);
  if (found == t.streams.end()) return *t.streams.emplace(n, &detail::open_stream(d)).first->second;
  if (&found->second->of != &d) throw device_error("another process names a stream of another device");
  return *found->second;
}

void carry_out(int, make_buffer& m) {
  tables::exported made;
  made.handles = 1;
  try {
    made.buffer = detail::new_buffer(device_at(m.device), m.bytes);
  } catch (...) {
    made.failure = std::current_exception();
  }
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  if (made.buffer) t.names[made.buffer.get()] = m.buffer;
  t.buffers[m.buffer] = std::move(made);
}

void carry_out(int, count_buffer& c) { count_export(c.buffer, c.by); }

build_result result_of(detail::program_object& p) {
  build_result r;
  for (const std::string& its : p.native->kernel_names()) {
    auto const kernel = p.native->kernel(its);
    const detail::kernel_signature& s = kernel->signature();
    const detail::kernel_limits& l = kernel->limits();
    sent_kernel k{its, s.is_known, s.takes_any_shared_bytes, l.shared_bytes, l.largest_block, l.only_block, {}};
    for (const detail::parameter& one : s.parameters) k.parameters.push_back({one.is, one.writes, one.bytes, one.type});
    r.kernels.push_back(std::move(k));
  }
  return r;
}

void carry_out(int client, make_program& m) {
  detail::program_text text;
  text.name = std::move(m.its_name);
  text.binary = std::move(m.binary);
  text.options = std::move(m.options);
  text.includes = std::move(m.includes);
  text.is_whole = m.is_whole;
  text.defines = std::move(m.defines);
  ref<detail::program_object> made;
  try {
    detail::device_object& d = device_at(m.device);
    tables& t = own_tables();
    std::lock_guard const held(t.lock);
    if (m.has_source) t.sources[m.hash] = std::move(m.source);
    text.source = t.sources[m.hash];
    made = detail::new_program(d, std::move(text), nullptr);
    t.programs[m.program] = made;
  } catch (...) {
    return tell(client, take_build, m.program, build_result{error_to_send(), {}});
  }
  static_cast<void>(
      made->told.then(amity::launch::sync,
                      [made, client, its = m.program, counted = std::make_shared<activity>()](shared_future<void> f) {
                        build_result r;
                        try {
                          f.get();
                          r = result_of(*made);
                        } catch (...) {
                          r.error = error_to_send();
                        }
                        tell(client, take_build, its, r);
                      }));
}

ref<detail::kernel_object> kernel_of(const do_command& c) {
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  auto const program = t.programs.find(c.program);
  if (program == t.programs.end()) throw device_error("a program that another process names is not there");
  auto& its = t.kernels[{c.program, c.kernel}];
  // The client has compared the signature.
  if (!its)
    its = ref<detail::kernel_object>::adopt(
        new detail::kernel_object(program->second, c.kernel, detail::kernel_object::unchecked));
  return its;
}

// What another process asks is looked at as a user's call is: its numbers may be any, and a driver that is asked for
// what can't be ends the process.

/// A buffer that commands of the operation's device can use.
ref<buffer_object> buffer_for(const detail::operation& op, name n) {
  ref<buffer_object> b = find_export(n);
  if (&b->of == op.on || op.on->native->reaches(*b->of.native)) return b;
  throw device_error("an operation of another process on " + op.on->words() + " names a buffer of " + b->of.words());
}

void use(detail::operation& op, name n, detail::native_memory*& as, std::size_t offset, std::size_t bytes,
         detail::access how) {
  ref<buffer_object> const b = buffer_for(op, n);
  if (offset > b->bytes || bytes > b->bytes - offset)
    throw device_error("an operation of another process goes beyond the end of its buffer");
  as = b->memory.get();
  op.use(*b, how == detail::access::writes && bytes == b->bytes && offset == 0 ? detail::access::overwrites : how);
}

/// A box of a buffer.
void use_box(detail::operation& op, name n, detail::native_memory*& as, box& its, detail::access how) {
  ref<buffer_object> const b = buffer_for(op, n);
  its = detail::checked_box("a box of another process", its, op.what.region, b->bytes);
  as = b->memory.get();
  op.use(*b, how);
}

void add_launch(detail::operation& op, do_command& c) {
  const auto has_none = [](const dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  ref<detail::kernel_object> kernel = kernel_of(c);
  if (&kernel->of->of != op.on) throw device_error("another process launches a kernel of another device");
  if (has_none(c.grid) || has_none(c.block)) throw device_error("a launch of another process has no work items");
  std::uint64_t const most = kernel->of->of.facts().largest_block;
  if (most != 0 && c.block.count() > most)
    throw device_error("a launch of another process has blocks of " + std::to_string(c.block.count()) +
                       " work items; " + kernel->of->of.words() + " takes " + std::to_string(most) + " at most");
  std::uint64_t const shared = kernel->of->of.facts().shared_memory;
  if (shared != 0 && c.shared_bytes > shared)
    throw device_error("a launch of another process asks for " + std::to_string(c.shared_bytes) +
                       " bytes of shared memory; " + kernel->of->of.words() + " has " + std::to_string(shared));
  op.name = "launch";
  op.what.grid = c.grid;
  op.what.block = c.block;
  op.what.shared_bytes = c.shared_bytes;
  op.values.append(c.values.data(), c.values.size());
  for (const sent_argument& a : c.arguments) {
    detail::argument made{.is = a.is, .writes = a.writes, .bytes = a.bytes, .at = a.at};
    if (a.is == detail::parameter::kind::value && (a.at > c.values.size() || a.bytes > c.values.size() - a.at))
      throw device_error("a launch of another process has lost its values");
    if (a.is == detail::parameter::kind::memory) {
      ref<buffer_object> const b = buffer_for(op, a.buffer);
      made.memory = b->memory.get();
      op.use(*b, a.writes ? detail::access::writes : detail::access::reads);
    } else if (a.is != detail::parameter::kind::value && a.is != detail::parameter::kind::local) {
      throw device_error("a launch of another process has an argument of no kind");
    }
    op.arguments.push_back(made);
  }
  // Last: who builds it has a part in the operation from here on (README.md, O6).
  detail::program_object& program = *kernel->of;
  op.kernel = kernel.release();
  detail::wait_for_build(op, program);
}

/// The data of a read, or nothing.
std::shared_ptr<std::vector<std::byte>> fill_in(detail::operation& op, do_command& c) {
  using kind = command::kind;
  using detail::access;
  auto data = std::make_shared<std::vector<std::byte>>(std::move(c.data));
  op.what.is = c.is;
  op.what.to_offset = c.to_offset;
  op.what.from_offset = c.from_offset;
  op.what.bytes = c.bytes;
  op.what.to_box = c.to_box;
  op.what.from_box = c.from_box;
  std::copy(std::begin(c.region), std::end(c.region), op.what.region);
  op.keeps = data;
  const auto expect_data = [&](std::size_t bytes) {
    if (data->size() < bytes) throw device_error("a write of another process has lost its values");
    op.what.host_from = data->data();
  };
  // Of boxes: the values lie densely here. Requires: the box of the buffer is checked, so there are not too many.
  const auto dense = [&] { return detail::checked_box("a box of another process", {}, op.what.region, SIZE_MAX); };
  const auto box_bytes = [&] { return detail::bytes_of(op.what.region).value_or(SIZE_MAX); };
  switch (c.is) {
    case kind::write:
      expect_data(c.bytes);
      use(op, c.to, op.what.to, c.to_offset, c.bytes, access::writes);
      return nullptr;
    case kind::fill:
      if (!std::has_single_bit(c.pattern_bytes) || c.bytes % c.pattern_bytes != 0)
        throw device_error("a fill of another process has a pattern that does not fit");
      expect_data(c.pattern_bytes);
      op.what.pattern_bytes = c.pattern_bytes;
      use(op, c.to, op.what.to, c.to_offset, c.bytes, access::writes);
      return nullptr;
    case kind::read:
      use(op, c.from, op.what.from, c.from_offset, c.bytes, access::reads);
      data->resize(c.bytes);
      op.what.host_to = data->data();
      return data;
    case kind::copy:
      use(op, c.from, op.what.from, c.from_offset, c.bytes, access::reads);
      use(op, c.to, op.what.to, c.to_offset, c.bytes, access::writes);
      return nullptr;
    case kind::write_box:
      use_box(op, c.to, op.what.to, op.what.to_box, access::writes);
      expect_data(box_bytes());
      op.what.from_box = dense();
      return nullptr;
    case kind::read_box:
      use_box(op, c.from, op.what.from, op.what.from_box, access::reads);
      data->resize(box_bytes());
      op.what.host_to = data->data();
      op.what.to_box = dense();
      return data;
    case kind::copy_box:
      use_box(op, c.from, op.what.from, op.what.from_box, access::reads);
      use_box(op, c.to, op.what.to, op.what.to_box, access::writes);
      return nullptr;
    case kind::launch:
      add_launch(op, c);
      return nullptr;
    case kind::nothing:
      return nullptr;
    case kind::foreign:  // it is code of the other process
      break;
  }
  throw device_error("another process asks for an operation that there is not");
}

void carry_out(int client, do_command& c) {
  try {
    detail::device_object& d = device_at(c.device);
    auto op = detail::new_operation(d);
    op->stream = &stream_at(c.stream, d);
    op->name = "an operation of another process";
    auto data = fill_in(*op, c);
    static_cast<void>(detail::begin(std::move(op))
                          .then(amity::launch::sync, [client, its = c.command, data = std::move(data),
                                                      counted = std::make_shared<activity>()](future<void> f) {
                            sent_error error;
                            try {
                              f.get();
                            } catch (...) {
                              error = error_to_send();
                            }
                            bool const has_data = error.is == sent_error::kind::none && data != nullptr;
                            tell(client, take_end, its, error, has_data ? *data : std::vector<std::byte>());
                          }));
  } catch (...) {
    tell(client, take_end, c.command, error_to_send(), std::vector<std::byte>());
  }
}

void carry_out(int, drop_program& d) {
  ref<detail::program_object> last;  // given up outside of the lock
  std::vector<ref<detail::kernel_object>> kernels;
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  auto const found = t.programs.find(d.program);
  if (found == t.programs.end()) return;
  last = std::move(found->second);
  t.programs.erase(found);
  auto const first = t.kernels.lower_bound({d.program, std::string()});
  auto end = first;
  for (; end != t.kernels.end() && end->first.first == d.program; ++end) kernels.push_back(std::move(end->second));
  t.kernels.erase(first, end);
}

sent_facts facts_of(const detail::device_object& d) {
  const detail::device_facts& f = d.facts();
  return {f.backend,  f.name,           f.platform,      f.driver,        f.capability.first, f.capability.second,
          f.memory,   f.largest_buffer, f.largest_block, f.shared_memory, f.compute_units,    f.largest_block_sizes,
          f.has_fp64, f.has_fp16};
}

}  // namespace

void take_request(int client, std::uint64_t number, request r) {
  if (client < 0 || client >= rank_n()) return;  // nobody could be told
  channel& c = channel_of(client);
  std::lock_guard const held(c.lock);
  if (number < c.next) return;
  c.early.emplace(number, std::move(r));
  for (auto first = c.early.begin(); first != c.early.end() && first->first == c.next; first = c.early.begin()) {
    std::visit([client](auto& one) { carry_out(client, one); }, first->second);
    c.early.erase(first);
    ++c.next;
  }
  c.changed.notify_all();
}

void await_requests(int client, std::uint64_t number) {
  if (client < 0 || client >= rank_n()) throw device_error("there is no process " + std::to_string(client));
  channel& c = channel_of(client);
  std::unique_lock held(c.lock);
  c.changed.wait(held, [&] { return c.next >= number || net::is_lost(client); });
  if (c.next < number) throw device_error(error_of_loss(client).what);
}

void free_what_is_of(int client) {
  // Given up outside of the lock.
  std::vector<tables::exported> buffers;
  std::vector<ref<detail::program_object>> programs;
  std::vector<ref<detail::kernel_object>> kernels;
  {
    tables& t = own_tables();
    std::lock_guard const held(t.lock);
    for (auto each = t.buffers.begin(); each != t.buffers.end();) {
      if (maker_of(each->first) == client && !each->second.was_passed_on) {
        t.names.erase(each->second.buffer.get());
        buffers.push_back(std::move(each->second));
        each = t.buffers.erase(each);
      } else {
        ++each;
      }
    }
    for (auto each = t.programs.begin(); each != t.programs.end();) {
      bool const is_its = maker_of(each->first) == client;
      if (is_its) programs.push_back(std::move(each->second));
      each = is_its ? t.programs.erase(each) : std::next(each);
    }
    for (auto each = t.kernels.begin(); each != t.kernels.end();) {
      bool const is_its = maker_of(each->first.first) == client;
      if (is_its) kernels.push_back(std::move(each->second));
      each = is_its ? t.kernels.erase(each) : std::next(each);
    }
  }
  channel& c = channel_of(client);
  std::lock_guard const held(c.lock);
  c.early.clear();
  c.changed.notify_all();
}

std::vector<sent_facts> tell_devices() {
  std::vector<sent_facts> all;
  for (const detail::device_object* const d : detail::own_devices()) all.push_back(facts_of(*d));
  return all;
}

division tell_device(int number) {
  division d;
  try {
    d.facts.push_back(facts_of(device_at(number)));
    d.numbers.push_back(number);
  } catch (...) {
    d.error = error_to_send();
  }
  return d;
}

division divide_device(int number, std::uint32_t units) {
  division d;
  try {
    for (const detail::device_object* const part : detail::split_device(device_at(number), units)) {
      d.facts.push_back(facts_of(*part));
      d.numbers.push_back(part->number);
    }
  } catch (...) {
    d.error = error_to_send();
  }
  return d;
}

sent_error copy_on(buffer<std::byte> from, std::uint64_t from_offset, buffer<std::byte> to, std::uint64_t to_offset,
                   std::uint64_t bytes) {
  try {
    copy(from, from_offset, to, to_offset, bytes).get();
    return {};
  } catch (...) {
    return error_to_send();
  }
}

std::vector<std::byte> tell_binary(name program) {
  ref<detail::program_object> p;
  {
    tables& t = own_tables();
    std::lock_guard const held(t.lock);
    auto const found = t.programs.find(program);
    if (found == t.programs.end()) throw device_error("a program that another process names is not there");
    p = found->second;
  }
  p->told.get();
  return p->native->binary();
}

}  // namespace amity::accel::remote
