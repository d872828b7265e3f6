#include "amity/pgas/object.hpp"

#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "amity/net/messages.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

struct kept {
  std::shared_ptr<void> object;
  std::uint64_t out = 0;  ///< the weight of all references
};

struct objects {
  sys::spin_lock lock;
  std::uint64_t next = 1;
  std::unordered_map<std::uint64_t, kept> all;
  std::map<std::string, named_object> names;  ///< at a name's home
};
objects& own() noexcept {
  static auto* const one = new objects;
  return *one;
}

struct weight_message {
  std::uint64_t number, weight;
};

/// The object is destroyed by a task: that is code of the user's.
void take_weight_here(std::uint64_t number, std::uint64_t weight) noexcept {
  objects& o = own();
  std::shared_ptr<void> last;
  {
    std::lock_guard const held(o.lock);
    auto const found = o.all.find(number);
    if (found == o.all.end()) return;
    found->second.out -= weight;
    if (found->second.out != 0) return;
    last = std::move(found->second.object);
    o.all.erase(found);
  }
  sched::worker& w = sched::this_worker();
  auto destroy = [last = std::move(last)]() mutable noexcept { last.reset(); };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(destroy)}));
}

void take_weight(net::arrival& m) noexcept {
  weight_message w;
  if (m.size != sizeof w) return;
  memcpy(&w, m.bytes, sizeof w);
  take_weight_here(w.number, w.weight);
}

int home_of(const std::string& name) noexcept {
  return static_cast<int>(std::hash<std::string>()(name) % static_cast<std::size_t>(net::job().size));
}

/// At the name's home. False: it is taken.
bool put_name(std::string name, object_place at, std::uint64_t weight, std::string type) {
  objects& o = own();
  std::lock_guard const held(o.lock);
  return o.names.try_emplace(std::move(name), named_object{at, weight, std::move(type)}).second;
}

/// Half of the weight that the name has.
std::tuple<object_place, std::uint64_t, std::string> take_name(const std::string& name) {
  objects& o = own();
  std::lock_guard const held(o.lock);
  auto const found = o.names.find(name);
  if (found == o.names.end()) return {};
  named_object& named = found->second;
  std::uint64_t const half = named.weight / 2;
  named.weight -= half;
  return {named.at, half, named.type};
}

}  // namespace

std::uint64_t keep_object(std::shared_ptr<void> object) {
  objects& o = own();
  std::lock_guard const held(o.lock);
  std::uint64_t const number = o.next++;
  o.all.emplace(number, kept{std::move(object), whole_weight / 2});
  return number;
}

std::shared_ptr<void> find_object(std::uint64_t number) {
  objects& o = own();
  std::lock_guard const held(o.lock);
  auto const found = o.all.find(number);
  return found != o.all.end() ? found->second.object : nullptr;
}

void return_weight(const object_place& at, std::uint64_t weight) noexcept {
  if (at.rank == net::job().rank) return take_weight_here(at.number, weight);
  weight_message const w{at.number, weight};
  net::send(at.rank, net::code_of<take_weight>(), 0, reinterpret_cast<const std::byte*>(&w), sizeof w);
}

std::uint64_t more_weight(const object_place& at) {
  return own_rpc(at.rank,
                 [number = at.number]() -> std::uint64_t {
                   objects& o = own();
                   std::lock_guard const held(o.lock);
                   constexpr std::uint64_t more = std::uint64_t{1} << 40;
                   auto const found = o.all.find(number);
                   if (found == o.all.end()) return 0;
                   found->second.out += more;
                   return more;
                 })
      .get();
}

bool register_name(const std::string& name, const object_place& at, std::uint64_t weight, const std::string& type) {
  if (own_rpc(home_of(name), put_name, name, at, weight, type).get()) return true;
  return_weight(at, weight);
  return false;
}

named_object find_name(const std::string& name) {
  auto [at, weight, type] = own_rpc(
                                home_of(name), [](const std::string& n) { return take_name(n); }, name)
                                .get();
  if (at.number != 0 && weight == 0) weight = more_weight(at);
  return {at, weight, std::move(type)};
}

}  // namespace amity::pgas::detail
