import { type Runtime, createRuntime as wrap } from '@weft/runtime'
import { createRuntime, openGpu } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rejects } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { affine, combine, counting, fill } from './kernels.js'
import { tamperedDevice } from './tampered.js'

/** What the device rejects: each error with the kernel that it is about, and nothing that follows from it taken for good. */

describe.skipIf(missing('dawn') !== undefined)('errors of the device', () => {
  let runtime: Runtime
  let foreign: GPUBuffer
  let elsewhere: GPUDevice

  beforeAll(async () => {
    runtime = await createRuntime()
    elsewhere = (await (await (await openGpu()).requestAdapter())?.requestDevice()) as GPUDevice
    foreign = elsewhere.createBuffer({ size: 64, usage: 0x80 | 4 | 8 })
  })
  afterAll(() => {
    runtime?.destroy()
    elsewhere?.destroy()
  })

  it('[prior-R03] are about the kernel that caused them, and reads of what follows from it reject', async () => {
    const [a, b, c, d] = [1, 2, 3, 4].map((value) => runtime.buffer(new Uint32Array(16).fill(value)))
    if (!a || !b || !c || !d) throw new Error('no buffers')
    void runtime.run(fill, { out: a, n: 16, value: 7 })
    const wrong = runtime.run(combine, { p: a, q: foreign, out: b, n: 16, shift: 0 })
    void runtime.run(affine, { x: b, y: c, n: 16, a: 1, b: 1 }) // from what was not written
    void runtime.run(affine, { x: a, y: d, n: 16, a: 2, b: 1 }) // from what was
    await rejects('dispatch-failed', /^dispatch-failed: 'combine' \(variant 'portable[^']*'\): /, () => wrong)
    await rejects('dispatch-failed', "'combine'", () => b.read())
    await rejects('dispatch-failed', "'combine'", () => c.read())
    expect([...(await d.read(Uint32Array, { size: 8 }))]).toEqual([15, 15])
    await rejects('dispatch-failed', "'combine'", () => runtime.idle())
    await runtime.idle()
    // what is overwritten is good again
    await runtime.run(fill, { out: b, n: 16, value: 1 })
    await runtime.run(affine, { x: b, y: c, n: 16, a: 1, b: 1 })
    expect([...(await c.read(Uint32Array, { size: 4 }))]).toEqual([2])
  })

  it('[case-R34] are told apart when ten compilations and their dispatches overlap, and only one of them is wrong', async () => {
    const variants = Array.from({ length: 10 }, (_, i) => ({
      ...affine,
      name: `affine${i}`,
      variants: affine.variants.map((v) => ({
        ...v,
        wgsl: v.wgsl.replace(/\* params\.a|\* a\b/, i === 3 ? '* missing' : `* ${i}u * params.a`),
      })),
    }))
    expect(new Set(variants.map(({ variants: [first] }) => first?.wgsl)).size).toBe(10)
    const x = runtime.buffer(counting(4, 1))
    const ys = variants.map(() => runtime.buffer(Uint32Array, 4))
    const settled = await Promise.allSettled(
      variants.map((kernel, i) => runtime.run(kernel, { x, y: ys[i], n: 4, a: 1, b: i } as never)),
    )
    expect(settled.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([3])
    const { reason } = settled[3] as PromiseRejectedResult
    expect(String(reason)).toMatch(
      /compile-failed: 'affine3' \(variant '[^']*'\): .*missing[\s\S]*at [^\n]*tests\/runtime\/kernels\.ts:\d+:\d+[\s\S]*WGSL line \d+/,
    )
    for (const [i, y] of ys.entries()) {
      if (i === 3) await rejects('compile-failed', "'affine3'", () => y.read())
      else expect([...(await y.read())]).toEqual([1, 2, 3, 4].map((v) => v * i + i))
    }
    await rejects('compile-failed', "'affine3'", () => runtime.idle())
  })

  it('compile-failed is told again at each use, and does not poison the cache', async () => {
    const broken = {
      ...fill,
      variants: fill.variants.map((v) => ({
        ...v,
        wgsl: v.wgsl.replace('= value', '= values').replace('= params.value', '= params.values'),
      })),
    }
    const out = runtime.buffer(Uint32Array, 1)
    for (let i = 0; i < 2; i++)
      await rejects('compile-failed', "'fill'", () => runtime.run(broken, { out, n: 1, value: 1 }))
    await rejects('compile-failed', "'fill'", () => runtime.load(broken).compile())
    await runtime.run(fill, { out, n: 1, value: 4 })
    expect([...(await out.read())]).toEqual([4])
    await runtime.idle().catch(() => undefined)
  })
})

describe.skipIf(missing('dawn') !== undefined)('out of memory', () => {
  it('is told by whatever needs the buffer that there was no memory for, and by nothing else', async () => {
    const { device, refuse, close } = await tamperedDevice()
    const runtime = await wrap({ device })
    const small = runtime.buffer(counting(16))
    refuse(1_000_000, 'out-of-memory', 'not enough memory left')
    const big = runtime.buffer(Uint32Array, 1_000_000, { label: 'activations' })
    const out = runtime.buffer(Uint32Array, 16)
    const says =
      /^out-of-memory: the device gave no buffer of 4,?000,?000 bytes \('activations'\): not enough memory left/
    void runtime.run(affine, { x: big, y: out, n: 16, a: 1, b: 1 })
    await rejects('out-of-memory', says, () => big.read())
    await rejects('out-of-memory', says, () => out.read())
    await rejects('out-of-memory', says, () => runtime.idle())
    await runtime.run(affine, { x: small, y: out, n: 16, a: 2, b: 0 })
    expect([...(await out.read())]).toEqual([...counting(16)].map((v) => 2 * v))
    big.destroy()
    await runtime.idle()
    runtime.destroy()
    close()
  })
})
