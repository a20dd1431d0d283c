import * as kernels from '@weft/kernels'
import { losses, reductions, softmaxes } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { integers, maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('rows', [...softmaxes, ...losses, ...reductions], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))
  const close = async (buffer: ReturnType<typeof empty>, expected: ArrayLike<number>) =>
    expect(maxError(await buffer.read(Float32Array), expected).relative).toBeLessThan(1e-5)

  it.each([
    [70, 5],
    [3, 50],
    [2, 50257],
    [1, 102400],
  ])('cross-entropy and its gradient in place, %i × %i', async (rows, cols) => {
    const x = uniform(1, rows * cols, -9, 9)
    const target = integers(2, rows, cols)
    const [buffer, ids, loss, lse] = [runtime.buffer(x), runtime.buffer(target), empty(rows), empty(rows)]
    await kernels.crossEntropy(runtime, { x: buffer, target: ids, loss, lse, rows, cols }, own)
    await close(loss, kernels.crossEntropyReference({ x, target, rows, cols }).loss)
    await kernels.crossEntropyBackward(
      runtime,
      { x: buffer, target: ids, lse, dx: buffer, rows, cols, scale: 1 / rows },
      own,
    )
    await close(
      buffer as ReturnType<typeof empty>,
      kernels.crossEntropyBackwardReference({ x, target, rows, cols, scale: 1 / rows }),
    )
  })

  it('log-softmax in place, and the gradients of both', async () => {
    const [rows, cols] = [3, 33]
    const [x, dy] = [uniform(1, 99, -3, 3), uniform(2, 99, -1, 1)]
    const buffer = runtime.buffer(x)
    await kernels.logSoftmax(runtime, { x: buffer, y: buffer, rows, cols }, own)
    const y = kernels.logSoftmaxReference({ x, rows, cols })
    await close(buffer as ReturnType<typeof empty>, y)
    const dx = empty(99)
    await kernels.logSoftmaxBackward(runtime, { y: buffer, dy: runtime.buffer(dy), dx, rows, cols }, own)
    await close(dx, kernels.logSoftmaxBackwardReference({ y, dy, rows, cols }))
    const soft = kernels.softmaxReference({ x, rows, cols })
    await kernels.softmaxBackward(
      runtime,
      { y: runtime.buffer(Float32Array.from(soft)), dy: runtime.buffer(dy), dx, rows, cols },
      own,
    )
    await close(dx, kernels.softmaxBackwardReference({ y: soft, dy, rows, cols }))
  })

  it.each([1, 300, 200_001])('mean squared error of %i', async (n) => {
    const [x, y] = [uniform(1, n, -1, 1), uniform(2, n, -1, 1)]
    const out = empty(1)
    await kernels.meanSquaredError(runtime, { x: runtime.buffer(x), y: runtime.buffer(y), out, n }, own)
    await close(out, [kernels.meanSquaredErrorReference(x, y)])
  })

  it('of nothing, and refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(Float32Array, 6)
    await kernels.logSoftmax(runtime, { x, y: x, rows: 3, cols: 0 }, own)
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    const args = { x, target: x, loss: empty(2), lse: empty(2) }
    await bad(kernels.crossEntropy(runtime, { ...args, rows: 2, cols: 0 }, own), 'cols must be at least 1, got 0')
    await bad(kernels.crossEntropy(runtime, { ...args, rows: 2, cols: 4 }, own), 'x must have 8 elements, and has 6')
    await bad(
      kernels.crossEntropyBackward(runtime, { x, target: x, lse: x, dx: empty(5), rows: 2, cols: 3 }, own),
      'dx must have 6 elements',
    )
    await bad(
      kernels.softmaxBackward(runtime, { y: x, dy: x, dx: x, rows: 0.5, cols: 3 }, own),
      'rows must be an integer',
    )
    await bad(
      kernels.meanSquaredError(runtime, { x, y: x, out: empty(1), n: 0 }, own),
      'there is no mean of 0 elements',
    )
    await runtime.idle()
  })
})
