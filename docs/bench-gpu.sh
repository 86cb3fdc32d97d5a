#!/usr/bin/env bash
# Solve random graphs on a GPU in core and out of core, and print one short table. Give the ooc binary, a
# scratch folder with room for the largest matrix, and the cases to run (default: all but the big ones, which
# need 40 GB of disk; t1024-2048 solves n = 32,768 in core with tiles of 1024 and rounds of 2048).
#
#     docs/bench-gpu.sh bin/ooc /scratch [case...]
set -euo pipefail
here=$(dirname "$(realpath "$0")")
ooc=$(realpath "$1") dir=$2 log=${OUT:-$2}
shift 2
cases=${*:-"torch in15 in32 in64 dev4 dev2 dev1 host4 ckpt idle"}
cd "$dir"
printf '%-42s %8s %8s %8s %7s %7s %7s %7s\n' case rounds/s Trelax/s ceiling setup sync whole predict
solve() { # name n flags...
  local name=$1 n=$2
  shift 2
  [ -f "g$n.gr" ] || "$ooc" gen random "g$n.gr" -n "$n" -m $((10 * n))
  "$ooc" solve "g$n.gr" --out "$name.ooc" --device cuda --algorithm blocked --restart --progress never --json "$@" >"$log/$name.json" 2>"$log/$name.err" ||
    { tail -1 "$log/$name.json"; cat "$log/$name.err"; return 1; }
  python3 - "$log/$name.json" "$name n=$n ${*//memory/}" <<'P'
import json, sys
s = json.loads(open(sys.argv[1]).readlines()[-1])
b, p = s["busy_seconds"], s["plan"]
print(f'{sys.argv[2][:42]:42} {s["rounds_seconds"]:8.3f} {s["relaxations_per_second"]/1e12:8.2f} '
      f'{100*s["relaxations_per_second"]/s["ceiling_relaxations_per_second"]:6.1f} % {s["setup_seconds"]:7.2f} {s["sync_seconds"]:7.2f} {s["elapsed_seconds"]:7.2f} {p["seconds"]-p["setup_seconds"]-p["sync_seconds"]:7.2f}')
print("   ", " ".join(f"{k} {v:.2f}" for k, v in b.items()), f'tile {p["tile"]} width {p["width"]} slots {p["slots"]} pages {p["pages"]} look-ahead {p["look_ahead"]} in-core {p["in_core"]}',
      f'in {s["bytes_in"]/2**30:.1f} out {s["bytes_out"]/2**30:.1f} read {s["bytes_read"]/2**30:.1f} written {s["bytes_written"]/2**30:.1f} GiB')
P
}
# run_case NAME
run_case() {
  local c=$1
  case $c in
  torch) solve in8 8192 && python3 "$here/bench-gpu-torch.py" 8192 ;;
  in15) solve in15 15360 ;;
  in16) solve in16 16384 ;;
  t*) solve "in32-$c" 32768 --tile ${c:1:4} --round ${c:6} ;;
  in32) solve in32 32768 ;;
  in64) solve in64 65536 ;;
  dev4) solve dev4 65536 --device-memory 4GiB --host-memory 32GiB ;;
  dev2) solve dev2 65536 --device-memory 2GiB --host-memory 32GiB ;;
  dev1) solve dev1 65536 --device-memory 1GiB --host-memory 32GiB ;;
  host4) solve host4 65536 --device-memory 4GiB --host-memory 4GiB ;;
  ckpt) solve ckpt 65536 --device-memory 4GiB --host-memory 32GiB --checkpoint 3s ;;
  idle) solve idle 65536 --device-memory 4GiB --host-memory 32GiB --timeline timeline.json && python3 "$here/idle.py" timeline.json ;;
  big) solve big 100000 --device-memory 16GiB --host-memory 64GiB && "$ooc" verify big.ooc --rows 64 ;;
  big8) solve big8 100000 --device-memory 16GiB --host-memory 8GiB && "$ooc" verify big8.ooc --rows 64 ;;
  *) echo "there is no case $c"; return 1 ;;
  esac
}
failed=
for c in $cases; do
  run_case "$c" || failed+=" $c"
  [ -n "${KEEP:-}" ] || rm -rf ./*.ooc
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
