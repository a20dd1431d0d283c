import { spawnSync } from 'node:child_process'
import { compile } from '@weft/codegen'
import { bitcast, ceilDiv, d, type Expr, f32, fn, i32, input, kernel, output, u32 } from '@weft/dsl'
import { flashAttention } from '@weft/kernels/source'
import { selectVariant } from '@weft/runtime'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attentionReference } from '../../packages/kernels/src/attention/reference.js'
import { root } from '../cli/weft.js'
import { onDevices, rejects } from '../edge-cases/devices.js'
import { refuses, trial } from '../edge-cases/support.js'
import { driverOf, missing } from '../engines/install.js'
import { affine, counting, third } from './kernels.js'

/** What earlier systems paid for, as far as it is about running kernels; more of it in the other files of this folder. */

const noDawn = missing('dawn') !== undefined

describe('[prior-R05] attention over few keys', () => {
  const [heads, queries, headSize] = [2, 3, 8]
  const attention = compile(flashAttention('attention8', headSize))

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33])(
    '%i: parts of a tile that are empty add nothing',
    (keys) =>
      onDevices(async (runtime) => {
        const data = (n: number, seed: number) =>
          Float32Array.from({ length: n }, (_, i) => Math.sin(i * 12.9898 + seed))
        const [q, k, v] = [
          data(heads * queries * headSize, 1),
          data(heads * keys * headSize, 2),
          data(heads * keys * headSize, 3),
        ]
        const sizes = { batch: 1, heads, queries, keys }
        for (const causal of [false, true]) {
          const out = runtime.buffer(new Float32Array(heads * queries * headSize).fill(777))
          const [bq, bk, bv] = [q, k, v].map((array) => runtime.buffer(array))
          await runtime.run(attention, {
            q: bq,
            k: bk,
            v: bv,
            out,
            ...sizes,
            kv_heads: heads,
            causal: Number(causal),
            scale: headSize ** -0.5,
          } as never)
          const { out: expected } = attentionReference({ ...sizes, q, k, v, headSize, causal })
          // values are at most 1: a few roundings of f32 in each of at most 33 terms
          for (const [i, value] of (await out.read()).entries())
            expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-5)
        }
      }),
    60_000,
  )
})

describe('more workgroups than a dimension has', () => {
  /** Each row is a workgroup with a barrier in it, so that all of its invocations must get there. */
  const rowSums = compile(
    kernel(
      'row_sums',
      {
        workgroupSize: [4],
        bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) },
        params: { rows: d.u32 },
        workgroups: ({ rows }) => [rows],
      },
      ({ x, y, rows }, k) => {
        const partial = k.workgroup('partial', u32, 4)
        const row = k.workgroupIndex
        k.if(row.lt(rows), () => {
          partial.at(k.localIndex).set(x.at(row).add(k.localIndex))
          k.workgroupBarrier()
          k.if(k.localIndex.eq(0), () =>
            y.at(row).set(partial.at(0).add(partial.at(1)).add(partial.at(2)).add(partial.at(3))),
          )
        })
      },
    ),
  )

  it.each([65535, 65536, 65537])(
    '[prior-R15] [prior-R16] %i rows, each with a barrier, are all there, and nothing is written past them',
    (rows) =>
      onDevices(async (runtime) => {
        const x = runtime.buffer(counting(rows))
        const y = runtime.buffer(new Uint32Array(rows + 300).fill(777))
        await runtime.run(rowSums, { x, y, rows } as never)
        const all = await y.read()
        expect(all.subarray(0, rows).every((v, i) => v === 4 * i + 6)).toBe(true)
        expect(new Set(all.subarray(rows))).toEqual(new Set([777]))
      }),
    60_000,
  )

  it('[prior-R16] a barrier that some invocations do not reach is refused', () => {
    refuses(
      () =>
        compile(
          trial(({ k, u }) => {
            k.if(u.ge(3), () => k.return())
            k.workgroupBarrier()
          }),
        ),
      'divergent-barrier',
      /differ between the invocations of a workgroup/,
      'tests/runtime/',
    )
  })
})

describe('[prior-R35] packed integers', () => {
  /** The dot product of four i8 each, by the device's instruction or by shifts: which is faster depends on the device. */
  const dots = compile(
    kernel(
      'dots',
      {
        workgroupSize: [64],
        bindings: { x: input(d.arrayOf(d.u32)), y: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.i32)) },
        params: { n: d.u32 },
        variants: { instruction: ['packed-dot'], shifts: [] },
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ x, y, out, n }, k) => {
        const i = k.globalIndex
        k.if(i.lt(n), () => {
          if (k.variant === 'instruction') out.at(i).set(fn.dot4I8Packed(x.at(i), y.at(i)))
          else {
            const [a, b] = [k.let('a', bitcast(i32, x.at(i))), k.let('b', bitcast(i32, y.at(i)))]
            const products = [0, 8, 16, 24].map((at) => fn.extractBits(a, at, 8).mul(fn.extractBits(b, at, 8)))
            out.at(i).set(products.reduce((sum, product) => sum.add(product)))
          }
        })
      },
    ),
  )
  const words = (seed: number) =>
    Uint32Array.from({ length: 100 }, (_, i) => Math.imul(i + seed, 2654435761) ^ (i << 13))
  const i8 = (word: number, at: number) => (word << (24 - at)) >> 24
  const expected = words(1).map((word, i) =>
    [0, 8, 16, 24].reduce((sum, at) => sum + i8(word, at) * i8(words(2)[i] as number, at), 0),
  )

  it('give the same by the instruction and by shifts, on every device, and the caller may choose', () =>
    onDevices(async (runtime) => {
      for (const { id } of dots.variants) {
        const out = runtime.buffer(Int32Array, 100)
        await runtime.run(dots, { x: runtime.buffer(words(1)), y: runtime.buffer(words(2)), out, n: 100 } as never, {
          variant: id,
        })
        expect([...(await out.read())], id).toEqual([...new Int32Array(expected)])
      }
    }))

  it('a device without the instruction takes the shifts', () => {
    const facts = (languageFeatures: string[]) => ({
      features: new Set<string>(),
      languageFeatures: new Set(languageFeatures),
      limits: Object.assign({}, ...dots.variants.map(({ needs }) => needs.limits)) as Record<string, number>,
    })
    expect(selectVariant(dots.variants, facts([])).variant?.source).toBe('shifts')
    expect(selectVariant(dots.variants, facts(['packed_4x8_integer_dot_product'])).variant?.source).toBe('instruction')
  })

  it('bytes unpack to floats of −1 to 1 and of 0 to 1', () =>
    onDevices(async (runtime) => {
      const unpack = compile(
        kernel(
          'unpack',
          {
            workgroupSize: [1],
            bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.vec4f)) },
            workgroups: () => [1],
            guards: 'off',
          },
          ({ x, y }) => {
            y.at(0).set(fn.unpack4x8snorm(x.at(0)))
            y.at(1).set(fn.unpack4x8unorm(x.at(0)))
          },
        ),
      )
      const y = runtime.buffer(Float32Array, 8)
      await runtime.run(unpack, { x: runtime.buffer(Uint8Array.of(0, 127, 128, 255)), y } as never)
      const values = [0, 1, -1, -1 / 127, 0, 127 / 255, 128 / 255, 1]
      for (const [i, value] of (await y.read()).entries()) expect(value).toBeCloseTo(values[i] as number, 6)
    }))
})

describe.skipIf(noDawn)('[prior-R36] without the bounds checks of the device', () => {
  it('kernels compute the same, and write nothing past their end', () => {
    const env = { ...process.env, VK_ICD_FILENAMES: driverOf('dawn') }
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['scripts/run-ts.mjs', 'tests/runtime/unprotected.ts'],
      { cwd: root, encoding: 'utf8', env, timeout: 60_000 },
    )
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ wrong: 0, elements: 5 * 9 + 3 * 13 + 100, guards: 3 * 64 })
  })
})

it('[prior-R38] a device that computes on the CPU is labelled: times that were measured there mean nothing', () =>
  onDevices(async (runtime) => {
    expect(runtime.info).toMatchObject({ software: true })
  }))

describe('[prior-R45] params have one declaration, from which the layout and the packing follow', () => {
  const TYPES = {
    f32: [d.f32, 1],
    u32: [d.u32, 1],
    i32: [d.i32, 1],
    vec2f: [d.vec2f, 2],
    vec3f: [d.vec3f, 3],
    vec4f: [d.vec4f, 4],
    'array<u32, 3>': [d.arrayOf(d.u32, 3), 3],
    'array<vec2f, 2>': [d.arrayOf(d.vec2f, 2), 4],
  } as const
  type Name = keyof typeof TYPES
  const fields = fc.array(fc.constantFrom(...(Object.keys(TYPES) as Name[])), { minLength: 1, maxLength: 7 })

  it.each(fc.sample(fields, { numRuns: 12, seed: 45 }).map((names) => [names.join(' '), names] as const))(
    '%s',
    (_, names) =>
      onDevices(async (runtime) => {
        const params = Object.fromEntries(names.map((name, i) => [`p${i}`, TYPES[name][0]]))
        const echo = compile(
          kernel(
            'echo',
            {
              workgroupSize: [1],
              bindings: { y: output(d.arrayOf(d.f32)) },
              params: params as { p0: typeof d.vec4f },
              workgroups: () => [1],
              guards: 'off',
            },
            (view) => {
              let at = 0
              for (const [i, name] of names.entries())
                for (const lane of lanesOf(name, (view as unknown as Record<string, unknown>)[`p${i}`]))
                  view.y.at(at++).set(lane)
            },
          ),
        )
        const values = names.map((name, i) => Array.from({ length: TYPES[name][1] }, (_v, j) => 10 * (i + 1) + j))
        const y = runtime.buffer(Float32Array, values.flat().length)
        await runtime.run(echo, {
          y,
          ...Object.fromEntries(values.map((list, i) => [`p${i}`, list.length === 1 ? list[0] : list])),
        } as never)
        expect([...(await y.read())]).toEqual(values.flat())
      }),
  )

  /** Every number of a param, as an f32. */
  function lanesOf(name: Name, value: unknown): Expr<'f32'>[] {
    if (name.startsWith('array')) {
      const { at } = value as { at(i: number): unknown }
      const element = /array<(\w+), (\d)>/.exec(name) as RegExpExecArray
      return Array.from({ length: Number(element[2]) }, (_, i) => lanesOf(element[1] as Name, at.call(value, i))).flat()
    }
    const size = TYPES[name][1]
    return size === 1
      ? [f32(value as never)]
      : (['x', 'y', 'z', 'w'] as const)
          .slice(0, size)
          .map((lane) => (value as Record<string, Expr<'f32'>>)[lane] as Expr<'f32'>)
  }
})

describe('[prior-R47] the choice of a variant', () => {
  const FEATURES = ['shader-f16', 'subgroups', 'x']
  const some = fc.uniqueArray(fc.constantFrom(...FEATURES))
  const limit = fc.nat(3)
  const variants = fc.array(fc.record({ features: some, languageFeatures: some, limit }), { maxLength: 5 })

  it('is the first that the device can run, by every one of its needs, and none where there is none', () => {
    const [base] = third({ single: [] }).variants
    if (!base) throw new Error('no variant')
    fc.assert(
      fc.property(variants, some, some, limit, (list, features, languageFeatures, most) => {
        const made = list.map((needs, i) => ({
          ...base,
          id: `v${i}`,
          needs: {
            features: needs.features,
            languageFeatures: needs.languageFeatures,
            limits: { maxThings: needs.limit },
            alias: null,
          },
        }))
        const fits = (needs: (typeof list)[number]) =>
          needs.features.every((f) => features.includes(f)) &&
          needs.languageFeatures.every((f) => languageFeatures.includes(f)) &&
          needs.limit <= most
        const { variant, rejected } = selectVariant(made as never, {
          features: new Set(features),
          languageFeatures: new Set(languageFeatures),
          limits: { maxThings: most },
        })
        const first = list.findIndex(fits)
        expect(variant?.id ?? null).toBe(first < 0 ? null : `v${first}`)
        expect(rejected.map(({ id }) => id)).toEqual(made.slice(0, first < 0 ? undefined : first).map(({ id }) => id))
        for (const { because } of rejected) expect(because).toMatch(/^needs /)
      }),
      { seed: 47, numRuns: 300 },
    )
  })

  it('is never silently another one than the one that the caller names', () =>
    onDevices(async (runtime) => {
      const y = runtime.buffer(Uint32Array, 1)
      await rejects('no-variant', "'affine' has no variant 'fast'", () =>
        runtime.run(affine, { x: y, y, n: 1, a: 1, b: 1 }, { variant: 'fast' }),
      )
    }))
})
