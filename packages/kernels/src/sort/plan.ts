/** Bits of a key that one pass of the radix sort looks at, and keys of a workgroup. */
export const RADIX_BITS = 8
export const RADIX_BLOCK = 256
