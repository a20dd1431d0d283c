import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompiledKernel } from '../../packages/codegen/src/artifact'
import { f16Bits, roundF16 } from '../../packages/dsl/src/types'
import { artifact } from '../../packages/kernels/generated/matmul-plain/matmul'
import type { TypedKernel } from '../../packages/runtime/src/index'
import { driverOf, missing } from '../engines/install.js'
import { root, run, weft } from './weft.js'

const CHROMIUM = '/usr/bin/chromium'
/** Sizes that no tile divides. */
const SIZES = [70, 50, 33] as const

/** A folder with generated modules and no weft package, nothing but the types of WebGPU. */
let alone: string
beforeAll(async () => {
  alone = realpathSync(mkdtempSync(join(tmpdir(), 'weft-alone-')))
  mkdirSync(join(alone, 'node_modules/@webgpu'), { recursive: true })
  symlinkSync(join(root, 'node_modules/@webgpu/types'), join(alone, 'node_modules/@webgpu/types'))
  const { code, stderr } = await weft(['gen', 'tests/cli/fixtures/forms.ts', '--out', alone], root)
  expect(code, stderr).toBe(0)
  cpSync(join(root, 'packages/kernels/generated/matmul-plain/matmul.ts'), join(alone, 'matmul.ts'))
})
afterAll(() => rmSync(alone, { recursive: true, force: true }))

const javascript = (name: string): string =>
  transformSync(readFileSync(join(alone, `${name}.ts`), 'utf8'), { loader: 'ts', format: 'esm', target: 'es2022' }).code

describe('a generated module', () => {
  it('imports nothing', () => {
    for (const name of ['matmul', 'in_place', 'params', 'lengths', 'free', 'image']) {
      expect(javascript(name), name).not.toMatch(/\bimport\b|\brequire\b/)
    }
  })

  it.each([
    ['@webgpu/types', { lib: ['ES2022', 'DOM'], types: ['@webgpu/types'], skipLibCheck: true }],
    ['the DOM library', { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] }],
  ])('type-checks alone, under every strict option, with %s', async (_, options) => {
    const strict = [
      'strict',
      'noUncheckedIndexedAccess',
      'exactOptionalPropertyTypes',
      'noImplicitOverride',
      'noPropertyAccessFromIndexSignature',
      'noUnusedLocals',
      'noUnusedParameters',
      'noImplicitReturns',
      'isolatedModules',
      'verbatimModuleSyntax',
      'erasableSyntaxOnly',
      'noEmit',
    ]
    const compilerOptions = {
      target: 'ES2022',
      module: 'ESNext',
      moduleResolution: 'bundler',
      ...Object.fromEntries(strict.map((name) => [name, true])),
      ...options,
    }
    writeFileSync(join(alone, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { code, stdout } = await run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', alone],
      alone,
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('[prior-R46] an index of artifacts type-checks by the rules of Node and by those of bundlers', async () => {
    const at = realpathSync(mkdtempSync(join(tmpdir(), 'weft-index-')))
    try {
      const { code, stderr } = await weft(['gen', 'tests/cli/fixtures/forms.ts', '--artifact', '--out', at], root)
      expect(code, stderr).toBe(0)
      writeFileSync(join(at, 'package.json'), '{ "type": "module" }')
      mkdirSync(join(at, 'node_modules/@weft/codegen'), { recursive: true })
      writeFileSync(
        join(at, 'node_modules/@weft/codegen/package.json'),
        '{ "type": "module", "exports": "./index.d.ts" }',
      )
      writeFileSync(
        join(at, 'node_modules/@weft/codegen/index.d.ts'),
        'export interface CompiledKernel { readonly [name: string]: unknown }',
      )
      for (const module of ['nodenext', 'bundler']) {
        const compilerOptions = {
          target: 'ES2022',
          module: module === 'bundler' ? 'ESNext' : module,
          moduleResolution: module,
          strict: true,
          noEmit: true,
          types: [],
        }
        writeFileSync(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
        const checked = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', at], at)
        expect({ module, stdout: checked.stdout }).toEqual({ module, stdout: '' })
      }
    } finally {
      rmSync(at, { recursive: true, force: true })
    }
  })

  it('rounds f16 params as the interpreter does, ties to even, and refuses those that overflow', async () => {
    writeFileSync(join(alone, 'halves.mjs'), javascript('halves'))
    const { packParams } = (await import(/* @vite-ignore */ pathToFileURL(join(alone, 'halves.mjs')).href)) as {
      packParams(params: unknown): Uint8Array
    }
    const values = [
      0,
      -0,
      1,
      -2.5,
      65504,
      65519,
      2 ** -24,
      2 ** -25,
      2 ** -25 * 1.0001,
      2 ** -14,
      2 ** -14 - 2 ** -25,
      1 + 2 ** -11,
      1 + 3 * 2 ** -11,
      0.1,
      1e-5,
      Infinity,
      -Infinity,
    ]
    for (const value of values) {
      const bytes = packParams({ one: value, pair: [1, value] })
      const view = new DataView(bytes.buffer)
      expect([view.getUint16(0, true), view.getUint16(6, true)], String(value)).toEqual([
        f16Bits(roundF16(value)),
        f16Bits(roundF16(value)),
      ])
    }
    expect(() => packParams({ one: 65520, pair: [0, 0] })).toThrow(
      "bad-param: halves: param 'one' is 65520, which f16 cannot hold",
    )
    expect(() => packParams({ one: 1, pair: [0] })).toThrow("bad-param: halves: param 'pair' has 1 numbers, expected 2")
  })

  it('says what the device lacks of what its variants need', async () => {
    writeFileSync(join(alone, 'halves.mjs'), javascript('halves'))
    const { create } = (await import(
      /* @vite-ignore */ `${pathToFileURL(join(alone, 'halves.mjs')).href}?lacking`
    )) as {
      create(device: unknown, options?: object): Promise<unknown>
    }
    const pass = { end() {} }
    const device = {
      features: new Set(),
      limits: {},
      createCommandEncoder: () => ({ beginComputePass: () => pass, finish() {} }),
    }
    const text = (options: object) => create(device, options).then(String, (error: Error) => error.message)
    expect(await text({})).toMatch(
      /^no-variant: halves: the device does not have what portable needs shader-f16, maxComputeWorkgroupSizeX of \d+/,
    )
    expect(await text({ variant: 'portable' })).toMatch(/does not have what portable needs shader-f16, max[^;]*$/)
    expect(await text({ variant: 'other' })).toBe("no-variant: halves: there is no variant 'other', but portable")
  })

  it('gives the artifact that the runtime takes, with its signature', () => {
    const kernel: CompiledKernel = artifact
    const typed: TypedKernel<{
      bindings: { a: 'array<f32>'; b: 'array<f32>'; c: 'array<f32>' }
      params: { m: 'u32'; n: 'u32'; k: 'u32' }
    }> = artifact
    expect(JSON.parse(JSON.stringify(kernel))).toEqual(typed)
  })
})

const noDawn = missing('dawn')
describe(`on Dawn${noDawn === undefined ? '' : `: ${noDawn}`}`, () => {
  /** Runs a script beside the modules in a process that has Dawn and no weft; what it prints last is JSON. */
  async function dawn(script: string): Promise<unknown> {
    for (const name of ['matmul', 'in_place', 'params', 'lengths', 'free'])
      writeFileSync(join(alone, `${name}.mjs`), javascript(name))
    cpSync(join(root, 'tests/cli/product.js'), join(alone, 'product.mjs'))
    const open = `import { create } from ${JSON.stringify(pathToFileURL(join(root, 'node_modules/webgpu/index.js')).href)}
globalThis.gpu = create(['disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'])
const adapter = await gpu.requestAdapter()
const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features].filter((f) => f === 'subgroups') })
const errors = []
device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message))
`
    writeFileSync(
      join(alone, 'script.mjs'),
      `${open}${script}\nif (errors.length) throw new Error(errors.join())\nprocess.exit(0)\n`,
    )
    const { code, stdout, stderr } = await run(process.execPath, ['script.mjs'], alone, {
      VK_ICD_FILENAMES: driverOf('dawn') ?? '',
    })
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  it.skipIf(noDawn)('the matmul module alone computes the product, by each variant', async () => {
    const result = await dawn(`import * as matmul from './matmul.mjs'
import { product } from './product.mjs'
const sizes = ${JSON.stringify(SIZES)}
console.log(JSON.stringify([await product(matmul, device, [], sizes), await product(matmul, device, gpu.wgslLanguageFeatures, sizes)]))`)
    const right = { elements: 3500, wrong: 0 }
    expect(result).toEqual([
      { variant: 'portable', ...right },
      { variant: 'portable+immediates', ...right },
    ])
  })

  it.skipIf(noDawn)(
    'dispatches of one encoder keep their own params; an alias runs in place; 0 is skipped; counts are folded',
    async () => {
      const result = await dawn(`import * as inPlace from './in_place.mjs'
const n = 70000
const x = device.createBuffer({ size: n * 4, usage: 128 | 4 | 8 })
device.queue.writeBuffer(x, 0, Float32Array.from({ length: n }, (_, i) => i % 100))
const results = []
for (const languageFeatures of [[], gpu.wgslLanguageFeatures]) {
  const kernel = await inPlace.create(device, { languageFeatures })
  const bound = kernel.bind({ x, y: x })
  const encoder = device.createCommandEncoder()
  bound.dispatch(encoder, { n, scale: 2 })
  const pass = encoder.beginComputePass()
  bound.dispatch(pass, { n: 10, scale: 8 })
  bound.dispatch(pass, { n: 0, scale: 0 })
  pass.end()
  const read = device.createBuffer({ size: n * 4, usage: 1 | 8 })
  encoder.copyBufferToBuffer(x, 0, read, 0, n * 4)
  device.queue.submit([encoder.finish()])
  await read.mapAsync(1)
  const got = new Float32Array(read.getMappedRange())
  results.push([got[3], got[13], got[69999]])
}
console.log(JSON.stringify({ results, folded: [inPlace.workgroups({ n: 64 * 65535, scale: 1 }), inPlace.workgroups({ n: 64 * 65536, scale: 1 }), inPlace.workgroups({ n: 5000, scale: 1 }, 10)] }))`)
      expect(result).toEqual({
        results: [
          [48, 26, 198],
          [3 * 16 * 16, 52, 396],
        ],
        folded: [
          [65535, 1, 1],
          [256, 256, 1],
          [9, 9, 1],
        ],
      })
    },
  )

  it.skipIf(noDawn)(
    'packs params of every type, sets overrides, reads lengths, and runs without a launch rule',
    async () => {
      const result = await dawn(`import * as params from './params.mjs'
import * as lengths from './lengths.mjs'
import * as free from './free.mjs'
const buffer = (data, usage = 128) => {
  const made = device.createBuffer({ size: data.byteLength, usage: usage | 4 | 8 })
  device.queue.writeBuffer(made, 0, data)
  return made
}
const out = buffer(new Float32Array(1)), y = buffer(new Float32Array(3)), counts = buffer(new Uint32Array(4))
const encoder = device.createCommandEncoder()
const list = Array.from({ length: 12 }, (_, i) => i)
;(await params.create(device)).bind({ out }).dispatch(encoder, { a: 1, b: -3, c: 0.5, flag: 1, v: [1, 20, 3], m: [1, 2, 3, 400, 5, 6, 7, 8, 9], list })
;(await lengths.create(device, { overrides: { size: 2, bias: 0.25 } })).bind({ x: buffer(new Float32Array([1, 2, 3])), y }).dispatch(encoder)
;(await free.create(device)).bind({ counts, settings: buffer(new Uint32Array([5, 0, 0, 0]), 64) }).dispatch(encoder, [6])
const read = device.createBuffer({ size: 32, usage: 1 | 8 })
encoder.copyBufferToBuffer(out, 0, read, 0, 4)
encoder.copyBufferToBuffer(y, 0, read, 4, 12)
encoder.copyBufferToBuffer(counts, 0, read, 16, 16)
device.queue.submit([encoder.finish()])
await read.mapAsync(1)
const got = read.getMappedRange()
console.log(JSON.stringify([...new Float32Array(got, 0, 4), ...new Uint32Array(got, 16, 4)]))`)
      expect(result).toEqual([-3 + 0.5 + 20 + 400 + 11, 1.25, 2.25, 3.25, 10, 10, 5, 5])
    },
  )

  it.skipIf(noDawn)('says what is wrong with its arguments, with a code, before anything is recorded', async () => {
    const result = await dawn(`import * as matmul from './matmul.mjs'
import * as inPlace from './in_place.mjs'
import * as lengths from './lengths.mjs'
const kernel = await matmul.create(device)
const of = (size, usage = 128) => device.createBuffer({ size, usage })
const [a, b, c] = [of(1024), of(1024), of(1024)]
const codeOf = (body) => { try { body(); return 'none' } catch (error) { return error.code + ' | ' + error.message } }
const bind = (bindings) => codeOf(() => kernel.bind(bindings))
const bound = kernel.bind({ a, b, c })
const encoder = device.createCommandEncoder()
const dispatch = (params) => codeOf(() => bound.dispatch(encoder, params))
console.log(JSON.stringify([
  bind({ a, b }), bind({ a, b, c, d: a }), bind({ a: 1, b, c }), bind({ a: of(64, 64), b, c }),
  bind({ a: { buffer: a, offset: 4 }, b, c }), bind({ a: { buffer: a, size: 2048 }, b, c }), bind({ a: { buffer: a, size: 6 }, b, c }),
  bind({ a, b, c: a }), bind({ a: { buffer: c, size: 256 }, b, c: { buffer: c, offset: 256 } }),
  dispatch({ m: -1, n: 1, k: 1 }), dispatch({ m: 1.5, n: 1, k: 1 }), dispatch({ m: 1, n: 2 ** 32, k: 1 }), dispatch({ m: 1, n: 1 }), dispatch({ m: 1, n: 1, k: 1, l: 1 }), dispatch(undefined), bind(undefined),
  codeOf(() => inPlace.packParams({ n: 1, scale: NaN })), codeOf(() => inPlace.packParams({ n: 1, scale: 1e39 })),
  await matmul.create(device, { variant: 'other' }).catch((error) => error.code),
  await lengths.create(device, { overrides: {} }).catch((error) => error.code),
  await lengths.create(device, { overrides: { bias: 1, other: 1 } }).catch((error) => error.code),
]))`)
    expect(result).toEqual([
      "missing-binding | missing-binding: matmul: 'c' (array<f32>) is missing",
      "extra-binding | extra-binding: matmul: there is no binding 'd'",
      "binding-type | binding-type: matmul: 'a' (array<f32>) is no GPUBuffer",
      "binding-type | binding-type: matmul: 'a' (array<f32>) is a buffer without STORAGE usage",
      expect.stringContaining("binding-size: matmul: 'a' (array<f32>) starts at byte 4, expected a multiple of"),
      "binding-size | binding-size: matmul: 'a' (array<f32>) is 2048 bytes from byte 0 of a buffer of 1024",
      "binding-size | binding-size: matmul: 'a' (array<f32>) has 6 bytes, expected a multiple of 4",
      "binding-overlap | binding-overlap: matmul: 'a' and 'c' overlap in one buffer, which the kernel writes",
      "binding-overlap | binding-overlap: matmul: 'a' and 'c' are parts of one buffer, which the kernel writes",
      "bad-param | bad-param: matmul: param 'm' is -1, expected a whole number from 0 to 4294967295",
      "bad-param | bad-param: matmul: param 'm' is 1.5, expected a whole number from 0 to 4294967295",
      "bad-param | bad-param: matmul: param 'n' is 4294967296, expected a whole number from 0 to 4294967295",
      "bad-param | bad-param: matmul: param 'k' is undefined, expected a whole number from 0 to 4294967295",
      "bad-param | bad-param: matmul: there is no param 'l'",
      'bad-param | bad-param: matmul: its params are undefined, expected an object',
      'extra-binding | extra-binding: matmul: its bindings are undefined, expected an object',
      "bad-param | bad-param: in_place: param 'scale' is NaN, expected a number",
      "bad-param | bad-param: in_place: param 'scale' is 1e+39, which f32 cannot hold",
      'no-variant',
      'bad-override',
      'bad-override',
    ])
  })
})

describe('in headless Chromium', () => {
  let server: Server
  beforeAll(async () => {
    const files: Readonly<Record<string, string>> = {
      '/matmul.js': javascript('matmul'),
      '/product.js': readFileSync(join(root, 'tests/cli/product.js'), 'utf8'),
    }
    server = createServer((request, response) => {
      const text = files[request.url ?? '']
      response.setHeader('content-type', text === undefined ? 'text/html' : 'text/javascript')
      response.end(text ?? '<!doctype html><title>weft</title>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void server.close())

  it.skipIf(noDawn)('the matmul module alone computes the product', async () => {
    const args = [
      '--enable-unsafe-webgpu',
      '--use-webgpu-adapter=swiftshader',
      '--enable-features=Vulkan',
      '--no-sandbox',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
    ]
    const browser = await chromium.launch({ executablePath: CHROMIUM, args })
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      const result = await page.evaluate(`(async () => {
        const [matmul, { product }] = await Promise.all([import('/matmul.js'), import('/product.js')])
        const adapter = await navigator.gpu.requestAdapter()
        const device = await adapter.requestDevice()
        const { variant, ...rest } = await product(matmul, device, undefined, ${JSON.stringify(SIZES)})
        return rest
      })()`)
      expect(result).toEqual({ elements: 3500, wrong: 0 })
    } finally {
      await browser.close()
    }
  })
})
