// The kernels of an expansion, an image for each variant as in kernels.cu.
#include "blocks.cuh"
#include "levels.cuh"

KERNEL(level_, 256, 3, Level) { level<VARIANT>(p); }
KERNEL(transpose_, 256, 4, LaneTranspose) { transpose<VARIANT>(p); }
KERNEL(blocks_, 128, VARIANT == F64 ? 3 : 5, LaneBlocks) { laneBlocks<VARIANT>(p); }
