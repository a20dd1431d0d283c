import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { d, f32, inout, input, kernel, output, override, type Expr } from '@weft/dsl'
import { createRuntime } from '@weft/runtime'
import { describe, expect, it } from 'vitest'
import { missing } from '../engines/install.js'
import { f32of } from '../parity/data.js'
import { DEVICES, onDevices, rejects } from './devices.js'
import { dispatch, tailed } from './dispatch-cases.js'

/** Edge cases 91–94: caches, errors, time and memory, by the rules of the runtime. */

describe('the runtime, edge cases 91–94', () => {
  it('[edge-91 policy] pipelines are cached by text, constants and layout; not by shape', () => onDevices(async (runtime) => {
    const compiled = compile(tailed)
    const x = runtime.buffer(f32of(1000, () => 1))
    const y = runtime.buffer(Float32Array, 16)
    for (const n of [1, 64, 65, 1000]) await runtime.run(compiled, { x, y, n } as never)
    expect(runtime.stats.pipelines.misses).toBe(1)
    const over = compile(kernel('over', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, overrides: { v: override(f32, 1) }, guards: 'off' }, (b) => b.y.at(0).set(b.v)))
    for (const v of [1, 2, 2, 1]) {
      await runtime.run(over, { y } as never, { workgroups: 1, overrides: { v } } as never)
      expect((await y.read())[0]).toBe(v)
    }
    expect(runtime.stats.pipelines.misses).toBe(3)
  }))
  it('[edge-91 policy] the hash of an artifact changes with everything that reaches the device', () => {
    const of = (value: number, access: 'in' | 'inout', size = 64) => compile(kernel('h', { workgroupSize: [size], bindings: { x: access === 'in' ? input(d.arrayOf(d.f32)) : inout(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, guards: 'off' }, ({ x, y }) => y.at(0).set((x as never as { at(i: number): Expr<'f32'> }).at(0).mul(value)))).hash
    expect(of(2, 'in')).toBe(of(2, 'in'))
    expect(new Set([of(2, 'in'), of(2.000017, 'in'), of(2.000021, 'in'), of(2, 'inout'), of(2, 'in', 32)]).size).toBe(5)
  })
  it.skipIf(missing('dawn') !== undefined)("[edge-92 policy] what a compiler says comes with the author's line", async () => {
    const compiled = compile(tailed)
    const broken = { ...compiled, variants: compiled.variants.map((v) => ({ ...v, wgsl: v.wgsl.replace(/tile\[local_index\] = /, 'tile[local_index] = 1u + ') })) }
    expect(broken.variants[0]?.wgsl).not.toBe(compiled.variants[0]?.wgsl)
    const runtime = await (DEVICES.find((x) => x.name === 'dawn') as (typeof DEVICES)[number]).open()
    const args = { x: runtime.buffer(Float32Array, 1), y: runtime.buffer(Float32Array, 1), n: 1 } as never
    await rejects('compile-failed', /'tailed'[\s\S]*at [^\n]*dispatch-cases\.ts:\d+:\d+[\s\S]*WGSL line \d+/, () => runtime.run(broken, args))
    await runtime.run(compiled, args)
    runtime.destroy()
    await rejects('device-lost', /./, () => runtime.run(compiled, args))
  })
  it('[edge-92 policy] every statement of the WGSL has a line of its author', () => {
    const { variants: [variant] } = compile(tailed)
    const { lines = [], files = [] } = variant?.sourceMap ?? {}
    expect(files.every((file) => file.endsWith('dispatch-cases.ts'))).toBe(true)
    const stores = (variant?.wgsl.split('\n') ?? []).flatMap((text, i) => (/^\s+(y|tile)\[.*=/.test(text) ? [lines[i]] : []))
    expect(stores.length).toBeGreaterThan(4)
    expect(stores.every((at) => at !== null && at !== undefined && at[1] > 10 && at[1] < 60)).toBe(true)
  })
  it('[edge-93 policy] timestamps are asked for where there are any, and nothing depends on them', async () => {
    const without = await createRuntime({ device: cpu() })
    expect(without.info.features).not.toContain('timestamp-query')
    await without.run(compile(tailed), { x: without.buffer(Float32Array, 1), y: without.buffer(Float32Array, 1), n: 1 } as never)
    for (const { kernel: source } of dispatch) for (const v of compile(source).variants) expect(v.needs.features).not.toContain('timestamp-query')
  })
  it('[edge-94 policy] reads of any size, and buffers beyond the limits with both numbers', () => onDevices(async (runtime) => {
    const bytes = runtime.buffer(Uint8Array.from({ length: 7 }, (_, i) => i + 1))
    expect([...(await bytes.read())]).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect([...(await bytes.read(Uint8Array, { offset: 3, size: 3 }))]).toEqual([4, 5, 6])
    const most = runtime.info.limits.maxBufferSize ?? Number.POSITIVE_INFINITY
    if (Number.isFinite(most)) expect(() => runtime.buffer({ size: most + 4 })).toThrow(/binding-limit: 'buffer' would have [\d,]+ bytes, and the device allows [\d,]+ \(maxBufferSize\)/)
  }))
})
