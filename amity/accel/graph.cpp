#include "amity/accel/graph.hpp"

#include <stdexcept>
#include <string>

#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"

namespace amity::accel::detail {
namespace {

/// A graph writes a buffer if a part of it does. That it overwrites all of one is of no use to know: a part before may
/// have read it.
void add_use(graph_object& g, const operation::use_of& u) {
  access const how = u.how == access::reads ? access::reads : access::writes;
  for (operation::use_of& there : g.uses) {
    if (there.buffer != u.buffer) continue;
    if (how == access::writes) there.how = how;
    return;
  }
  u.buffer->keep();
  g.uses.push_back({u.buffer, how});
}

/// Throws std::invalid_argument.
void check_part(const graph_object& g, const operation& part) {
  std::string const what = std::string("a ") + part.name + " of a graph";
  if (g.is_launched.load(std::memory_order_relaxed))
    throw std::invalid_argument(what + " is added after the graph was launched");
  if (part.what.is == command::kind::write)
    throw std::invalid_argument(what +
                                " has a pattern that no driver knows: its size is a power of two, at most 128 bytes");
  if (part.stream != nullptr) throw std::invalid_argument(what + " names a stream: the whole graph takes one");
  if (part.on != &g.of)
    throw std::invalid_argument(what + " is of " + part.on->words() + "; the graph is of " + g.of.words());
}

}  // namespace

graph_object::~graph_object() {
  for (const operation::use_of& u : uses) u.buffer->let_go();
}

void add_part(graph_object& g, ref<operation> part, std::exception_ptr& failure) noexcept {
  amity::detail::caught(failure, [&] { check_part(g, *part); });
  if (failure != nullptr) return;
  for (const operation::use_of& u : part->uses) add_use(g, u);
  g.parts.push_back(std::move(part));
}

future<void> launch_graph(graph_object& g) {
  g.is_launched.store(true, std::memory_order_relaxed);
  auto op = new_operation(g.of);
  op->name = "launch of a graph";
  g.keep();
  op->graph = &g;
  for (const operation::use_of& u : g.uses) op->use(*u.buffer, u.how);
  const program_object* last = nullptr;
  for (const ref<operation>& part : g.parts) {
    if (part->kernel == nullptr || part->kernel->of.get() == last) continue;
    wait_for_build(*op, *part->kernel->of);
    last = part->kernel->of.get();
  }
  return begin(std::move(op));
}

}  // namespace amity::accel::detail
