import { type Problem, trialValues } from '../problem'
import { type MatmulShape, weightsProblem } from '../quant/trial'
import type { BlockMatmulArgs } from './host'
import { BLOCKS, type BlockName } from './layout'
import { packBlocks, unpackBlocks } from './pack'

/** What `verify: true` asks of kernels over blocks: those that are not read by lines begin in the middle of a word. */
export function blocksProblem(format: BlockName, shape: MatmulShape): Problem<BlockMatmulArgs> {
  const { n, lines } = shape
  const { size } = BLOCKS[format]
  const k = size * (size === 256 ? 2 : 11)
  const packed = packBlocks(format, trialValues(3, n * k))
  const offset = lines ? 0 : 2
  const file = new Uint8Array(Math.ceil((offset + packed.length) / 4) * 4)
  file.set(packed, offset)
  const given = {
    inputs: { w: { values: new Uint32Array(file.buffer), type: 'u32' } as const },
    values: unpackBlocks(format, packed, n * k),
  }
  return weightsProblem(shape, k, given, (buffers) => {
    const { w } = buffers as unknown as Pick<BlockMatmulArgs['weights'], 'w'>
    return { format, w, offset, n, k }
  })
}
