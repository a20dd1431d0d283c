import { ceilDiv, d, input, kernel, output, u32 } from '@weft/dsl'
import { randomBits } from '../parts/random'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * y[i] = 0 where the random bits of (seed, stream, i) are below `threshold`, else scale · x[i] (Srivastava et al., "Dropout", 2014, in
 * the form that leaves inference alone). threshold is p · 2³², scale 1 / (1 − p): a division belongs to the host, as those of devices are
 * not rounded correctly, and the results would differ in a bit.
 *
 * The same kernel is its own backward, with dy for x: nothing is stored of the mask, which is made again from the numbers. What is
 * dropped is 0, whatever it was, also NaN.
 */
const dropoutOf = (storage: Storage) =>
  kernel(
    named('dropout', storage),
    {
      doc: 'y[i] = 0 where the random bits of (seed, stream, i) are below threshold, else scale · x[i]',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params: { n: d.u32, seed: d.u32, stream: d.u32, threshold: d.u32, scale: d.f32 },
      aliases: [['x', 'y']],
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ x, y, n, seed, stream, threshold, scale }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const bits = k.let('bits', randomBits(seed, [stream, u32(0), i]))
        const kept = k.when(bits.ge(threshold), () => read(x.at(i)).mul(scale), 0)
        y.at(i).set(stored(storage, kept))
      })
    },
  )

export const dropout = dropoutOf('f32')
export const dropoutHalf = dropoutOf('f16')
