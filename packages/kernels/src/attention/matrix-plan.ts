import { SIDE, SUBGROUP } from '../parts/matrices'

/** How attention on subgroup matrices divides its work. */
export interface AttentionMatrixOptions {
  /** A multiple of 32. */
  readonly headSize: number
  /** Subgroups of a workgroup, two of which share 32 query rows. */
  readonly subgroups?: number
  /** Keys of a step: a multiple of 32. */
  readonly step?: number
}

export function planOf({ headSize, subgroups = 8, step = 32 }: AttentionMatrixOptions) {
  /** Elements of a vec4u are eight f16. */
  const units = headSize / 8
  const ownKeys = step / 2
  const scoreRow = ownKeys / 4 + 1
  const invocations = SUBGROUP * subgroups
  return {
    ...{ headSize, subgroups, step, units, invocations },
    /** Queries of a workgroup: a block of 16 for each subgroup. */
    rows: SIDE * subgroups,
    /** Blocks of 16 columns of the head, and those of them that a subgroup sums. */
    dims: headSize / SIDE,
    ownDims: headSize / SIDE / 2,
    /** Keys of a step that a subgroup multiplies, and blocks of 16 of them. */
    ownKeys,
    ownBlocks: ownKeys / SIDE,
    /** Rows in workgroup memory are odd numbers of 16 bytes apart: eight of them lie in different banks. */
    keyRow: units + 1,
    valueRow: units / 2 + 1,
    scoreRow,
    /** A block of 16 rows and a subgroup's keys; the second of a pair begins in other banks than the first. */
    piece: SIDE * scoreRow + 4,
    /** Quads of a row that an invocation has: half of the keys of a step. */
    own: ownKeys / 4,
    /** vec4u that an invocation stages of a step's keys, and of its values. */
    copies: Math.ceil((step * units) / invocations),
  }
}
export type MatrixPlan = ReturnType<typeof planOf>

/** Bytes of workgroup memory. */
export const bytesOf = ({ step, keyRow, valueRow, subgroups, piece }: MatrixPlan): number =>
  16 * (step * keyRow + 2 * step * valueRow + 2 * subgroups * piece) + 4 * SIDE * subgroups + 16
