#pragma once

/// The MPI that the program brings along, or a library that it has loaded.

#include <cstdint>

namespace amity::launching {

enum class mpi_family : std::uint8_t { none, open_mpi, mpich };

/// That of the MPI which is loaded.
[[nodiscard]] mpi_family loaded_mpi() noexcept;

/// It was initialised, and speaks to the launcher until MPI_Finalize.
[[nodiscard]] bool mpi_is_in_use() noexcept;

}  // namespace amity::launching
