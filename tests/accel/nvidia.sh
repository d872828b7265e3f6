#!/usr/bin/env bash
# nvidia.sh SOURCES FOLDER COMPILER NVRTC_TEST: what can be seen of CUDA without a device. Two of NVIDIA's compilers and their
# headers are brought from PyPI into FOLDER; Amity's declarations of CUDA's functions are compared with the headers; all kernels of
# the repository are compiled for several architectures. 77: they can't be brought.
set -euo pipefail
sources=$1 folder=$2 compiler=$3 nvrtc_test=$4
packages=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79)
if [[ ! -e $folder/nvidia/cu13/include/cuda.h || ! -e $folder/nvidia/cu13/lib/libnvrtc.so.13 ||
  ! -e $folder/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 ]]; then
  rm -rf "$folder"
  quietly=(--quiet --quiet --root-user-action=ignore --disable-pip-version-check)
  if ! python3 -m pip install "${quietly[@]}" --no-deps --target "$folder" "${packages[@]}"; then
    echo "skipped: ${packages[*]} can't be installed from PyPI"
    exit 77
  fi
fi
"$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$sources" -isystem "$folder/nvidia/cu13/include" \
  "$sources/tests/accel/nvidia.cpp"
echo "the declarations are NVIDIA's"
output=$(CUDA_HOME=$folder/nvidia "$nvrtc_test" 2>&1) || {
  printf '%s\n' "$output"
  exit 1
}
if [[ $output == *SKIPPED* ]]; then
  printf '%s\n' "the compiler that was brought is not used:" "$output"
  exit 1
fi
grep ' programs for ' <<<"$output"
if ! grep '^7.0: by .*/libnvrtc.so.12 for sm_70' <<<"$output"; then
  printf '%s\n' "the older compiler is not used for an older device:" "$output"
  exit 1
fi
echo ok
