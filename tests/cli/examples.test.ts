import { describe, expect, it } from 'vitest'
import { attentionBound, check, matmulBound } from '../../examples/lib/bounds'
import { driverOf } from '../engines/install.js'
import { root, run } from './weft.js'

const VK = { VK_ICD_FILENAMES: driverOf('dawn') ?? '' }
const example = (name: string) => run(process.execPath, ['scripts/run-ts.mjs', `examples/${name}.ts`], root, VK)

describe('the demo', () => {
  const SAID = [
    /^adapter: .+$/m,
    /^matmul 512 × 384 × 640$/m,
    /^attention, causal: 2 batches, 8 heads, 2 key and value heads, 257 tokens, head size 64$/m,
    /WGSL {7}\S+matmul\S*\.wgsl/,
    /WGSL {7}\S+attention\S*\.wgsl/,
    /both are right/,
  ]

  it('runs on the interpreter with WEFT_DEVICE=cpu, within 30 s, and is right', async () => {
    const start = performance.now()
    const { code, stdout, stderr } = await run(process.execPath, ['scripts/demo.mjs'], root, { WEFT_DEVICE: 'cpu' })
    expect(code, stdout + stderr).toBe(0)
    expect(performance.now() - start).toBeLessThan(30_000)
    expect(stdout).toMatch(/^engine: interpreter$/m)
    for (const text of SAID) expect(stdout).toMatch(text)
  })

  it('falls back to the interpreter by itself where there is no adapter', async () => {
    const { code, stdout, stderr } = await run(process.execPath, ['scripts/demo.mjs'], root, {
      VK_ICD_FILENAMES: '/nothing.json',
    })
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/^no WebGPU here \(.+\), so:\nengine: interpreter$/m)
  })

  it.skipIf(driverOf('dawn') === undefined)('runs on WebGPU and labels a software adapter', async () => {
    const { code, stdout, stderr } = await run(process.execPath, ['scripts/demo.mjs'], root, VK)
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/^engine: WebGPU$/m)
    expect(stdout).toMatch(/^adapter: SwiftShader.+\(software: /m)
    for (const text of SAID) expect(stdout).toMatch(text)
  })

  it('refuses another device', async () => {
    expect(await run(process.execPath, ['scripts/demo.mjs'], root, { WEFT_DEVICE: 'tpu' })).toMatchObject({ code: 2 })
  })
})

describe('the bounds of the demo', () => {
  it('of a product: γ(k + 1) · Σ |a|·|b|, per element', () => {
    const { bound } = matmulBound(Float64Array.of(0), { a: [1, -2], b: [2, 1], m: 1, n: 1, k: 2 })
    expect(bound[0]).toBeCloseTo(3 * 2 ** -24 * 4, 12)
  })

  it('are exceeded by an error above them, by NaN, and not by one below', () => {
    const expected = { expected: Float64Array.of(1, 2), bound: Float64Array.of(0.1, 0.1), what: '' }
    expect(check([1.05, 2], expected)).toMatchObject({
      ok: true,
      maxError: expect.closeTo(0.05) as number,
      worst: expect.closeTo(0.5) as number,
    })
    expect(check([1, 2.2], expected).ok).toBe(false)
    expect(check([1, Number.NaN], expected)).toEqual({ maxError: Infinity, worst: Infinity, ok: false })
    expect(() => check([1], expected)).toThrow('1 elements, expected 2')
  })

  it('of attention notice a wrong weight', () => {
    const sizes = {
      batch: 1,
      heads: 1,
      kvHeads: 1,
      queries: 1,
      keys: 2,
      headSize: 1,
      causal: false,
      q: [1],
      k: [1, 1],
      v: [1, 3],
    }
    const checked = attentionBound(Float64Array.of(2), sizes)
    expect(check([2.00001], checked).ok).toBe(true)
    expect(check([2.001], checked).ok).toBe(false)
  })
})

describe('the examples run', () => {
  it('author.ts', async () => {
    const { code, stdout, stderr } = await example('author')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('fn silu(x: f32) -> f32')
  })

  it('library.ts', async () => {
    const { code, stdout, stderr } = await example('library')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('row 3: Σ p = 1.0000')
  })

  it.skipIf(driverOf('dawn') === undefined)('generated.ts', async () => {
    const { code, stdout, stderr } = await example('generated')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^variant portable\S* on .*: 4 5 10 11$/m)
  })
})
