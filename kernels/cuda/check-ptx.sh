#!/bin/sh
# Assembles the embedded PTX for every chip from Turing to Blackwell, with an assembler of CUDA 12.0, whose
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
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for ptxas in $PTXAS; do
  chmod +x "$ptxas" 2>/dev/null || true
  release=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  for image in ptx/*.ptx; do
    least=${image#ptx/sm_}
    for chip in 75 80 86 89 90 100; do
      [ "$chip" -ge "${least%%_*}" ] || continue
      if "$ptxas" -arch="sm_$chip" -o /dev/null "$image" >"$log" 2>&1; then
        echo "ptxas $release: $image for sm_$chip: ok"
      elif grep -q "not defined for option" "$log"; then
        echo "ptxas $release: does not know sm_$chip"
      else
        echo "ptxas $release: $image for sm_$chip: FAILED"
        head -n 5 "$log"
        failed=1
      fi
    done
  done
done
exit $failed
