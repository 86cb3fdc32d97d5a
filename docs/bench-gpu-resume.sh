#!/usr/bin/env bash
# Kill a solve on a GPU in mid-run, resume it, and compare with one that was not killed.
#
#     docs/bench-gpu-resume.sh bin/ooc /scratch [n]
set -euo pipefail
ooc=$(realpath "$1") dir=$2 n=${3:-32768}
cd "$dir"
[ -f "g$n.gr" ] || "$ooc" gen random "g$n.gr" -n "$n" -m $((10 * n))
limits=(--device cuda --algorithm blocked --device-memory 2GiB --progress never --checkpoint 1s)
"$ooc" solve "g$n.gr" --out whole.ooc --kind i32 "${limits[@]}"
for kind in i32 f32; do
  rm -rf killed.ooc
  "$ooc" solve "g$n.gr" --out killed.ooc --kind $kind "${limits[@]}" >/dev/null 2>&1 &
  sleep 4
  kill -9 $!
  wait $! 2>/dev/null || true
  "$ooc" status killed.ooc | grep state
  "$ooc" solve "g$n.gr" --out killed.ooc --kind $kind "${limits[@]}"
  [ $kind = f32 ] || cmp killed.ooc/dist.npy whole.ooc/dist.npy && echo "$kind: done"
  "$ooc" verify killed.ooc --rows 64
done
