import { badArgument, shown } from '../errors'

/**
 * Choices of kernels by what was measured, in place of a rule. `weft tune` measures kernels on a device, for some shapes; what it writes
 * is read here, and says which of the kernels that a function ships is the fastest for a shape. It can only name kernels that ship, so a
 * result stays within the bound that is documented for the function, whatever a file says.
 */

/** The sizes of a problem by name: `{ m: 4096, n: 4096, k: 4096 }`. */
export type Sizes = Readonly<Record<string, number>>

export interface Tuning {
  /** The fastest of the kernels `among` for a shape, or undefined where nothing was measured that is like it. Pure. */
  find(family: string, type: string, shape: Sizes, among: readonly string[]): string | undefined
}

/** The choice of the first kernel that a test picks, whatever the problem is. */
export const tuningTo = (isIt: (name: string) => boolean): Tuning => ({ find: (_, __, ___, among) => among.find(isIt) })

/** What of a file that `weft tune` writes (`TuningFile` of `@weft/codegen/tools`) is needed to choose. */
export interface TunedResults {
  readonly device: TunedDevice
  readonly results: readonly TunedResult[]
}

export interface TunedDevice {
  readonly vendor: string
  readonly architecture: string
  readonly device: string
}

export interface TunedResult {
  readonly family: string
  readonly type: string
  readonly shape: Sizes
  readonly winner: { readonly kernel: string } | null
  /** By speed, the fastest first. */
  readonly candidates: readonly { readonly kernel: string }[]
}

/** Sizes are alike up to a factor of two: a tile that suits one of them fills the device with the other, too. */
const ALIKE = 1

/** How far two shapes are apart, in powers of two: the size that differs most, then all of them; null where they are not alike. */
function distance(a: Sizes, b: Sizes): readonly [most: number, all: number] | null {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return null
  let [most, all] = [0, 0]
  for (const name of names) {
    const apart = Math.abs(Math.log2((a[name] as number) / (b[name] ?? 0)))
    // sizes of 0 are like nothing
    if (!(apart <= ALIKE)) return null
    most = Math.max(most, apart)
    all += apart
  }
  return [most, all]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Refuses what is no file of `weft tune`: text of one that was not parsed, say. */
function checkFile(file: unknown): void {
  const results = isObject(file) ? file.results : undefined
  if (!Array.isArray(results))
    throw badArgument(
      `tuningOf: takes what weft tune writes, an object with results, got ${shown(file)}`,
      'of its text: tuningOf(JSON.parse(text))',
    )
  results.forEach((result: unknown, i) => {
    const { family, type, shape, winner = null, candidates } = isObject(result) ? result : {}
    const named = [family, type].every((name) => typeof name === 'string')
    const kernels = Array.isArray(candidates) && [...candidates, winner ?? {}].every(isObject)
    if (!named || !isObject(shape) || !kernels)
      throw badArgument(
        `tuningOf: results[${i}] must have family, type, shape, winner and candidates, got ${shown(result)}`,
      )
  })
}

/** Choices by results of this device, or of one like it: `tuningOf(JSON.parse(text))`. Later results count more. */
export function tuningOf(...files: readonly Pick<TunedResults, 'results'>[]): Tuning {
  for (const file of files) checkFile(file)
  const results = new Map<string, TunedResult[]>()
  for (const result of files.flatMap((file) => file.results)) {
    const key = `${result.family} ${result.type}`
    results.set(key, [result, ...(results.get(key) ?? [])])
  }
  return {
    find: (family, type, shape, among) => {
      let nearest: TunedResult | undefined
      let least: readonly [number, number] = [Infinity, Infinity]
      for (const result of results.get(`${family} ${type}`) ?? []) {
        const apart = distance(shape, result.shape)
        if (!apart || apart[0] > least[0] || (apart[0] === least[0] && apart[1] >= least[1])) continue
        nearest = result
        least = apart
      }
      const ranked = [nearest?.winner?.kernel, ...(nearest?.candidates.map(({ kernel }) => kernel) ?? [])]
      return ranked.find((kernel) => kernel !== undefined && among.includes(kernel))
    },
  }
}
