// The kernels of kernels.SearchOps, an image for each variant as in kernels.cu.
#include "search.cuh"

KERNEL(search_clear_, 256, 4, Search) { clearSearch<VARIANT>(p); }
KERNEL(search_seed_, 256, 4, Search) { seedSearch<VARIANT>(p); }
KERNEL(search_pick_, 256, 4, Search) { pickRows<VARIANT>(p); }
KERNEL(search_lower_, 256, VARIANT == U16 ? 4 : 3, Search) { lowerRows<VARIANT>(p); }
