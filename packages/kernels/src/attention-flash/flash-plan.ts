/** How flash attention divides its work: into tiles of queries and keys, rows and pieces of the head. */

/** Query rows, and invocations, of a workgroup. */
export const ROWS = 64
/** Query rows, and parts of the head, per invocation: 64 invocations are 16 groups of rows × 4 pieces. */
export const ROWS_EACH = 4
export const PIECES = 4
/** Rows of `part`, padded so that the four pieces of a row lie in different banks. */
export const PART_ROW = ROWS + 1
/** Workgroup memory that every WebGPU device has, in bytes. */
const WORKGROUP_MEMORY = 16_384

/** vec4f of a head, and of a piece of it; a head that does not divide evenly is padded with zeros. */
export const quadsOf = (headSize: number): number => Math.ceil(headSize / 4)
export const pieceOf = (headSize: number): number => Math.ceil(quadsOf(headSize) / PIECES)

/** Whether the pieces hold more than the head. */
export const isPadded = (headSize: number): boolean => quadsOf(headSize) !== PIECES * pieceOf(headSize)

const workgroupBytes = (headSize: number, tile: number): number =>
  2 * tile * PIECES * pieceOf(headSize) * 16 + 4 * Math.ceil((tile * PIECES * PART_ROW) / 4) * 4 + ROWS * 4

/** The keys of a tile: as many of 8, 4, 2, 1 as fit. */
export const keyTile = (headSize: number): number =>
  [8, 4, 2].find((tile) => workgroupBytes(headSize, tile) <= WORKGROUP_MEMORY) ?? 1
