#pragma once

/// Where CUDA's run-time compiler and CUDA's headers lie on this machine.

#include <string>
#include <vector>

namespace amity::accel::cuda {

/// A place that was looked at for compilers.
struct toolkit_place {
  std::string words;                     ///< for messages: "CUDA_HOME=/opt/cuda"
  bool is_said = false;                  ///< the user has named it
  std::vector<std::string> libraries{};  ///< paths; names where the loader is to look
};

/// In the order in which they are opened: the loader's path, CUDA_HOME (else CUDA_PATH), /usr/local/cuda and its
/// versions, the Python or Conda environment that is active. Toolkits and PyPI's wheels have different folders; all of
/// theirs are looked at.
[[nodiscard]] std::vector<toolkit_place> toolkit_places();

/// The folder that has cuda_fp16.h for a compiler of this version, whose library is in `library_folder`: beside it, in
/// the wheel of the run-time library, or in another place, of the same version at best, of the same major version at
/// least. "": there is none.
[[nodiscard]] std::string folder_of_headers(const std::string& library_folder, int major, int minor);

/// Names in a folder that begin so, sorted.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, const std::string& begin);

}  // namespace amity::accel::cuda
