#include "amity/accel/native.hpp"

#include <memory>
#include <stdexcept>

#include "amity/accel/operation.hpp"

namespace amity::accel {
namespace {

void check_use(const detail::device_object& d, const native_use& u) {
  if (&u.buffer->of == &d || (u.buffer->of.rank < 0 && d.native->reaches(*u.buffer->of.native))) return;
  throw std::invalid_argument("call_native: a buffer of " + u.buffer->of.words() + "; the commands run on " +
                              d.words() + ", so copy it there");
}

}  // namespace

future<void> call_native(const device& d, std::initializer_list<native_use> uses,
                         std::function<void(const native_queue&)> hand_over, const native_options& how) {
  detail::device_object& its = d.object();
  if (its.rank >= 0)
    throw std::invalid_argument("call_native: " + its.words() + " is another process's; make the call there");
  if (how.on && &how.on.object()->of != &its)
    throw std::invalid_argument("call_native: a stream of " + how.on.object()->of.words() + "; the commands run on " +
                                its.words());
  for (const native_use& u : uses) check_use(its, u);
  for (const shared_future<void>& f : how.after)
    if (!f.valid()) throw std::invalid_argument("call_native: it comes after a future of nothing");

  auto call = std::make_shared<std::function<void(const detail::native_handles&)>>(
      [hand_over = std::move(hand_over), backend = &its.facts().backend](const detail::native_handles& h) {
        hand_over(native_queue{h, *backend});
      });
  auto op = detail::new_operation(its);
  op->name = "a call of another library";
  op->stream = how.on.object();
  op->what.is = detail::command::kind::foreign;
  op->what.hand_over = call.get();
  op->keeps = std::move(call);
  for (const native_use& u : uses) op->use(*u.buffer, u.is_written ? detail::access::writes : detail::access::reads);
  for (const shared_future<void>& f : how.after) detail::hold_for(*op, f);
  return detail::begin(std::move(op));
}

}  // namespace amity::accel
