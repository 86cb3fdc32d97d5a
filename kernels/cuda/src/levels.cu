// The kernels of an expansion, an image for each variant as in kernels.cu.
#include "levels.cuh"

KERNEL(level_, 256, 3, Level) { level<VARIANT>(p); }
KERNEL(transpose_, 256, 4, LaneTranspose) { transpose<VARIANT>(p); }
