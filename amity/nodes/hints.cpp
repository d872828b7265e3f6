// What <amity/nodes.h> finds in this library.
#include <amity/nodes.h>

#include "amity/nodes/interpose/public.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/links.hpp"
#include "amity/nodes/memory.hpp"

namespace amity::nodes {
namespace {

int count() noexcept { return is_on ? us.count : 1; }
int own() noexcept { return us.own; }
int threads(int node) noexcept { return node >= 0 && node < us.count ? us.threads[node] : 0; }

void prefetch(const void* from, std::size_t bytes, int use, int node) noexcept {
  if (!is_on || bytes == 0) return;
  auto const address = reinterpret_cast<std::uint64_t>(from);
  bool const writes = use == amity_nodes_to_write;
  if (node == amity_nodes_here || node == us.own)
    will_use(address, bytes, writes);
  else if (node >= 0 && node < us.count)
    send_message(node, {.about = uses_soon, .a = address, .b = bytes, .c = writes ? 1u : 0u}, nullptr, 0);
}

amity_nodes_traffic traffic() noexcept {
  if (!is_on) return {};
  page_traffic const of_pages = traffic_of_pages();
  return {of_pages.faults, of_pages.contents, of_pages.messages + messages_sent()};
}

}  // namespace
}  // namespace amity::nodes

extern "C" AMITY_PUBLIC const amity_nodes_functions_1 amity_nodes_functions_1;
const struct amity_nodes_functions_1 amity_nodes_functions_1 = {
    amity::nodes::count, amity::nodes::own, amity::nodes::threads, amity::nodes::prefetch, amity::nodes::traffic};
