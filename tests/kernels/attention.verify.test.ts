import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { attention, attentionReference, type HostOptions, verdicts } from '@weft/kernels'
import { attentionForwards, attentionMatrices, attentionTileds } from '@weft/kernels/source'
import { createRuntime } from '@weft/runtime/node'
import { expect, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import { f16s, fromF16 } from '../parity/data.js'

const sources = new Map([...attentionForwards, ...attentionMatrices, ...attentionTileds].map((one) => [one.name, one]))
const kernels: NonNullable<HostOptions['kernels']> = (name) => {
  const source = sources.get(name)
  return source && compile(source)
}

/** Kernels as they ship, but for the exponentials of the fast ones, which are sines. */
const spoiled: typeof kernels = (name) => {
  const compiled = kernels(name)
  if (!compiled || !/matrix|tiled/.test(name)) return compiled
  const ir = Object.fromEntries(Object.entries(compiled.ir ?? {}).map(([variant, text]) => [variant, spoil(text)]))
  return { ...compiled, hash: `spoiled ${compiled.hash}`, ir }
}

function spoil(ir: string): string {
  const wrong = ir.replaceAll('"exp2"', '"sin"').replaceAll('"exp"', '"sin"')
  expect(wrong).not.toBe(ir)
  return wrong
}

it.each([
  ['f32', 'attention_tiled_64', 'attention_forward_64'],
  ['f16', 'attention_matrix_64_f16', 'attention_forward_64_f16'],
] as const)(
  '[prior-R19] with verify, the fast kernel for %s is used where it is right, and the portable one where it is wrong',
  async (type, fast, portable) => {
    using runtime = await createRuntime({ device: cpu() })
    const [heads, queries, keys, headSize] = [2, 20, 24, 64]
    const stored = (seed: number, rows: number) => {
      const values = uniform(seed, rows * headSize, -1, 1)
      return type === 'f16' ? f16s(...values) : values
    }
    const [q, k, v] = [stored(1, heads * queries), stored(2, heads * keys), stored(3, heads * keys)]
    const numbers = (x: Float32Array | Uint16Array) => (x instanceof Uint16Array ? fromF16(x) : [...x])
    const sizes = { batch: 1, heads, queries, keys, headSize }
    const expected = attentionReference({
      ...sizes,
      kvHeads: heads,
      q: numbers(q),
      k: numbers(k),
      v: numbers(v),
    }).out
    const names: string[] = []
    const error = async (by: typeof kernels, verify: boolean) => {
      names.length = 0
      using out = runtime.buffer(type === 'f16' ? new Uint16Array(expected.length) : new Float32Array(expected.length))
      const args = { q: runtime.buffer(q), k: runtime.buffer(k), v: runtime.buffer(v), out, type, ...sizes }
      const told: typeof kernels = (name) => {
        names.push(name)
        return by(name)
      }
      await attention(runtime, args, { kernels: told, verify })
      const got = numbers((await out.read()) as Float32Array | Uint16Array)
      return Math.max(
        ...Array.from(expected, (value, i) => (Number.isNaN(got[i]) ? Infinity : Math.abs((got[i] as number) - value))),
      )
    }
    expect(await error(spoiled, false)).toBeGreaterThan(0.1)
    expect(await error(spoiled, true)).toBeLessThan(0.01)
    expect(names).toContain(portable)
    expect(await error(kernels, true)).toBeLessThan(0.01)
    expect(verdicts(runtime)).toMatchObject([
      { kernel: fast, ok: false },
      { kernel: fast, ok: true, because: '' },
    ])
  },
)
