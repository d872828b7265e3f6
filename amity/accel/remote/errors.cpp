#include <exception>

#include "amity/accel/remote/wire.hpp"

namespace amity::accel::remote {

sent_error error_to_send() noexcept {
  using kind = sent_error::kind;
  try {
    throw;
  } catch (const build_error& e) {
    return {kind::build, e.code(), e.what(), e.log()};
  } catch (const out_of_memory& e) {
    return {kind::memory, e.code(), e.what(), {}};
  } catch (const kernel_error& e) {
    return {kind::kernel, e.code(), e.what(), {}};
  } catch (const device_error& e) {
    return {kind::device, e.code(), e.what(), {}};
  } catch (const std::exception& e) {
    return {kind::other, 0, e.what(), {}};
  } catch (...) {
    return {kind::other, 0, "an exception of a type that is not known", {}};
  }
}

std::exception_ptr exception_of(const sent_error& e) {
  switch (e.is) {
    case sent_error::kind::none:
      return nullptr;
    case sent_error::kind::build:
      return std::make_exception_ptr(build_error(e.what, e.log, e.code));
    case sent_error::kind::memory:
      return std::make_exception_ptr(out_of_memory(e.what, e.code));
    case sent_error::kind::kernel:
      return std::make_exception_ptr(kernel_error(e.what, e.code));
    case sent_error::kind::device:
    case sent_error::kind::other:
      break;
  }
  return std::make_exception_ptr(device_error(e.what, e.code));
}

}  // namespace amity::accel::remote
