#include "amity/accel/program.hpp"

namespace amity::accel::detail {

future<void> end_of_build(program_object& p) {
  return p.told.then(amity::launch::sync, [](shared_future<void> f) { f.get(); });
}

future<std::vector<std::string>> names_of_kernels(program_object& p) {
  return p.told.then(amity::launch::sync, [own = ref<program_object>::to(&p)](shared_future<void> f) {
    f.get();
    return own->native->kernel_names();
  });
}

future<std::vector<std::byte>> binary_of(program_object& p) {
  return p.told.then(amity::launch::sync, [own = ref<program_object>::to(&p)](shared_future<void> f) {
    f.get();
    return own->native->binary();
  });
}

}  // namespace amity::accel::detail
