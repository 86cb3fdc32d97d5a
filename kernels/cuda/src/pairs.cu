// The kernels of one variant that keep predecessors.
#include "pairclosure.cuh"
#include "widepairs.cuh"

KERNEL(pairs_product_, kBlock, kPairResident, Product) { anyPairProduct<VARIANT>(p); }
KERNEL(pairs_diagonal_, 256, 1, Pivot) { pairDiagonal<VARIANT>(p); }
KERNEL(pairs_panels_, 256, 1, Pivot) { pairPanels<VARIANT>(p); }
