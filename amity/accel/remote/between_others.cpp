/// A copy between two other processes, which does not come by here.
///
/// * B1: two operations take their places in the order of both buffers at once, `before` and `after`.
/// * B2: `before` does nothing. It is over when all that comes before it has been asked of the two processes.
/// * B3: then the process of `from` is asked to copy. The handles that go along have it wait until both processes have
///   come as far as this one's requests (R4).
/// * B4: `after` waits for the answer, and what comes after the copy waits for `after`.

#include "amity/accel/remote/calls.hpp"
#include "amity/accel/remote/client.hpp"
#include "amity/accel/remote/wire.hpp"

namespace amity::accel::remote {

future<void> copy_between_others(const detail::buffer_part& from, const detail::buffer_part& to, std::size_t bytes) {
  auto before = detail::new_operation(from.of.of), after = detail::new_operation(to.of.of);
  before->name = after->name = "copy";
  before->use(from.of, detail::access::reads);
  before->use(to.of, detail::access::writes);
  after->use(from.of, detail::access::reads);
  after->use(to.of, bytes == to.of.bytes ? detail::access::overwrites : detail::access::writes);
  buffer<std::byte> const source(detail::ref<detail::buffer_object>::to(&from.of), from.of.bytes);
  buffer<std::byte> const target(detail::ref<detail::buffer_object>::to(&to.of), to.of.bytes);
  std::uint64_t const from_offset = from.offset, to_offset = to.offset, n = bytes;
  detail::hold(*after);
  future<void> is_asked = detail::begin(std::move(before));
  detail::operation* const waiting = after.get();
  future<void> done = detail::begin(std::move(after));
  static_cast<void>(is_asked.then([=](future<void> f) {
    try {
      f.get();
      int const rank = source.object().of.rank;
      sent_error const error = ask_and_wait(rank, copy_on, source, from_offset, target, to_offset, n);
      if (std::exception_ptr const failed = exception_of(error); failed != nullptr) detail::blame(*waiting, failed);
    } catch (...) {
      detail::blame(*waiting, std::current_exception());
    }
    detail::let_go(*waiting);
  }));
  return done;
}

}  // namespace amity::accel::remote
