// The kernels of one variant that every solve needs.
#include "closure.cuh"
#include "service.cuh"
#include "wide.cuh"

KERNEL(product_, kBlock, kResident, Product) { anyProduct<VARIANT>(p); }
KERNEL(diagonal_, 256, 1, Pivot) { diagonal<VARIANT>(p); }
KERNEL(panels_, 256, 1, Pivot) { panels<VARIANT>(p); }
KERNEL(ceiling_, 256, 2, Ceiling) { ceiling<VARIANT>(p); }
