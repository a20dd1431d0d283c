import { argsOf, belowOne, input, listOf, maybe, size, u32 } from '../args'
import { type BufferLike, checkBuffers, type Runtime } from '../host'
import { dropThreshold } from '../parts/random'
import type { AttentionShape, SightOptions } from './host'

/** A buffer that is given for pairs of a query and a key. */
export interface PairInput {
  readonly data: BufferLike
  /** In elements, 0 where it is the same for all; [queries, keys] for all heads when left out. */
  readonly strides?: readonly [batch: number, head: number, query: number, key: number]
}

export const PAIR_ARGS = argsOf<PairInput>({ data: input, strides: maybe(listOf(size, 4)) })

/** What hides keys by batch or by pair, and drops weights. */
export interface MaskOptions {
  /** [batch], u32: keys that are there. Where `past` is left out, the last query stands on the last of them. */
  readonly lengths?: BufferLike
  /** f32, added to the scores; −3e38 and less hides a key. */
  readonly bias?: PairInput
  /** u32: 0 hides a key. */
  readonly mask?: PairInput
  /** Weights are dropped with this probability; the others are multiplied by 1 / (1 − probability). */
  readonly dropout?: { readonly probability: number; readonly seed: number }
}

export const DROPOUT_ARGS = argsOf<NonNullable<MaskOptions['dropout']>>({ probability: belowOne, seed: u32 })

/** Whether a kernel without lengths, bias and mask does not do. */
export const isMasked = ({ lengths, bias, mask }: MaskOptions): boolean =>
  lengths !== undefined || bias !== undefined || mask !== undefined

/** Checks what is given, and makes it params. */
export function checkMasks(what: string, args: AttentionShape & SightOptions & MaskOptions) {
  const { lengths, bias, mask, batch, past } = args
  if (lengths) checkBuffers(what, { lengths: [lengths, batch] })
  return {
    lengths_stride: Number(lengths !== undefined),
    from_end: Number(lengths !== undefined && past === undefined),
    bias_strides: pairStrides(what, 'bias', bias, args),
    mask_strides: pairStrides(what, 'mask', mask, args),
  }
}

/** The strides of what is given for pairs, after a check that the buffer holds what they reach. */
function pairStrides(
  what: string,
  name: string,
  input: PairInput | undefined,
  args: AttentionShape,
): NonNullable<PairInput['strides']> {
  const { batch, heads, queries, keys } = args
  if (input === undefined) return [0, 0, 0, 0]
  const { data, strides = [0, 0, keys, 1] } = input
  const extents = [batch, heads, queries, keys]
  const empty = extents.includes(0)
  const reach = strides.reduce((sum, stride, axis) => sum + stride * (extents[axis]! - 1), 1)
  checkBuffers(what, { [name]: [data, empty ? 0 : reach] })
  return strides
}

/** What is bound: where nothing is given one element for all, that hides nothing, which is freed at the end. */
export function maskBindings(
  runtime: Runtime,
  { keys, lengths, bias, mask }: Pick<AttentionShape, 'keys'> & MaskOptions,
) {
  const made: Disposable[] = []
  const one = (data: Uint32Array | Float32Array): BufferLike => {
    const buffer = runtime.buffer(data)
    made.push(buffer)
    return buffer
  }
  return {
    bindings: {
      lengths: lengths ?? one(Uint32Array.of(keys)),
      bias: bias?.data ?? one(Float32Array.of(0)),
      mask: mask?.data ?? one(Uint32Array.of(1)),
    },
    [Symbol.dispose]: (): void => {
      for (const buffer of made) buffer[Symbol.dispose]()
    },
  }
}

/** Which weights a dropout drops, as params. */
export function dropoutParams(dropout: MaskOptions['dropout']) {
  const { probability, seed } = dropout ?? { probability: 0, seed: 0 }
  return { seed, threshold: dropThreshold(probability), keep_scale: 1 / (1 - probability) }
}
