import type { AttentionShape } from '../attention/host'
import type { PairInput } from '../attention/masks-host'
import { type BufferLike, badArgument, checkBuffers } from '../host'
import { TILE } from './plan'

type Strides = NonNullable<PairInput['strides']>
type Pairs = Pick<AttentionShape, 'batch' | 'heads' | 'queries' | 'keys'>

const extentsOf = ({ batch, heads, queries, keys }: Pairs): readonly number[] => [batch, heads, queries, keys]

/** Refuses a gradient without a bias, one that is too small, and a bias of which pairs share an element other than along a whole axis. */
export function checkDbias(
  what: string,
  args: Pairs & { readonly bias?: PairInput },
  dbias: BufferLike,
  strides: Strides,
): void {
  if (!args.bias) throw badArgument(`${what}: dbias is the gradient of bias, which is left out`)
  const extents = extentsOf(args)
  const axes = strides.flatMap((stride, axis) => {
    const extent = extents[axis] as number
    return stride > 0 && extent > 1 ? [{ stride, extent }] : []
  })
  let reach = 0
  for (const { stride, extent } of axes.sort((a, b) => a.stride - b.stride)) {
    if (stride <= reach)
      throw badArgument(
        `${what}: bias.strides must lead to an element for each pair, or be 0, where there is dbias; got [${strides.join(', ')}]`,
      )
    reach += stride * (extent - 1)
  }
  checkBuffers(what, {
    dbias: [dbias, extents.some((extent, axis) => extent === 0 && strides[axis] !== 0) ? 0 : reach + 1],
  })
}

/** In how many parts workgroups take each axis: 1 where the gradient is summed along it. */
export function biasParts(args: Pairs, strides: Strides) {
  const tiles = [1, 1, TILE, TILE]
  const [batches, head_parts, row_tiles, col_tiles] = extentsOf(args).map((extent, axis) =>
    strides[axis] === 0 ? 1 : Math.ceil(extent / (tiles[axis] as number)),
  )
  return { batches, head_parts, row_tiles, col_tiles }
}
