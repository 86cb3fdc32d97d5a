#!/usr/bin/env bash
# Kill solves once a quarter is safe on disk, resume them, and check what they make: i32 against a solve that was not killed.
# It fails where there was nothing to kill, or nothing to resume.
#
#     docs/bench-gpu-resume.sh bin/ooc /scratch [n [device [device-memory]]]
set -euo pipefail
ooc=$(realpath "$1") dir=$2 n=${3:-32768} device=${4:-cuda} memory=${5:-2GiB}
cd "$dir"
[ -f "g$n.gr" ] || "$ooc" gen random "g$n.gr" -n "$n" -m $((10 * n))
limits=(--device "$device" --algorithm blocked --device-memory "$memory" --progress never --checkpoint 200ms)

# field NAME prints a field of the last JSON object of standard input, or 0.
field() { python3 -c 'import json, sys; print(json.loads((sys.stdin.readlines() or ["{}"])[-1]).get(sys.argv[1]) or 0)' "$1"; }
within() { python3 -c 'import sys; a, x, b = map(float, sys.argv[1:]); sys.exit(not a <= x < b)' "$1" "$2" "$3"; }
fail() { echo "bench-gpu-resume: $*" >&2; exit 1; }

"$ooc" solve "g$n.gr" --out whole.ooc --restart --kind i32 "${limits[@]}"
for kind in i32 f32; do
  rm -rf killed.ooc
  "$ooc" solve "g$n.gr" --out killed.ooc --kind $kind "${limits[@]}" >killed.log 2>&1 &
  solve=$! safe=0
  until within 0.25 "$safe" 2; do
    kill -0 $solve 2>/dev/null || fail "$kind: the solve ended before it could be killed: take a larger n; $dir/killed.log says what it did"
    sleep 0.05
    safe=$("$ooc" status --json killed.ooc 2>/dev/null | field restore_point)
  done
  kill -9 $solve 2>/dev/null || fail "$kind: the solve ended before it could be killed: take a larger n"
  wait $solve 2>/dev/null || true
  "$ooc" status killed.ooc | grep state
  "$ooc" solve "g$n.gr" --out killed.ooc --kind $kind "${limits[@]}" --json >resumed.json
  from=$(field resumed_from <resumed.json)
  within 0.25 "$from" 1 || fail "$kind: resumed from $from of the work: want from 0.25, and less than 1"
  if [ $kind = i32 ]; then cmp killed.ooc/dist.npy whole.ooc/dist.npy; fi
  "$ooc" verify killed.ooc --rows 64
  echo "$kind: resumed from $from of the work, and right"
done
