"""Time all-pairs shortest paths in PyTorch, one `minimum` for each pivot, on the first GPU: n as argument."""

import sys
import time

import torch

n = int(sys.argv[1])
for dtype, high in ((torch.int32, 1000), (torch.float32, 1000.0)):
    best = 0.0
    for _ in range(2):
        d = (torch.rand(n, n, device="cuda") * high).to(dtype)
        torch.cuda.synchronize()
        began = time.perf_counter()
        for k in range(n):
            torch.minimum(d, d[:, k : k + 1] + d[k : k + 1, :], out=d)
        torch.cuda.synchronize()
        took = time.perf_counter() - began
        best = min(best, took) if best else took
    print(f"PyTorch {torch.__version__} n={n} {dtype}: {best:.3f} s, {n**3 / best / 1e12:.3f} T relaxations/s")
