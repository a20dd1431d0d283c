import type { DeviceBuffer } from '@weft/runtime'
import { argsOf, checkFields, checkKeys, count, oneOf, size, typedArray } from '../args'
import { badArgument, checkRuntime, type Runtime } from '../host'
import { isInt4, type PackedWeights, WEIGHTS_KEYS, type WordFormat, type ZeroPoints } from './pack'

/** What weights of all formats have on a device. */
export interface UploadedParts<F extends WordFormat> {
  readonly format: F
  readonly n: number
  readonly k: number
  readonly group: number
  readonly w: DeviceBuffer<Uint32Array<ArrayBuffer>>
  readonly scales: DeviceBuffer<Float32Array<ArrayBuffer>>
  /** Destroys the buffers. */
  [Symbol.dispose](): void
}

/** Weights of a format on a device, as `quantizedMatmul` and the other functions over them take them. */
export type UploadedWeights<F extends WordFormat = WordFormat> = F extends keyof ZeroPoints
  ? UploadedParts<F> & { readonly zeros: DeviceBuffer<ZeroPoints[F]> }
  : UploadedParts<F> & { readonly zeros?: never }

const WORDS = typedArray(Uint32Array)
const FIELDS = argsOf<Omit<PackedWeights, 'zeros'>>({
  format: oneOf('int8', 'uint8', 'int4', 'int4_zeros'),
  n: size,
  k: size,
  group: count,
  w: WORDS,
  scales: typedArray(Float32Array),
})
/** What zero points are, where there are any. */
const ZEROS = { int8: null, uint8: typedArray(Int32Array), int4: null, int4_zeros: WORDS } as const

/** The elements of each part of weights. */
function lengthsOf({ format, n, k, group }: PackedWeights): Readonly<Record<'w' | 'scales' | 'zeros', number>> {
  const groups = Math.ceil(k / group)
  return {
    w: n * Math.ceil(k / (isInt4(format) ? 8 : 4)),
    scales: n * groups,
    zeros: format === 'uint8' ? n * groups : format === 'int4_zeros' ? n * Math.ceil(groups / 8) : 0,
  }
}

/**
 * Takes weights that `quantizeWeights` has packed to the device, a buffer for each of their parts:
 *
 *     using weights = uploadWeights(runtime, quantizeWeights('int4_zeros', x, { n, k, group: 32 }))
 *     await quantizedMatmul(runtime, { weights, x, y, m })
 *
 * `using` destroys the buffers at the end of the block; without, they are `weights.w`, `weights.scales` and, of a format with zero points,
 * `weights.zeros`.
 *
 * @throws RangeError before anything is uploaded: a part that is missing, of another type, or of another length than the sizes ask for
 */
export function uploadWeights<F extends WordFormat>(
  runtime: Runtime,
  weights: PackedWeights<F> & { readonly format: F },
): UploadedWeights<F>
export function uploadWeights(runtime: Runtime, weights: PackedWeights): UploadedWeights {
  checkRuntime('uploadWeights', runtime)
  checkPacked(weights)
  const { format, n, k, group, w, scales, zeros } = weights
  const upload = <T extends ArrayBufferView>(part: string, data: T) =>
    runtime.buffer(data, { label: `${format} weights, ${part}` })
  const buffers = {
    w: upload('w', w),
    scales: upload('scales', scales),
    ...(zeros ? { zeros: upload('zeros', zeros) } : {}),
  }
  const destroy = (): void => {
    for (const buffer of Object.values(buffers)) buffer.destroy()
  }
  return { format, n, k, group, ...buffers, [Symbol.dispose]: destroy } as UploadedWeights
}

function checkPacked(weights: PackedWeights): void {
  const what = 'uploadWeights'
  checkKeys(what, weights, WEIGHTS_KEYS)
  checkFields(what, weights, FIELDS)
  const points = ZEROS[weights.format]
  if (points) points.check(what, 'zeros', weights.zeros)
  else if (weights.zeros) throw badArgument(`${what}: ${weights.format} has no zero points, got some`)
  for (const [part, length] of Object.entries(lengthsOf(weights))) {
    const { [part as 'zeros']: list } = weights
    const has = (list ?? []).length
    if (has !== length) throw badArgument(`${what}: ${part} must have ${length} elements, and has ${has}`)
  }
}
