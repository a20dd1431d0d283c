/** The axes of a strided kernel. Others can be joined or need a copy. */
export const MAX_RANK = 6
