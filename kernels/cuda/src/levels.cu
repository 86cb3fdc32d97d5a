// The kernels of an expansion, an image for each variant as in kernels.cu.
#include "blocks.cuh"
#include "lanesums.cuh"
#include "levels.cuh"

KERNEL(level_, 256, 3, Level) { level<VARIANT>(p); }
KERNEL(transpose_, 256, 4, LaneTranspose) { transpose<VARIANT>(p); }
KERNEL(arcs_, 128, 8, ArcProduct) { arcProduct<VARIANT>(p); }
KERNEL(blocks_, 128, VARIANT == F64 ? 3 : 5, LaneBlocks) { laneBlocks<VARIANT>(p); }
KERNEL(sums_, 256, 2, LaneSums) { laneSums<VARIANT>(p); }
KERNEL(totals_, 256, 2, LaneSums) { laneTotals<VARIANT>(p); }
KERNEL(row_sums_, 256, 4, LaneSums) { rowSums<VARIANT>(p); }
