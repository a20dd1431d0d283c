/** Bits of a key that one pass of the radix sort looks at. */
export const RADIX_BITS = 8
export const DIGITS = 2 ** RADIX_BITS

/** How the places of keys within a tile are found: with subgroups of 32, or without. */
export type RadixWay = 'portable' | 'subgroups'

export const RADIX_INVOCATIONS: Readonly<Record<RadixWay, number>> = { portable: 256, subgroups: 512 }
/** Keys of an invocation. */
export const RADIX_ROUNDS: Readonly<Record<RadixWay, number>> = { portable: 4, subgroups: 10 }
export const tileOf = (way: RadixWay): number => RADIX_INVOCATIONS[way] * RADIX_ROUNDS[way]

/** Tiles that a workgroup of the scan takes. */
export const RADIX_CHUNK = 32

/** The subgroups that radix_scatter_32 is written for. */
export const RADIX_SUBGROUP = 32
