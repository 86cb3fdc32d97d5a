#!/bin/sh
# Builds and vets the package with gorgonia.org/cu against CUDA 12 headers, on a machine without CUDA.
#
# CUDA_INCLUDE names a folder with cuda.h, by default that of the Python package nvidia-cuda-runtime-cu12
# (python3 -m pip install --target DIR nvidia-cuda-runtime-cu12==12.9.79, then
# CUDA_INCLUDE=DIR/nvidia/cuda_runtime/include). To link, it makes a libcuda of empty functions, for those
# that the headers declare; the driver's own takes its place at run time. The test binary is built, not run.
# It is written to $1, if given.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

include=${CUDA_INCLUDE:-$(python3 -c '
import glob, sys
for path in sys.path:
    for found in glob.glob(path + "/nvidia/cuda_runtime/include"):
        print(found); sys.exit()')}
if [ ! -f "$include/cuda.h" ]; then
  if [ -n "${OOC_REQUIRE_CUDA_HEADERS:-}" ]; then echo "kernels/cuda: no cuda.h: set CUDA_INCLUDE" >&2; exit 1; fi
  echo "kernels/cuda: skipped: no cuda.h: set CUDA_INCLUDE" >&2
  exit 0
fi
echo '#include <cuda.h>' | ${CC:-cc} -E -I "$include" - | grep -o '\bcu[A-Z][A-Za-z0-9_]* *(' | tr -d ' (' | sort -u |
  sed 's/.*/int &(void) { return 100; }/' >"$work/stub.c"
${CC:-cc} -shared -fPIC -o "$work/libcuda.so" -Wl,-soname,libcuda.so.1 "$work/stub.c"
export CGO_ENABLED=1 CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$work"
go vet -tags gorgonia .
go test -c -tags gorgonia -o "${1:-$work/cuda.test}" .
echo "kernels/cuda: the gorgonia binding builds"
