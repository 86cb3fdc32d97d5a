#!/usr/bin/env bash
# Sweep tile edges and round widths on a GPU: does the plan find the fastest? For each limit of device memory it solves by the
# plan's own choice and by the alternatives below, and prints what was measured and predicted. It fails where the choice takes
# more than 3 % longer than the fastest, and where there was nothing to compare with it.
#
#     docs/bench-gpu-plan.sh bin/ooc /scratch [n [layout [GiB of device memory...]]]
set -euo pipefail
ooc=$(realpath "$1") dir=$2 n=${3:-65536} layout=${4:-square}
shift $(($# < 4 ? $# : 4))
memories=${*:-"4 2 1"}
[ "$layout" = upper ] && undirected=--undirected || undirected=
cd "$dir"
graph=plan-$n-$layout.gr results=plan-results.txt
[ -f "$graph" ] || "$ooc" gen random "$graph" -n "$n" -m $((10 * n)) $undirected
: >"$results"

# one MEMORY NAME FLAGS...: solves, and appends a line to the results. A tile that does not fit is no alternative.
one() {
  local memory=$1 name=$2
  shift 2
  rm -rf plan.ooc
  if ! "$ooc" solve "$graph" $undirected --layout "$layout" --out plan.ooc --device cuda --algorithm blocked --progress never --json "$@" >plan.json 2>plan.err; then
    grep -q '"memory limit too small' plan.json && [ "$name" != auto ] && return
    cat plan.json plan.err >&2
    exit 1
  fi
  python3 - "$memory" "$name" <<'P' | tee -a "$results"
import json, sys
s = json.loads(open("plan.json").readlines()[-1])
p = s["plan"]
predicted = p["seconds"] - p["setup_seconds"] - p["sync_seconds"]
print(f'{sys.argv[1]:>5} {sys.argv[2]:10} {s["rounds_seconds"]:8.3f} s, predicted {predicted:8.3f} ({100*(predicted/s["rounds_seconds"]-1):+5.1f} %)  '
      f'tile {p["tile"]} width {p["width"]} look-ahead {p["look_ahead"]} slots {p["slots"]} pages {p["pages"]} streams {p["streams"]} '
      f'in {s["bytes_in"]/2**30:.0f} GiB')
P
}

one all auto
for memory in $memories; do
  limits=(--device-memory "${memory}GiB" --host-memory 32GiB)
  one "$memory" auto "${limits[@]}"
  for alternative in 1024/2048 1024/4096 1536/1536 1536/3072 1728/1728 1728/3456 1792/1792 2048/2048 2048/4096; do
    one "$memory" "$alternative" "${limits[@]}" --tile "${alternative%/*}" --round "${alternative#*/}"
  done
done
rm -rf plan.ooc plan.json plan.err

python3 - "$results" <<'P'
import sys
times = {}
for line in open(sys.argv[1]):
    memory, name, seconds = line.split()[:3]
    times.setdefault(memory, {})[name] = float(seconds)
core, bad = times.pop("all")["auto"], []
for memory, of in times.items():
    others = {k: v for k, v in of.items() if k != "auto"}
    if not others:
        bad.append(f"{memory} GiB: no alternative fits")
        continue
    auto, best = of["auto"], min(others, key=others.get)
    off = auto / min(auto, others[best]) - 1
    print(f"{memory} GiB: {auto/core:.3f} times in core; {100*off:.1f} % longer than the fastest; of {len(others)} others, {best} took {others[best]:.3f} s")
    if off > 0.03:
        bad.append(f"{memory} GiB: the plan took {100*off:.1f} % longer than {best}")
if not times:
    bad.append("nothing was measured in less memory")
sys.exit("bench-gpu-plan: " + "; ".join(bad) if bad else 0)
P
