// The kernels of kernels.LaneStats, an image for each variant as in kernels.cu.
#include "lanestats.cuh"

KERNEL(below_, 256, 2, LaneEdges) { laneBelow<VARIANT>(p); }
KERNEL(bins_, 512, 2, LaneEdges) { laneBins<VARIANT>(p); }
KERNEL(nearest_, 128, 8, LaneNearest) { laneNearest<VARIANT>(p); }
KERNEL(nearest_of_all_, 128, 8, LaneNearest) { nearestOfAll<VARIANT>(p); }
