import * as kernels from '@weft/kernels'
import { rope } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('rope', [rope], ({ runtime, options }) => {
  const sizes = { batch: 2, heads: 3, tokens: 4, headSize: 16, rotary: 12, past: 77 }
  const n = 2 * 3 * 4 * 16
  const upload = () => runtime().buffer(kernels.ropeTable({ positions: 81, rotary: 12 }))

  it('turns heads in either layout, in place, and back', async () => {
    const x = uniform(1, n, -1, 1)
    const [buffer, table] = [runtime().buffer(x), upload()]
    for (const tokensFirst of [false, true]) {
      const axes = tokensFirst ? { outer: 2, inner: 3 } : { outer: 6, inner: 1 }
      const expected = kernels.ropeReference({ x, ...axes, tokens: 4, headSize: 16, rotary: 12, past: 77 })
      const args = { x: buffer, out: buffer, table, ...sizes, tokensFirst }
      await kernels.rope(runtime(), args, options)
      expect(maxError(await buffer.read(Float32Array), expected).abs).toBeLessThan(2e-6)
      await kernels.ropeBackward(runtime(), args, options)
      expect(maxError(await buffer.read(Float32Array), x).abs).toBeLessThan(4e-6)
    }
  })

  it('no tokens are no dispatch', async () => {
    const x = runtime().buffer(new Float32Array(1))
    await kernels.rope(runtime(), { x, out: x, table: x, ...sizes, tokens: 0 }, options)
    expect([...(await x.read(Float32Array))]).toEqual([0])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime().buffer(new Float32Array(n))
    const args = { x, out: x, table: upload(), ...sizes }
    const bad = (change: Partial<kernels.RopeArgs>, text: string) =>
      expect(kernels.rope(runtime(), { ...args, ...change }, options)).rejects.toThrow(text)
    await bad({ rotary: 3 }, 'rope: rotary must be even and at most headSize = 16, got 3')
    await bad({ rotary: 18 }, 'rotary must be even and at most headSize = 16, got 18')
    await bad({ past: -1 }, 'past must be an integer from 0 on, got -1')
    await bad({ past: 253 }, 'rope: table for 257 positions must have 1548 elements, and has 1542')
    await bad({ batch: 3 }, 'x must have 576 elements, and has 384')
    await runtime().idle()
  })
})
