#!/bin/sh
# Assembles the embedded PTX for every chip from Turing to Blackwell that loads it: of each image the newest
# architecture stored at or below the chip's. It does so with an assembler of CUDA 12.0, whose
# PTX version is the oldest that drivers of that line read, and with newer ones.
#
# PTXAS names the assemblers, separated by spaces, by default ptxas from PATH. As Python packages:
#   python3 -m pip install --no-deps --target DIR0 nvidia-cuda-nvcc-cu12==12.0.76
#   python3 -m pip install --no-deps --target DIR9 nvidia-cuda-nvcc-cu12==12.9.86
#   PTXAS="DIR0/nvidia/cuda_nvcc/bin/ptxas DIR9/nvidia/cuda_nvcc/bin/ptxas" sh kernels/cuda/check-ptx.sh
# OOC_REQUIRE_PTXAS=1 makes it an error if there is none. A chip newer than the assembler is left out, and said.
set -eu
cd "$(dirname "$0")"
: "${PTXAS:=$(command -v ptxas || true)}"
if [ -z "$PTXAS" ]; then
  echo "kernels/cuda: skipped: no ptxas found: set PTXAS" >&2
  [ "${OOC_REQUIRE_PTXAS:-}" != 1 ]; exit
fi
# one ASSEMBLER IMAGE CHIP
one() {
  release=$("$1" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  log=$("$1" -arch="sm_$3" -o /dev/null "$2" 2>&1) && { echo "ptxas $release: ${2##*/} for sm_$3: ok"; return; }
  case $log in
  *"not defined for option"*) echo "ptxas $release: does not know sm_$3" ;;
  *) printf 'ptxas %s: %s for sm_%s: FAILED\n%s\n' "$release" "${2##*/}" "$3" "$log"; return 1 ;;
  esac
}
if [ "${1:-}" = one ]; then
  shift
  one "$@"
  exit
fi

images=$(mktemp -d)
trap 'rm -rf "$images"' EXIT
python3 -m zipfile -e ptx.zip "$images"
architectures=$(ls "$images" | sed 's/^sm_\([0-9]*\)_.*/\1/' | sort -nru)
# newest NAME CHIP
newest() {
  for architecture in $architectures; do
    image=$images/sm_${architecture}_$1.ptx
    if [ "$architecture" -le "$2" ] && [ -e "$image" ]; then echo "$image"; return; fi
  done
  echo "sm_$2 has no image $1" >&2
  return 1
}
# list prints ASSEMBLER IMAGE CHIP for all that is to be assembled.
list() {
  for name in $(ls "$images" | sed 's/^sm_[0-9]*_\(.*\)\.ptx$/\1/' | sort -u); do
    for chip in 75 80 86 89 90 100; do
      image=$(newest "$name" "$chip")
      for ptxas in $PTXAS; do echo "$ptxas $image $chip"; done
    done
  done
}
for ptxas in $PTXAS; do chmod +x "$ptxas" 2>/dev/null || true; done
all=$(list)

# As many at once as there are processors.
echo "$all" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 3 sh ./check-ptx.sh one
