import { compile } from '@weft/codegen'
import { interpret } from '@weft/codegen/interp'
import { elementwise, kernelSources, norms, reductions, softmax } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'

/** What comparable systems took for granted of devices, by the numbers of docs/faults.md. */

/** What every device has (WebGPU specification, default limits). */
const DEFAULTS = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBuffersPerShaderStage: 8,
}

describe('reports: limits and subgroups', () => {
  it.each(kernelSources().map((source) => [source.name, source] as const))(
    '[case-S03] [case-C46] every variant of %s keeps to the limits that every device has, or that it says it counts on',
    (_, source) => {
      const most: Readonly<Record<string, number>> = { ...DEFAULTS, ...source.limits }
      for (const { needs, workgroupSize } of compile(source).variants) {
        const invocations = workgroupSize.map(Number).reduce((a, b) => a * b)
        const used = { maxComputeInvocationsPerWorkgroup: invocations, ...needs.limits }
        for (const [name, least] of Object.entries(used)) {
          if (name in most) expect(least, name).toBeLessThanOrEqual(most[name] ?? Number.NaN)
          // a device that has less is told before it compiles
          if (least > (DEFAULTS[name as keyof typeof DEFAULTS] ?? Infinity)) expect(needs.limits[name]).toBe(least)
        }
      }
    },
  )

  it('[case-C35] a fused kernel of more inputs than a device binds is refused', () => {
    for (const n of [8, 9, 12]) {
      const options = { in: new Array(n).fill('f32') as 'f32'[] }
      expect(() => elementwise('many', options, (...all) => all[0] as never)).toThrow(
        `many: at most 7 inputs and 8 buffers, got ${n} inputs and 1 output`,
      )
    }
  })

  it('[prior-R49] one line of source is one line of WGSL', () => {
    const { wgsl } = compile(elementwise('gated', (x, gate) => x.mul(gate.add(1)))).variants[0] as { wgsl: string }
    expect(wgsl).toContain('out[i] = x[i] * (y[i] + 1.0f);')
    // once for several elements at once, once for the rest, and the loops around them
    expect(wgsl.match(/\* \(/g)?.length).toBe(2)
    expect(wgsl.split('\n').length).toBeLessThan(40)
  })

  const bytes = (data: Float32Array) => new Uint8Array(data.buffer.slice(0))
  it.each([4, 8, 16, 32, 64, 128])('[case-S35] rows with subgroups of %i are what they are without', (subgroupSize) => {
    const x = uniform(1, 3 * 777, -3, 3)
    const sources = [
      ...reductions.filter(({ name }) => ['sum_rows', 'max_rows', 'argmax_rows', 'variance_rows'].includes(name)),
      ...norms.filter(({ name }) => name === 'layernorm'),
      softmax,
    ]
    for (const source of sources) {
      const values: Record<string, number> = {
        rows: 3,
        cols: 777,
        size: 777,
        n: x.length,
        scale: 1 / 777,
        inverse: 1 / 777,
        eps: 1e-5,
      }
      const [portable, subgroups] = ['portable', 'subgroups'].map((variant) => {
        const ir = source.ir(variant)
        const out = new Float32Array(x.length)
        const written = bytes(out)
        const given: Record<string, Uint8Array> = {
          x: bytes(x),
          weight: bytes(x),
          bias: bytes(x),
          y: written,
          out: written,
        }
        const bindings = Object.fromEntries(ir.bindings.map(({ name }) => [name, given[name] as Uint8Array]))
        const params = Object.fromEntries(ir.params.map(({ name }) => [name, values[name] as number]))
        interpret(ir, { bindings, params, workgroups: [3], subgroupSize })
        return source.name.startsWith('arg')
          ? [...new Uint32Array(written.buffer)]
          : [...new Float32Array(written.buffer)]
      }) as [number[], number[]]
      expect(portable.some((value) => value !== 0)).toBe(true)
      for (const [i, value] of portable.entries()) expect(subgroups[i]! - value).toBeCloseTo(0, 4)
    }
  })
})
