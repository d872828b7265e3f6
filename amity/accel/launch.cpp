#include <stdexcept>
#include <string>

#include "amity/accel/program.hpp"

namespace amity::accel::detail {
namespace {

void check_sizes(const kernel_object& k, const launch_options& o) {
  const device_facts& facts = k.of->of.facts();
  std::string const whose = "the launch of the kernel '" + k.name + "'";
  const auto has_none = [](const dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (has_none(o.grid) || has_none(o.block))
    throw std::invalid_argument(whose + " has a grid of " + words_of(o.grid) + " and blocks of " + words_of(o.block) +
                                ": each size is 1 at least");
  if (facts.largest_block != 0 && o.block.count() > facts.largest_block)
    throw std::invalid_argument(whose + " has blocks of " + words_of(o.block) + " work items; " + k.of->of.words() +
                                " takes " + std::to_string(facts.largest_block) + " at most");
  const dim3& most = facts.largest_block_sizes;
  if ((most.x != 0 && o.block.x > most.x) || (most.y != 0 && o.block.y > most.y) || (most.z != 0 && o.block.z > most.z))
    throw std::invalid_argument(whose + " has blocks of " + words_of(o.block) + "; " + k.of->of.words() + " takes " +
                                words_of(most) + " at most");
  if (facts.shared_memory != 0 && o.shared_bytes > facts.shared_memory)
    throw std::invalid_argument(whose + " asks for " + std::to_string(o.shared_bytes) + " bytes of shared memory; " +
                                k.of->of.words() + " has " + std::to_string(facts.shared_memory));
  if (o.on && &o.on.object()->of != &k.of->of)
    throw std::invalid_argument(whose + " names a stream of " + o.on.object()->of.words() + ", and runs on " +
                                k.of->of.words());
}

}  // namespace

std::string words_of(const dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

void launch_builder::start(kernel_object& k, const launch_options& o, std::exception_ptr& failure) noexcept {
  amity::detail::caught(failure, [&] {
    check_sizes(k, o);
    for (const shared_future<void>& f : o.after)
      if (!f.valid())
        throw std::invalid_argument("the launch of the kernel '" + k.name + "' comes after a future of nothing");
  });
  if (failure != nullptr) return;
  op_ = new_operation(k.of->of);
  k.keep();
  op_->kernel = &k;
  op_->name = "launch";
  op_->stream = o.on.object();
  op_->what.is = command::kind::launch;
  op_->what.grid = o.grid;
  op_->what.block = o.block;
  op_->what.shared_bytes = o.shared_bytes;
  after_ = o.after;
}

void launch_builder::add_buffer(buffer_object& b, bool writes, std::exception_ptr& failure) noexcept {
  amity::detail::caught(failure, [&] {
    if (&b.of == op_->on || op_->on->native->reaches(*b.of.native)) return;
    throw std::invalid_argument("argument " + std::to_string(op_->arguments.size()) + " of the kernel '" +
                                op_->kernel->name + "' is a buffer of " + b.of.words() + "; the kernel runs on " +
                                op_->on->words() + ", so copy it there");
  });
  if (failure != nullptr) return;
  op_->arguments.push_back({.is = parameter::kind::memory, .memory = b.memory.get(), .writes = writes});
  op_->use(b, writes ? access::writes : access::reads);
}

void launch_builder::add_value(const void* bytes, std::size_t n) {
  std::size_t const at = room_for_value(n);
  std::memcpy(op_->values.data() + at, bytes, n);
}

std::size_t launch_builder::room_for_value(std::size_t n) {
  constexpr std::size_t alignment = 16;
  constexpr std::byte nothing[alignment] = {};
  std::size_t const at = (op_->values.size() + alignment - 1) / alignment * alignment;
  while (op_->values.size() < at + n) op_->values.push_back(nothing[0]);
  op_->arguments.push_back({.is = parameter::kind::value, .bytes = n, .at = at});
  return at;
}

void launch_builder::add_local(std::size_t bytes, std::exception_ptr& failure) noexcept {
  op_->arguments.push_back({.is = parameter::kind::local, .bytes = bytes});
  std::uint64_t const most = op_->on->facts().shared_memory;
  std::uint64_t all = op_->what.shared_bytes;
  for (const argument& a : op_->arguments)
    if (a.is == parameter::kind::local) all = saturated_sum(all, a.bytes);
  if (most == 0 || all <= most) return;
  amity::detail::caught(failure, [&] {
    throw std::invalid_argument("the launch of the kernel '" + op_->kernel->name + "' gives a block " +
                                std::to_string(all) + " bytes of local memory; " + op_->on->words() + " has " +
                                std::to_string(most));
  });
}

future<void> launch_builder::begin() {
  for (const shared_future<void>& f : after_) hold_for(*op_, f);
  wait_for_build(*op_, *op_->kernel->of);
  return detail::begin(std::move(op_));
}

}  // namespace amity::accel::detail
