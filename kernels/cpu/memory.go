package cpu

// unknownMemory stands for the RAM of a machine that does not tell.
const unknownMemory = 8 << 30
