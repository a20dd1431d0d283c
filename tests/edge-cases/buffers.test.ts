import { compile } from '@weft/codegen'
import { ceilDiv, d, input, kernel, output } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from './devices.js'

/** Edge cases 71–73: buffers, by the rules of the runtime. */

const copy = kernel('copy', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, aliases: [['x', 'y']], workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
  const i = k.globalIndex
  k.if(i.lt(n), () => y.at(i).set(x.at(i).add(1)))
})
const inPlace = kernel('two', { workgroupSize: [1], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, workgroups: () => [1] }, ({ x, y }, k) => k.if(x.length.gt(0).and(y.length.gt(0)), () => y.at(0).set(x.at(0))))

describe('buffers, edge cases 71–73', () => {
  it('[edge-71 policy] empty buffers, sizes and offsets', () => onDevices(async (runtime) => {
    const compiled = compile(copy)
    const empty = runtime.buffer(new Float32Array(0))
    await runtime.run(compiled, { x: empty, y: empty, n: 0 } as never)
    await runtime.run(compile(inPlace), { x: empty, y: runtime.buffer(Float32Array, 1) } as never)
    const big = runtime.buffer(Float32Array, 256)
    const y = runtime.buffer(Float32Array, 4)
    await rejects('binding-size', /starts at byte 4, expected a multiple of (256|\d+)/, () => runtime.run(compiled, { x: big.range(4, 16), y, n: 4 } as never))
    await rejects('binding-size', /expected a multiple of 4/, () => runtime.run(compiled, { x: big.range(256, 6), y, n: 1 } as never))
    await runtime.run(compiled, { x: big.range(256, 16), y, n: 4 } as never)
    expect([...(await y.read())]).toEqual([1, 1, 1, 1])
  }))
  it('[edge-72 policy] one buffer, read and written: only in the declared way', () => onDevices(async (runtime) => {
    const [a, b] = [compile(copy), compile(inPlace)]
    const whole = runtime.buffer(Float32Array.from({ length: 128 }, (_, i) => i))
    await rejects('binding-overlap', 'parts of one buffer, one read and one written', () => runtime.run(a, { x: whole.range(0, 256), y: whole.range(256, 256), n: 4 } as never))
    await rejects('binding-overlap', /overlap in one buffer[\s\S]*aliases/, () => runtime.run(b, { x: whole, y: whole } as never))
    await runtime.run(a, { x: whole, y: whole, n: 128 } as never)
    expect([...(await whole.read())].slice(0, 3)).toEqual([1, 2, 3])
    await runtime.idle()
  }))
  it('[edge-73 policy] writes of any length, at any byte', () => onDevices(async (runtime) => {
    const bytes = runtime.buffer(Uint8Array.from({ length: 11 }, (_, i) => i))
    bytes.write(Uint8Array.of(100, 101, 102), 3)
    bytes.write(Uint8Array.of(200), 10)
    expect([...(await bytes.read())]).toEqual([0, 1, 2, 100, 101, 102, 6, 7, 8, 9, 200])
    expect(() => bytes.write([1, 2] as never)).toThrow('buffer-data')
    expect(() => bytes.write(new Uint8Array(12))).toThrow('do not fit')
  }))
})
