import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driverOf } from '../engines/install.js'
import { type Folder, folder, scaleSource, weft, weftHere } from './weft.js'

let at: Folder
beforeAll(() => {
  const references = `
export const references = {
  scale: ({ x, factor }: { x: ArrayLike<number>; factor: number }) => Array.from(x, (v) => v * factor),
  wrong: { run: ({ x }: { x: ArrayLike<number> }) => ({ y: Array.from(x, (v) => v + 1) }), tolerance: 0.01 },
}
`
  at = folder({
    'scale.ts': scaleSource() + references,
    'two.ts': `${scaleSource()}${scaleSource('wrong').split('\n').slice(3).join('\n')}${references}`,
    'bad.ts': scaleSource('bad').replace('x.at(i).mul(factor)', 'x.at(i).mul(n)'),
    'none.ts': 'export const nothing = 1\n',
    'subgroups.ts': `import { d, input, kernel, output } from '@weft/dsl'
export const sums = kernel('sums', {
  workgroupSize: [64],
  bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
  params: { n: d.u32 },
  variants: { subgroups: ['subgroups'], portable: [] },
  workgroups: () => [1],
}, ({ x, y, n }, k) => {
  const value = k.let('value', k.when(k.localIndex.lt(n), () => x.at(k.localIndex), 0))
  const shown = k.variant === 'subgroups' ? k.subgroupAdd(value) : value
  k.if(k.localIndex.lt(n), () => y.at(k.localIndex).set(shown))
})
`,
  })
})
afterAll(() => at.dispose())

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

describe('weft', () => {
  it('lists its commands and exit codes; each has its own help; both exit with 0', async () => {
    const { code, stdout } = await weft(['--help'], at.path)
    expect(code).toBe(0)
    for (const text of [
      'gen',
      'show',
      'run',
      'explain',
      'tune',
      'doctor',
      'Exit codes: 0 ',
      '1 a check failed',
      '2 the command line is wrong',
    ])
      expect(stdout).toContain(text)
    for (const command of ['gen', 'show', 'run', 'explain', 'tune', 'doctor']) {
      const help = await weftHere([command, '--help'], at.path)
      expect({ code: help.code, starts: help.stdout.startsWith(`weft ${command}`) }).toEqual({ code: 0, starts: true })
    }
  })

  it('prints its version', async () => {
    expect(await weft(['--version'], at.path)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  it.each([
    [[], ''],
    [
      ['nothing'],
      "weft: there is no command 'nothing'; there are gen, show, run, explain, tune, doctor\n  note: weft --help",
    ],
    [['shw'], "weft: there is no command 'shw', did you mean 'show'?"],
    [['show', 'scale.ts', '--tagret', 'ir'], "there is no option '--tagret', did you mean '--target'?"],
    [['show', 'scale.ts', '--target', 'wgls'], 'expected wgsl, msl, hlsl, ir, layouts, did you mean'],
    [['gen'], 'which files?'],
    [['gen', 'nothing/*.ts'], 'no file matches nothing/*.ts'],
    [['gen', 'scale.ts', '--watch'], "there is no option '--watch'"],
    [
      ['gen', 'scale.ts', '--profile', 'opera'],
      "--profile is 'opera', expected any, baseline, chrome, firefox, safari",
    ],
    [
      ['run', 'scale.ts', '--n', '4', '--factor', '2', '--x', 'file:/nope', '--y', 'zeros:4', '--engine', 'cpu'],
      "--x is the content of '/nope', which cannot be read: ENOENT",
    ],
    [['show'], 'the first argument is a kernel'],
    [['show', 'missing.ts'], "there is no file 'missing.ts'"],
    [['show', 'two.ts'], "'two.ts' exports several kernels: two.ts#scale, two.ts#wrong"],
    [['show', 'scale.ts', '--target', 'glsl'], "--target is 'glsl', expected wgsl, msl, hlsl, ir, layouts"],
    [['show', 'scale.ts', '--target', 'wgsl', '--pass', 'cse'], '--pass shows the IR'],
    [['show', 'scale.ts', '--pass', 'magic'], "--pass is 'magic', expected source, "],
    [['run', 'scale.ts', '--n', '4'], '--factor is missing, as --factor 0.5'],
    [
      ['run', 'scale.ts', '--n', 'many', '--factor', '1', '--x', 'ones:4', '--y', 'zeros:4'],
      "n is 'many', expected a number",
    ],
    [
      ['run', 'scale.ts', '--n', '4', '--factor', '1', '--x', 'twos:4', '--y', 'zeros:4'],
      "--x is 'twos:4', expected zeros:COUNT",
    ],
    [
      ['run', 'scale.ts', '--n', '4', '--factor', '1', '--x', 'ones', '--y', 'zeros:4'],
      '--x is an array of any length',
    ],
    [['run', 'scale.ts', '--z', '4'], "there is no option '--z'; 'scale' has --x, --y, --n, --factor"],
    [
      ['run', 'scale.ts', '--N', '4'],
      "there is no option '--N', did you mean '--n'?; 'scale' has --x, --y, --n, --factor",
    ],
    [
      ['run', 'scale.ts', '--arg', 'facotr=4'],
      "no param or binding 'facotr', did you mean 'factor'?; it has x, y, n, f",
    ],
  ])('exits with 2 for %j', async (args, message) => {
    const { code, stderr } = await weftHere(args, at.path)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('gives errors as one JSON document too', async () => {
    const usage = await weft(['show', 'missing.ts', '--json'], at.path)
    expect({ code: usage.code, ...json(usage.stdout) }).toMatchObject({ code: 2, ok: false, error: { code: 'usage' } })
    const none = await weft(['show', 'none.ts', '--json'], at.path)
    expect({ code: none.code, ...json(none.stdout) }).toMatchObject({
      code: 1,
      ok: false,
      error: { code: 'no-kernel' },
    })
    const bad = await weft(['show', 'bad.ts', '--json'], at.path)
    expect({ code: bad.code, ...json(bad.stdout) }).toMatchObject({
      code: 1,
      ok: false,
      error: { diagnostics: [{ position: { file: `${at.path}/bad.ts`, line: 13 } }] },
    })
  })
})

describe('weft show', () => {
  const show = async (...args: string[]) => {
    const { code, stdout, stderr } = await weftHere(['show', ...args], at.path)
    expect(code, stderr).toBe(0)
    return stdout
  }

  it('prints WGSL, by default with params in a uniform block, or of a variant', async () => {
    expect(await show('scale.ts')).toContain('@compute @workgroup_size(64)\nfn main(')
    expect(await show('two.ts#wrong')).toContain('var<uniform> params: Params')
    expect(await show('scale.ts', '--variant', 'portable+immediates')).toContain('var<immediate> params: Params')
    expect(await show('subgroups.ts')).toContain('enable subgroups;')
    expect(await show('subgroups.ts', '--variant', 'portable')).not.toContain('subgroup')
    expect((await weft(['show', 'scale.ts', '--variant', 'fast'], at.path)).stderr).toContain(
      "unknown-name: there is no variant 'fast'",
    )
  })

  it('prints the IR as it was built, after one pass, and after each', async () => {
    expect(await show('scale.ts', '--target', 'ir')).toMatch(/^kernel scale portable \[64, 1, 1\]\n/)
    expect(await show('scale.ts', '--pass', 'cse')).toContain('launch ceilDiv(n, 64)')
    const all = await show('scale.ts', '--pass', 'all')
    expect(all).toContain('// source\nkernel scale')
    expect(all).toMatch(/\/\/ cse\n(\/\/ unchanged|kernel)/)
  })

  it('prints layouts as JSON, MSL and HLSL', async () => {
    expect(json(await show('scale.ts', '--target', 'layouts'))).toMatchObject({
      layouts: [
        {
          entries: [
            { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
            { binding: 1 },
            { binding: 2, buffer: { type: 'uniform', minBindingSize: 16 } },
          ],
        },
      ],
      slots: [
        { name: 'x', group: 0, binding: 0 },
        { name: 'y', group: 0, binding: 1 },
      ],
    })
    expect(await show('scale.ts', '--target', 'msl')).toContain('#include <metal_stdlib>')
    expect(await show('scale.ts', '--target', 'hlsl')).toContain('[numthreads(64, 1, 1)]')
    expect(await show('subgroups.ts', '--target', 'msl')).toContain('simd_sum')
  })

  it('gives all of it as JSON', async () => {
    expect(json(await show('scale.ts', '--json'))).toMatchObject({
      ok: true,
      kernel: 'scale',
      target: 'wgsl',
      variant: 'portable',
      text: expect.stringContaining('fn main('),
    })
  })
})

it('weft explain says what a kernel needs', async () => {
  const { code, stdout } = await weft(['explain', 'subgroups.ts'], at.path)
  expect(code).toBe(0)
  expect(stdout).toContain('needs the device feature subgroups')
})

describe('weft run', () => {
  const given = ['--n', '100', '--factor=-0.5', '--x', 'random:100:7', '--y', 'zeros:100']

  it('runs on the interpreter, prints what was written, and compares with the reference of the module', async () => {
    const { code, stdout, stderr } = await weft(['run', 'scale.ts', ...given, '--engine', 'cpu'], at.path)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('scale on weft interpreter')
    expect(stdout).toMatch(/ok y against the reference: largest error 0\.00/)
  })

  it('takes a reference of another file', async () => {
    at.write('reference.ts', 'export const twice = ({ x }: { x: ArrayLike<number> }) => Array.from(x, (v) => v * 2)\n')
    const args = [
      'run',
      'scale.ts',
      '--n',
      '4',
      '--factor',
      '2',
      '--x',
      'iota:4',
      '--y',
      'zeros:4',
      '--engine',
      'cpu',
      '--reference',
    ]
    expect((await weftHere([...args, 'reference.ts#twice'], at.path)).code).toBe(0)
    expect((await weftHere([...args, 'reference.ts#thrice'], at.path)).stderr).toContain(
      'expected one of reference.ts#twice',
    )
  })

  it('exits with 1 where the result is beyond the tolerance', async () => {
    const { code, stdout } = await weft(['run', 'two.ts#wrong', ...given, '--engine', 'cpu', '--json'], at.path)
    expect(code).toBe(1)
    expect(json(stdout)).toMatchObject({
      ok: false,
      kernel: 'wrong',
      engine: 'cpu',
      comparisons: [{ output: 'y', tolerance: 0.01, ok: false }],
    })
    expect(
      (await weft(['run', 'two.ts#wrong', ...given, '--engine', 'cpu', '--tolerance', '1000'], at.path)).code,
    ).toBe(0)
  })

  it.skipIf(driverOf('dawn') === undefined)(
    'runs on WebGPU and compares with the interpreter: the same numbers, seeded',
    async () => {
      const gpu = json(
        (await weft(['run', 'scale.ts', ...given, '--engine', 'webgpu', '--check', '--json'], at.path)).stdout,
      )
      expect(gpu).toMatchObject({
        ok: true,
        engine: 'webgpu',
        comparisons: [{ against: 'the reference' }, { against: 'the interpreter', maxError: 0 }],
      })
      const cpu = json((await weft(['run', 'scale.ts', ...given, '--engine', 'cpu', '--json'], at.path)).stdout)
      expect(cpu.outputs).toEqual(gpu.outputs)
    },
  )

  it('reads bytes from a file, names what is out of range, and refuses a param that does not fit', async () => {
    at.write('x.bin', '\0\0\0\0\0\0\0\0')
    const { stdout, stderr: warning } = await weft(
      [
        'run',
        'scale.ts',
        '--n',
        '3',
        '--factor',
        '3',
        '--x',
        'file:x.bin',
        '--y',
        'ones:2',
        '--engine',
        'cpu',
        '--json',
      ],
      at.path,
    )
    expect(json(stdout)).toMatchObject({ outputs: { y: { preview: [0, 0] } } })
    expect(warning).toMatch(
      /^weft run: 'scale' reads 'x' at .*scale\.ts:\d+:\d+ at index 2, out of range of its 2 elements\n$/,
    )
    const { code, stderr } = await weft(
      ['run', 'scale.ts', '--n=-2', '--factor', '3', '--x', 'ones:2', '--y', 'ones:2', '--engine', 'cpu'],
      at.path,
    )
    expect({ code, text: stderr.includes("bad-param: 'scale': the param 'n' is -2") }).toEqual({ code: 1, text: true })
  })
})

describe('weft doctor', () => {
  it('lists packages, the adapter, and what each missing thing costs', async () => {
    const { code, stdout } = await weft(['doctor'], at.path)
    expect(code).toBe(0)
    expect(stdout).toContain(`node      ${process.version}`)
    expect(stdout).toContain('found     naga-wasm')
    expect(stdout).toMatch(/costs: .*\n {2}get it: /)
  })

  it('gives it as JSON', async () => {
    const report = json((await weft(['doctor', '--json'], at.path)).stdout)
    expect(report).toMatchObject({
      ok: true,
      node: process.version,
      naga: true,
      packages: { webgpu: expect.any(String) },
    })
    if (driverOf('dawn') !== undefined)
      expect(report.webgpu).toMatchObject({
        available: true,
        software: expect.any(Boolean),
        limits: expect.any(Object),
      })
  })
})
