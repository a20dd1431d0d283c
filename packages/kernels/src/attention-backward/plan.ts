/** Queries, and keys, that a workgroup takes at a time. */
export const TILE = 16
