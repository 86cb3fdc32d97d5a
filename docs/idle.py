"""Say from a timeline (`ooc solve --timeline`) for how long no kernel ran between the first and the last."""

import json
import sys

spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and "phase" in e["name"])
idle, gaps, end = 0.0, [], spans[0][0]
for start, stop in spans:
    if start > end:
        idle += start - end
        gaps.append(start - end)
    end = max(end, stop)
whole = end - spans[0][0]
print(
    f"{len(spans)} kernels in {whole / 1e6:.3f} s: none ran for {idle / 1e6:.3f} s, {100 * idle / whole:.2f} %, "
    f"in {len(gaps)} gaps, the longest {max(gaps, default=0) / 1e3:.2f} ms"
)
