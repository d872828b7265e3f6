#include "amity/launch/beside_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <string>

namespace amity::launching {
namespace {

struct found_mpi {
  mpi_family family = mpi_family::none;
  std::string path;
};

/// By its file's name: Debian's MPICH is libmpich.so.12; its makers' own, and those that are like it (Intel's,
/// MVAPICH), libmpi.so.12; Open MPI's is libmpi.so.40, and was .20 or less.
mpi_family family_of(const char* path) noexcept {
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  auto const begins = [name](const char* with) { return strncmp(name, with, strlen(with)) == 0; };
  if (begins("libmpich.so") || begins("libmpi.so.12")) return mpi_family::mpich;
  return begins("libmpi.so.") ? mpi_family::open_mpi : mpi_family::none;
}

found_mpi find_mpi() noexcept {
  found_mpi found;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* into) {
        auto& result = *static_cast<found_mpi*>(into);
        mpi_family const family = family_of(library->dlpi_name);
        if (family != mpi_family::none) result = {family, library->dlpi_name};
        return family != mpi_family::none ? 1 : 0;
      },
      &found);
  return found;
}

/// MPI_Initialized or MPI_Finalized: they have this form in each MPI, and may be called at any time.
bool ask(void* mpi, const char* function) noexcept {
  auto* const f = reinterpret_cast<int (*)(int*)>(dlsym(mpi, function));
  int answer = 0;
  return f != nullptr && f(&answer) == 0 && answer != 0;
}

}  // namespace

mpi_family loaded_mpi() noexcept { return find_mpi().family; }

bool mpi_is_in_use() noexcept {
  found_mpi const found = find_mpi();
  if (found.family == mpi_family::none) return false;
  void* const mpi = dlopen(found.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return mpi != nullptr && ask(mpi, "MPI_Initialized") && !ask(mpi, "MPI_Finalized");
}

}  // namespace amity::launching
