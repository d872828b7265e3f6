#include "amity/accel/program.hpp"

namespace amity::accel::detail {
namespace {

/// `make()`, when the program is built. The future is on question (future/state.hpp), as what it follows: by that the
/// child of a fork learns that there is nothing to wait for.
template <class T, class Make>
future<T> after_build(program_object& p, Make make) {
  amity::detail::state& s = amity::detail::new_state<T>();
  s.claimed.store(amity::detail::on_question, std::memory_order_relaxed);  // nobody has it yet
  future<T> told = amity::detail::adopt<T>(s);
  auto pass_on = [to = promise<T>(s), make = std::move(make)](shared_future<void> built) mutable {
    try {
      built.get();
      if constexpr (std::is_void_v<T>)
        to.set_value();
      else
        to.set_value(make());
    } catch (...) {
      to.set_exception(std::current_exception());
      throw;  // the finish around the caller hears of it
    }
  };
  static_cast<void>(p.told.then(amity::launch::sync, std::move(pass_on)));
  return told;
}

}  // namespace

future<void> end_of_build(program_object& p) {
  return after_build<void>(p, [] {});
}

future<std::vector<std::string>> names_of_kernels(program_object& p) {
  return after_build<std::vector<std::string>>(
      p, [own = ref<program_object>::to(&p)] { return own->native->kernel_names(); });
}

future<std::vector<std::byte>> binary_of(program_object& p) {
  return after_build<std::vector<std::byte>>(p, [own = ref<program_object>::to(&p)] { return own->native->binary(); });
}

}  // namespace amity::accel::detail
