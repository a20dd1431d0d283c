import { readdirSync, readFileSync } from 'node:fs'
import { type CompiledKernel, compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { verdicts } from '@weft/kernels'
import { kernelSource } from '@weft/kernels/source'
import { createRuntime, type Runtime } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { plainest } from '../../packages/kernels/src/plainest.js'
import { missing } from '../engines/install.js'
import { type Verified, verified, worst } from './verified.js'

/** `verify: true` of all functions but products of matrices, which have a test of their own: on the CPU, which has every feature. */

const compiled = new Map<string, CompiledKernel | undefined>()
function kernelOf(name: string): CompiledKernel | undefined {
  if (!compiled.has(name)) {
    const source = kernelSource(name)
    compiled.set(name, source && compile(source))
  }
  return compiled.get(name)
}

const unneeded = new Set(['shader-f16', 'immediate_address_space'])
const needsMore = ({ variants }: CompiledKernel): boolean =>
  variants.every(({ needs }) => [...needs.features, ...needs.languageFeatures].some((name) => !unneeded.has(name)))

/** The CPU, which says of itself that it has the subgroup matrices that kernels are written for. */
async function open(): Promise<Runtime> {
  const runtime = await createRuntime({ device: cpu() })
  const info = { ...runtime.info, subgroupMatrices: ['f16 f32 16x16x16'] }
  return new Proxy(runtime, {
    get: (_, key) => {
      const value: unknown = key === 'info' ? info : Reflect.get(runtime, key)
      return typeof value === 'function' ? value.bind(runtime) : value
    },
  })
}

/** A kernel that needs features, or has a variant that does, with a change of the text of that; others as they are. */
function changed(name: string, change: (ir: string) => string | undefined): CompiledKernel | undefined {
  const kernel = kernelOf(name)
  if (!kernel || (plainest(kernel) === kernel && !needsMore(kernel))) return kernel
  const plain = needsMore(kernel) ? [] : plainest(kernel).variants.map(({ source }) => source)
  const ir = Object.fromEntries(
    Object.entries(kernel.ir ?? {}).flatMap(([variant, text]) => {
      const other = plain.includes(variant) ? text : change(text)
      return other === undefined ? [] : [[variant, other]]
    }),
  )
  return { ...kernel, hash: `changed ${kernel.hash}`, ir }
}

const refused = new Set<string>()

describe('what cannot be used', () => {
  it.each(verified)('$name: the portable kernel computes it', async ({ run }) => {
    using runtime = await open()
    // without the text of the variant, it cannot be compiled
    const found = await run(runtime, { kernels: (name) => changed(name, () => undefined), verify: true })
    expect(worst(found)).toBeLessThanOrEqual(1)
    const told = verdicts(runtime)
    expect(told.length).toBeGreaterThan(0)
    for (const { kernel, ok, error, because } of told) {
      expect({ ok, error }).toEqual({ ok: false, error: null })
      expect(because).toContain('carries no IR')
      refused.add(kernel)
    }
  })

  it.each(['dkv', 'rows'])(
    'attention backward on subgroup matrices: all three launches are given up for %s',
    async (what) => {
      using runtime = await open()
      const name = `attention_backward_matrix_${what}_64_f16`
      const kernels = (asked: string) => (asked === name ? changed(asked, () => undefined) : kernelOf(asked))
      const { run } = verified.find((one) => one.name === 'attentionBackward 64 f16') as Verified
      expect(worst(await run(runtime, { kernels, verify: true }))).toBeLessThanOrEqual(1)
      // the first that is tried with it is blamed
      const blamed = verdicts(runtime).find(({ ok }) => !ok)
      expect(blamed?.kernel).toMatch(/^attention_backward_matrix_/)
      expect(blamed?.because).toContain(`'${name}' carries no IR`)
      for (const headSize of [64, 128]) refused.add(`attention_backward_matrix_${what}_${headSize}_f16`)
    },
  )

  it('is every kernel that needs features, or has a variant that does', () => {
    const own = ['matmul', 'matmul-fast', 'matmul-int8', 'attention']
    const generated = new URL('../../packages/kernels/generated/', import.meta.url)
    const names = readdirSync(generated).flatMap((family) => {
      const { kernels } = JSON.parse(readFileSync(new URL(`${family}/manifest.json`, generated), 'utf8')) as {
        kernels: CompiledKernel[]
      }
      const some = kernels.filter((kernel) => plainest(kernel) !== kernel || needsMore(kernel))
      return own.includes(family) ? [] : some.map(({ name }) => name)
    })
    // products with 16,384 rows of weights and more: their trial is that of `few`; and those of blocks that are always read by lines
    const left = names.filter((name) => !/_matrices_long_|^matvec[14]_(q4_0|q5_0|q8_0|q6_k)(_f16)?$/.test(name))
    expect(left.filter((name) => !refused.has(name))).toEqual([])
    expect(left.length).toBeGreaterThan(150)
  })
})

describe('what is right', () => {
  it.each(verified.filter(({ heavy }) => !heavy || process.env.WEFT_FULL === '1'))(
    '$name: passes its trial',
    async ({ run }) => {
      using runtime = await open()
      const found = await run(runtime, { kernels: kernelOf, verify: true })
      expect(worst(found)).toBeLessThanOrEqual(1)
      expect(verdicts(runtime).filter(({ ok }) => !ok)).toEqual([])
      expect(verdicts(runtime).length).toBeGreaterThan(0)
    },
  )
})

/** Other operations that have the same operands. */
const OTHER: Readonly<Record<string, string>> = {
  subgroupAdd: 'subgroupMax',
  subgroupMax: 'subgroupMin',
  subgroupMin: 'subgroupMax',
  subgroupExclusiveAdd: 'subgroupAdd',
  exp: 'sin',
  exp2: 'sin',
}
const spoiled = (ir: string): string =>
  ir
    .replace(/"(subgroup(?:Add|Max|Min|ExclusiveAdd)|exp2?)"/g, (_, op: string) => `"${OTHER[op] as string}"`)
    // a packed dot product of a word with itself
    .replace(/("op":"dot4I8Packed","args":\[)([^,]*),[^,]*\]/g, '$1$2,$2]')

describe('what is wrong', () => {
  const named = (name: string): Verified => verified.find((one) => one.name === name) as Verified
  it.each([
    ['attentionBackward f32', 'attention_backward_rows'],
    ['attentionBackward 64 f16', 'attention_backward_matrix_dq_64_f16'],
    ['attentionDecode 64 f32 f32', 'decode_stream_64'],
    ['attentionDecode 40 f32 f16 with lengths', 'decode_split_lengths_f16_cache'],
    ['attentionUnfused f32', 'attention_weights'],
    ['quantizedMatmul int8 1 by lines f32', 'matvec1_int8_lines'],
    ['quantizedMatmul int4_zeros 3 f16', 'matvec4_int4_zeros_f16'],
    ['blockMatmul q4_0 3 by lines f32', 'matvec4_q4_0_lines'],
    ['dynamicMatmul int4 f32', 'matmul_dynamic_int4'],
    ['quantize f32', 'choose_params'],
    ['softmax narrow f32', 'softmax_short'],
    ['logSoftmaxBackward wide f16', 'log_softmax_backward_f16'],
    ['crossEntropy f32', 'cross_entropy'],
    ['rmsnorm narrow f32', 'rmsnorm_short'],
    ['layernormBackward 76 f32', 'layernorm_backward_rows_1024'],
    ['groupnorm f16', 'groupnorm_f16'],
    ['reduce argmax f32', 'argmax_rows'],
    ['reduce all', 'all_rows'],
    ['scan by tiles', 'scan_apply'],
    ['scan in one pass', 'scan_once'],
    ['scan of u32 in one pass', 'scan_once_u32'],
    ['sortPairs', 'radix_scatter_32'],
  ])('[prior-R19] %s: %s is refused by its numbers, and the portable kernel computes it', async (name, kernel) => {
    using runtime = await open()
    const kernels = (asked: string) => (asked === kernel ? changed(asked, spoiled) : kernelOf(asked))
    const { run } = named(name)
    expect(worst(await run(runtime, { kernels }))).toBeGreaterThan(1)
    expect(verdicts(runtime)).toEqual([])
    expect(worst(await run(runtime, { kernels, verify: true }))).toBeLessThanOrEqual(1)
    expect(verdicts(runtime).filter(({ ok }) => !ok)).toMatchObject([
      { kernel, error: expect.any(Number), because: expect.stringContaining('expected') },
    ])
  })

  it('[prior-R19] blocks: subgroup matrices that decode another format are refused, and tiles compute the product', async () => {
    using runtime = await open()
    const [name, other] = ['matmul_q4_0_matrices_few_f16', 'matmul_q5_0_matrices_few_f16']
    const kernels = (asked: string) => {
      const kernel = kernelOf(asked === name ? other : asked)
      return kernel && asked === name ? { ...kernel, name } : kernel
    }
    const { run } = named('blockMatmul q4_0 13 f16')
    expect(worst(await run(runtime, { kernels }))).toBeGreaterThan(1)
    expect(worst(await run(runtime, { kernels, verify: true }))).toBeLessThanOrEqual(1)
    expect(verdicts(runtime)).toMatchObject([{ kernel: name, ok: false, because: expect.stringContaining('expected') }])
  })
})

const why = missing('dawn')
describe.skipIf(why !== undefined)(`what ships, on Dawn${why ? ` (${why})` : ''}`, () => {
  it.each([
    'attentionBackward f32',
    'attentionDecode 64 f32 f32',
    'attentionDecode 40 f32 f32 with lengths',
    'blockMatmul q8_0 1 by lines f32',
    'quantizedMatmul int4 3 by lines f32',
    'dynamicMatmul int8 f32',
    'logSoftmax wide f32',
    'layernormBackward 76 f32',
    'crossEntropy f32',
    'reduce variance f32',
    'scan by tiles',
  ])('%s: what the device has passes its trial', async (name) => {
    using runtime = await createRuntime()
    const { run } = verified.find((one) => one.name === name) as Verified
    expect(worst(await run(runtime, { verify: true }))).toBeLessThanOrEqual(1)
    expect(verdicts(runtime).filter(({ ok }) => !ok)).toEqual([])
    const { info } = runtime
    if (info.features.includes('subgroups') && info.languageFeatures.includes('subgroup_id'))
      expect(verdicts(runtime).length).toBeGreaterThan(0)
  })
})
