import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'

/** How few rows of x go with weights that are read by lines: in f32 (`lines`), or in bytes (`held`). */
export const FEW_ROWS = ['lines', 'held'] as const
export type FewRows = (typeof FEW_ROWS)[number]

export interface FewRowsProblem {
  readonly format: string
  readonly type: Storage
  readonly m: number
  readonly n: number
  readonly k: number
}

/** What the way in bytes is fast with. */
export interface FewRowsDevice {
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
}

/** Columns of an invocation in bytes. */
export const HELD_CHUNK = 32

/**
 * Weights from which on bytes are faster where nothing was measured: with one row of int8, which f32 takes the least to unpack, more. Lines and
 * bytes in µs on an H200, x in f16, each run a pass, 6 of them that of a pass without work. One row: 4096 × 4096 int4 12.4 and 11.8, Q4_0 15.0
 * and 13.0, Q6_K 16.9 and 15.7, int8 13.3 and 13.8; 14,336 × 4096 int4 23.0 and 16.0.
 *
 * More rows, which lines take four at a time, and bytes two:
 *
 *     rows                         2            4           8   2, x f32    8, x f32
 *     2048 × 2048    int4   11.8  12.3  12.2  13.7              17.7  13.4
 *     4096 × 2048    int4   15.9  13.8  16.1  16.8              27.4  14.9
 *     4096 × 4096    int4   20.8  14.0  20.8  17.2   33   23    44.2  15.9     81   26
 *                    Q4_0   21.3  14.9  21.2  19.5
 *                    Q8_0   22.9  16.7  22.5  20.2
 *                    Q4_K   22.0  15.3  21.5  18.8   35   26    28.4  15.9     49   27
 *                    Q6_K   22.9  18.0  23.1  23.0              35.5  18.6
 *                    int8   21.1  15.6  21.1  18.3   32   24    30.1  17.2     52   28
 *     32,768 × 8192  int4    169    70   171   117  326  212     558    75   1113  222
 *                    Q4_K    177    83   177   142  338  268     303    85    591  271
 *                    Q6_K    193   110   192   192  370  364     348   115    675  376
 *                    int8    162    80   162   141  315  205     306    86    600  273
 */
const HELD_FROM = 2 ** 24
const HELD_FROM_INT8 = 2 ** 26
const HELD_FROM_MORE: Readonly<Record<Storage, number>> = { f32: 2 ** 22, f16: 2 ** 23 }

/** Rows of x that lines are for; more are tiles, where bytes are not for them. */
const BY_LINES = 8

/**
 * More rows of x go in bytes too, two at a time, up to where tiles are no slower: int4, x in f32, 4096 × 4096 9 rows 29 µs and 300, 16 39 and 302,
 * 32 65 and 310; 32,768 × 8192 269 and 1,523, 415 and 1,550, 806 and 1,608.
 */
const HELD_MOST = 32

const hasBytes = ({ features, languageFeatures }: FewRowsDevice): boolean =>
  features.includes('subgroups') && languageFeatures.includes('packed_4x8_integer_dot_product')

/** Rows of x that a kernel takes at once. */
export const rowsAtOnce = (m: number, way: FewRows): 1 | 2 | 4 => (m <= 1 ? 1 : way === 'held' ? 2 : 4)

/** The name of the kernel. */
export const fewRowsName = (format: string, m: number, way: FewRows, type: Storage): string =>
  `matvec${rowsAtOnce(m, way)}_${format}_${way}${type === 'f16' ? '_f16' : ''}`

/** From how many weights on bytes are faster for so many rows of x; never where lines are, of Q6_K in f16. */
function heldFrom({ format, type, m }: FewRowsProblem): number {
  if (m <= 1) return format === 'int8' ? HELD_FROM_INT8 : HELD_FROM
  return format === 'q6_k' && type === 'f16' && m > 2 && m <= BY_LINES ? Infinity : HELD_FROM_MORE[type]
}

/** The way that was measured to be the fastest, or the one for so many weights. Pure. */
export function chooseFewRows(problem: FewRowsProblem, device: FewRowsDevice, tuning?: Tuning): FewRows {
  const { format, type, m, n, k } = problem
  if (k % HELD_CHUNK !== 0 || m > HELD_MOST) return 'lines'
  const nameOf = (way: FewRows) => fewRowsName(format, m, way, type)
  const found = tuning?.find(`matvec${rowsAtOnce(m, 'held')}_${format}`, type, { n, k }, FEW_ROWS.map(nameOf))
  const measured = FEW_ROWS.find((way) => nameOf(way) === found)
  return measured ?? (n * k >= heldFrom(problem) && hasBytes(device) ? 'held' : 'lines')
}

/**
 * Rows of W of a workgroup in bytes, each of which converts x for itself: as many as leave a large GPU some hundred workgroups. In µs with 8, 16
 * and 32 of them, int4 on an H200. One row of x, eight runs a pass: 4096 × 14,336 17, 20, 29; 14,336 × 4096 15, 13, 15; 32,768 × 8192 46, 41, 40.
 * More of them, each run a pass:
 *
 *     rows of x                    2                 4                8
 *     4096 × 4096     14.0 14.9 16.8    18.7 17.2 18.1    28.0 24.2 22.7
 *     8192 × 4096     19.0 17.3 19.8    28.7 24.8 23.6
 *     14,336 × 4096   26.4 23.2 25.3    44.2 37.6 36.3
 *     of f32, which take longer to convert:
 *     4096 × 4096     16.5 15.9 17.7    23.8 19.6 19.8         29.0 25.8
 *     8192 × 4096     25.5 19.6 19.3    38.7 29.1 25.8
 *     14,336 × 4096   35.6 28.2 26.8    58.5 45.0 38.9
 *
 * Pure.
 */
export function heldRows({ n, m, type }: Pick<FewRowsProblem, 'n' | 'm' | 'type'>): number {
  const work = n * Math.ceil(m / 2) * (m > 1 && type === 'f32' ? 1.5 : 1)
  return work < 6144 ? 8 : work < 16_384 ? 16 : 32
}
