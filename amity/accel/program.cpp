#include "amity/accel/program.hpp"

namespace amity::accel {

future<void> program::build() const {
  return of_->told.then(amity::launch::sync, [](shared_future<void> f) { f.get(); });
}

future<std::vector<std::string>> program::kernel_names() const {
  return of_->told.then(amity::launch::sync, [p = of_](shared_future<void> f) {
    f.get();
    return p->native->kernel_names();
  });
}

future<std::vector<std::byte>> program::binary() const {
  return of_->told.then(amity::launch::sync, [p = of_](shared_future<void> f) {
    f.get();
    return p->native->binary();
  });
}

}  // namespace amity::accel
