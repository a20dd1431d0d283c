import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpu } from '@weft/codegen/interp'
import type { TunedShape, TuningFile } from '@weft/codegen/tools'
import { createRuntime, type Runtime, selectVariant } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FILLS } from '../../packages/codegen/src/cli/run/values'
import { candidatesOf, ordered } from '../../packages/codegen/src/cli/tune/candidates'
import { type Clock, clockOf } from '../../packages/codegen/src/cli/tune/clock'
import { type Deadline, NEVER } from '../../packages/codegen/src/cli/tune/deadline'
import { deviceClassOf, Results } from '../../packages/codegen/src/cli/tune/file'
import { bytesOf, refill } from '../../packages/codegen/src/cli/tune/fill'
import { shapeLines } from '../../packages/codegen/src/cli/tune/report'
import type { Session } from '../../packages/codegen/src/cli/tune/session'
import { tuneShape } from '../../packages/codegen/src/cli/tune/shape'
import { tried } from '../../packages/codegen/src/cli/tune/sift'
import type { Timed } from '../../packages/codegen/src/tune/results'
import type { Choices, Content, Shape, Tunable } from '../../packages/codegen/src/tune/tunable'
import { bundleTune } from '../../scripts/tune.mjs'
import { bundleCli } from '../../scripts/weft.mjs'
import { driverOf } from '../engines/install.js'
import { fromF16 } from '../parity/data.js'
import { blocksOf } from '../readme/blocks.js'
import { many, scale } from './fixtures/tunables.js'
import { type Folder, folder, root, run, weft, weftHere } from './weft.js'

const FIXTURE = join(root, 'tests/cli/fixtures/tunables.ts')
const noDawn = driverOf('dawn') === undefined

/** A module with the tunables of the fixture, changed. */
const changed = (change: string): string =>
  `import { many, scale, type ScaleChoices, type ScaleShape } from '${FIXTURE}'\nexport const changed = { ${change} }\n`

let at: Folder
beforeAll(() => {
  at = folder({
    'tunables.ts': `export * from '${FIXTURE}'\n`,
    'none.ts': 'export const nothing = 1\n',
    'wrong.ts': changed('...scale, incumbent: () => ({ size: 64, times: 3 })'),
    'all-wrong.ts': changed('...scale, space: { size: [64], times: [3] }, incumbent: () => ({ size: 64, times: 3 })'),
    'names.ts': changed(
      "...scale, kernel: (c: ScaleChoices) => Object.create(scale.kernel(c), { name: { value: 'same' } })",
    ),
    'contents.ts': changed(
      "...scale, problem: (s: ScaleShape) => ({ ...scale.problem(s), bindings: { x: { type: 'f32', length: s.n, fill: 'random' } } })",
    ),
    'length.ts': changed(
      "...scale, problem: (s: ScaleShape) => ({ ...scale.problem(s), bindings: { x: { type: 'f32', length: -1 } } })",
    ),
    'expected.ts': changed(
      '...scale, problem: (s: ScaleShape) => ({ ...scale.problem(s), expected: () => ({ value: Number.NaN, bound: 0 }) })',
    ),
    'form.ts': changed('...scale, incumbent: { size: 64, times: 1 }'),
    'none-here.ts': changed("...scale, feasible: () => 'not here', problem: () => { throw new Error('asked for') }"),
    'empty.ts': changed('...scale, space: { size: [], times: [1] }'),
  })
})
afterAll(() => at.dispose())

const fileOf = (name: string): TuningFile => JSON.parse(readFileSync(join(at.path, name), 'utf8')) as TuningFile
const namesOf = (list: readonly { readonly kernel: string }[] = []): string[] => list.map(({ kernel }) => kernel).sort()

const tune = (...args: string[]) => weftHere(['tune', ...args], at.path)

describe('weft tune', () => {
  it('times what is right beside the incumbent, refuses what is wrong, counts what is infeasible', async () => {
    const { code, stdout, stderr } = await tune('tunables.ts#scale', '--engine', 'cpu', '--samples', '3', '--json')
    expect(code, stderr).toBe(0)
    const { results, ...rest } = JSON.parse(stdout) as { results: TunedShape[] }
    expect(rest).toMatchObject({ ok: true, clock: 'wall', device: { backend: 'cpu', software: true } })
    expect(results).toHaveLength(1)
    const [result] = results as [TunedShape]
    expect(result).toMatchObject({ family: 'scale', type: 'f32', shape: { n: 5000 }, state: 'done' })
    expect(namesOf(result.candidates)).toEqual(['scale_32x1', 'scale_32x2', 'scale_64x1', 'scale_64x2'])
    for (const { ms, ratio, samples, error, hash } of result.candidates) {
      expect(ms).toBeGreaterThan(0)
      expect(ratio[0] <= ratio[1] && ratio[1] <= ratio[2]).toBe(true)
      expect({ samples, right: error <= 1, hash: hash.length }).toEqual({ samples: 3, right: true, hash: 64 })
    }
    expect(result.incumbent).toMatchObject({ kernel: 'scale_64x1', choices: { size: 64, times: 1 } })
    expect(namesOf(result.winner ? [result.winner] : [])[0]).toMatch(/^scale_(32|64)x[12]$/)
    expect(result.refused.map(({ kernel, because }) => [kernel, because.replace(/ is NaN.*/, '')])).toEqual([
      ['scale_32x3', 'wrong for n=331: y[64]'],
      ['scale_64x3', 'wrong for n=331: y[128]'],
    ])
    expect(result.infeasible).toEqual([
      { because: 'five are too many', count: 3 },
      { because: 'workgroup-size, a limit of the device', count: 3 },
    ])
  })

  it('has its progress on stderr, and a table for people on stdout', async () => {
    const { stdout, stderr } = await tune('tunables.ts#scale', '--engine', 'cpu', '--samples', '2', '--shape', 'n=700')
    expect(stdout).toMatch(
      /^on weft interpreter, by how long the host waits for a pass\nscale f32, n=700\n {2}(takes|stays) /,
    )
    expect(stdout).toMatch(/GB\/s, error 0\.\d+ of its bound/)
    expect(stdout).toContain('  refused scale_32x3: wrong for n=331: y[64] is NaN, expected ')
    expect(stdout).toContain('  infeasible 3: five are too many')
    expect(stderr).toContain('weft tune: the device is emulated on the CPU: these times say nothing of a GPU\n')
    expect(stderr).toContain('weft tune: scale f32: 6 kernels, 6 infeasible, 0 refused\n')
    expect(stderr).toContain('weft tune: scale f32, n=700: round 1, 4 kernels, 2 samples each\n')
  })

  it('takes some values of a choice only, and always the incumbent', async () => {
    const { stdout } = await tune(
      'tunables.ts#scale',
      '--engine',
      'cpu',
      '--samples',
      '2',
      '--fix',
      'size=32',
      '--fix',
      'times=2',
      '--json',
    )
    const [result] = (JSON.parse(stdout) as { results: [TunedShape] }).results
    expect(namesOf(result.candidates)).toEqual(['scale_32x2', 'scale_64x1'])
  })

  it.skipIf(noDawn)('goes by timestamps where there are some, and labels a software adapter', async () => {
    const { code, stdout, stderr } = await tune('tunables.ts#scale', '--engine', 'webgpu', '--samples', '2', '--json')
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      clock: 'timestamps',
      device: { backend: 'webgpu', software: true, adapter: expect.stringContaining('SwiftShader') as string },
      results: [{ state: 'done', refused: [{ kernel: 'scale_32x3' }, { kernel: 'scale_64x3' }] }],
    })
  })

  it('halves the field round by round, with more samples each time; the incumbent stays in', async () => {
    const { stdout, stderr } = await tune('tunables.ts#many', '--engine', 'cpu', '--samples', '5', '--json')
    const [result] = (JSON.parse(stdout) as { results: [TunedShape] }).results
    const rounds = [...stderr.matchAll(/n=5000: round (\d+), (\d+) kernels, (\d+) samples/g)].map(([, ...n]) =>
      n.map(Number),
    )
    expect(rounds[0]).toEqual([1, 24, 2])
    rounds.slice(1).forEach(([, kernels = 0], i) => {
      expect(kernels).toBeLessThan(rounds[i]?.[1] as number)
    })
    const last = rounds.length - 1
    expect(rounds[last]?.[2]).toBe(5)
    expect(result.candidates).toHaveLength(24)
    expect(result.incumbent).toMatchObject({ round: last, samples: 5 })
    expect(result.winner?.round).toBe(last)
    expect(result.candidates.map(({ round }) => round)).toEqual(
      result.candidates.map(({ round }) => round).sort((a, b) => b - a),
    )
  })

  it('says so where the incumbent is wrong, and where nothing is right', async () => {
    const { code, stderr, stdout } = await tune('wrong.ts', '--engine', 'cpu', '--samples', '2', '--json')
    expect(code).toBe(0)
    expect(stderr).toContain('the incumbent is none of the right ones; scale_32x1 stands in')
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ incumbent: null }] })
    const none = await tune('all-wrong.ts', '--engine', 'cpu')
    expect(none.code).toBe(1)
    expect(none.stdout).toContain('  no kernel is right\n')
  })

  it('makes nothing of a problem where the device can run no kernel, and that is no failure', async () => {
    const { code, stdout } = await tune('none-here.ts', '--engine', 'cpu')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '  this device can run none of the kernels\n  timed 0 kernels\n  infeasible 12: not here\n',
    )
  })

  it('ends in time with what it knows', async () => {
    const { stdout, code } = await tune('tunables.ts#many', '--engine', 'cpu', '--seconds', '0.000001', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      results: [{ state: 'stopped', winner: null, notReached: 24 }, { state: 'stopped' }],
    })
  })

  it.each([
    [[], 'which tunable?'],
    [['missing.ts'], "there is no file 'missing.ts'"],
    [['tunables.ts', 'none.ts'], "unexpected 'none.ts': one tunable"],
    [['tunables.ts#scale', '--shape', 'n'], "--shape is 'n', expected sizes by name, as m=64,n=64"],
    [['tunables.ts#scale', '--shape', 'm=4'], "--shape is 'm=4', and the sizes of scale f32 are n"],
    [['tunables.ts#scale', '--shape', 'n=4,m=4'], "--shape is 'n=4 m=4', and the sizes of scale f32 are n"],
    [['tunables.ts#scale', '--fix', 'size'], "--fix is 'size', expected values of a choice, as tile=64"],
    [['tunables.ts#scale', '--fix', 'tile=4'], "--fix names 'tile', and the choices of scale f32 are size, times"],
    [['tunables.ts#scale', '--fix', 'size=64,3'], "--fix gives size the value '3', expected some of 32, 64, 4096"],
    [['tunables.ts#scale', '--seconds', 'few'], "--seconds is 'few', expected a number above 0"],
    [['tunables.ts#scale', '--samples', '1.5'], "--samples is '1.5', expected a whole number"],
    [['tunables.ts#scale', '--resume'], '--resume goes on with the file that --out names'],
    [
      ['tunables.ts#scale', '--out', 'tunables.ts'],
      "--out is 'tunables.ts': there is a file already: go on with it by --resume",
    ],
    [['tunables.ts#scale', '--out', 'nowhere/x.json'], "--out is 'nowhere/x.json': there is no such folder"],
    [['tunables.ts#scale', '--out', 'none.ts/x.json'], "--out is 'none.ts/x.json': there is no such folder"],
    [['tunables.ts#scale', '--out', '.', '--resume'], "--out is '.': that is a folder, expected a file"],
    [['tunables.ts#scale', '--shape', 'n=4,m=-1'], "--shape is 'n=4,m=-1': m is '-1', expected a positive integer"],
    [['tunables.ts#scale', '--shape', 'n=1.5'], "--shape is 'n=1.5': n is '1.5', expected a positive integer"],
    [['tunables.ts#scale', '--shape', 'n=0'], "--shape is 'n=0': n is '0', expected a positive integer"],
    [['tunables.ts#scale', '--shape', 'n='], "--shape is 'n=': n is '', expected a positive integer"],
    [['tunables.ts#scale', '--dawn', 'foo'], "--dawn is 'foo', expected KEY=VALUE, as backend=vulkan"],
    [['tunables.ts#scale', '--dawn', 'backends=null'], "there is no 'backends', did you mean 'backend'?"],
    [['tunables.ts#scale', '--dawn', 'power=low'], "there is no 'power'; known are backend, adapter, verbose, "],
    [
      ['tunables.ts#scale', '--dawn', 'enable-dawn-features=a b'],
      'expected names of features, as enable-dawn-features=',
    ],
    [['tunables.ts#scale', '--dawn', 'backend=null', '--engine', 'cpu'], '--dawn is for WebGPU, and --engine is cpu'],
    [['tunables.ts#scale', '--fix', 'tiems=1'], "--fix names 'tiems', did you mean 'times'?"],
    [['tunables.ts#scale', '--engine', 'gpu'], "--engine is 'gpu', expected auto, webgpu, cpu"],
    [['tunables.ts#scale', '--fast'], "there is no option '--fast'"],
  ])('exits with 2 for %j', async (args, message) => {
    const { code, stderr } = await tune(...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.each([
    ['none.ts', 'no-tunable: none.ts exports no tunable\n  note: its tunables: none'],
    [
      'tunables.ts#sclae',
      "no-tunable: tunables.ts exports no tunable 'sclae'\n  note: its tunables: tunables.ts#many, tunables.ts#scale",
    ],
    ['names.ts', "bad-tunable: scale f32: two kernels are called 'same': size=64 times=1, and size=32 times=1"],
    ['contents.ts', "bad-tunable: a kernel has a binding 'y', for which the problem has no content"],
    ['length.ts', "bad-tunable: scale f32, n=331: the content of 'x' has a length of -1"],
    ['expected.ts', 'bad-tunable: what is expected at y[0] is {"value":null,"bound":0}'],
    ['form.ts', "bad-tunable: scale: 'incumbent' is [object Object], expected a function"],
    ['empty.ts', "bad-tunable: scale: the choice 'size' has no values"],
  ])('says what is wrong with a tunable: %s', async (spec, message) => {
    const { code, stderr } = await tune(spec, '--engine', 'cpu')
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })
})

it.skipIf(noDawn)('takes no other engine where options for Dawn are given that it refuses', async () => {
  // in a process of its own, since Dawn is opened once in each
  const { code, stdout, stderr } = await weft(['tune', 'tunables.ts#scale', '--dawn', 'backend=nope'], at.path)
  expect(stderr).toContain('no-webgpu: WebGPU cannot be used with --dawn backend=nope: ')
  expect(stderr).toContain("unrecognised backend 'nope'")
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

describe('weft tune --out', () => {
  let program: string
  beforeAll(async () => {
    program = await bundleCli()
  })

  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [join(root, 'scripts/weft.mjs'), 'tune', ...args], {
      cwd: at.path,
      env: { ...process.env, WEFT_CLI_BUNDLE: program },
      stdio: 'ignore',
    })
  const args = ['tunables.ts#many', '--engine', 'cpu', '--out', 'killed.json', '--samples', '40']

  it('leaves a whole file wherever it is killed, and goes on from there', { timeout: 120_000 }, async () => {
    const child = start(...args)
    const ended = new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))
    while (!existsSync(join(at.path, 'killed.json'))) {
      if (child.exitCode !== null) throw new Error(`weft tune ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const before = fileOf('killed.json')
    expect(before).toMatchObject({ kind: 'weft-tuning', results: [{ state: 'running', shape: { n: 5000 } }] })
    const { round = 0, candidates = [] } = before.results[0] ?? {}
    expect(round).toBeGreaterThan(0)
    const { code, stderr } = await tune(...args, '--resume')
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(`n=5000: goes on with round ${round + 1}\n`)
    expect(stderr).not.toContain('n=5000: round 1,')
    const after = fileOf('killed.json')
    expect(after.results.map(({ state }) => state)).toEqual(['done', 'done'])
    // who was out stays out, with the times of then
    const out = candidates.filter(
      ({ hash }) => (after.results[0]?.candidates.find((c) => c.hash === hash)?.round ?? 0) < round,
    )
    expect(out.length).toBeGreaterThan(0)
    for (const one of out) expect(after.results[0]?.candidates).toContainEqual(one)
    expect(readdirSync(at.path).filter((name) => name.startsWith('.killed'))).toEqual([])
  })

  it('does nothing again that is done', async () => {
    const before = readFileSync(join(at.path, 'killed.json'), 'utf8')
    const { code, stderr } = await tune(...args, '--resume')
    expect(code).toBe(0)
    expect(stderr).toContain('many f32, n=5000: done before\nweft tune: many f32, n=9000: done before\n')
    expect(readFileSync(join(at.path, 'killed.json'), 'utf8')).toBe(before)
  })

  it('keeps what it does not measure, and measures anew what has changed', async () => {
    const only = (space: string) => changed(`...many, space: ${space}, shapes: [{ n: 5000 }]`)
    at.write('less.ts', only('{ size: [32, 64], times: [1] }'))
    const { stderr } = await tune('less.ts', ...args.slice(1), '--resume')
    expect(stderr).toContain('many f32, n=5000: the candidates have changed since, so they are measured anew\n')
    const { results } = fileOf('killed.json')
    expect(results.map(({ shape, candidates }) => [shape.n, candidates.length])).toEqual([
      [5000, 2],
      [9000, 24],
    ])
  })

  it('refuses files that are none of its own, or of another device', async () => {
    at.write('broken.json', '{ "kind": "weft-tu')
    at.write('other.json', '{}\n')
    const file = fileOf('killed.json')
    at.write('device.json', JSON.stringify({ ...file, device: { ...file.device, adapter: 'a GPU' } }))
    at.write('clock.json', JSON.stringify({ ...file, clock: 'timestamps' }))
    for (const [name, message] of [
      ['broken.json', 'bad-results: broken.json cannot be read: '],
      ['other.json', 'bad-results: other.json is no file of weft tune\n  note: give another file by --out'],
      ['device.json', "other-device: device.json holds results of adapter 'a GPU', here it is 'weft interpreter'"],
      ['clock.json', "other-device: clock.json holds results of the clock 'timestamps', here it is 'wall'"],
    ] as const) {
      const { code, stderr } = await tune('tunables.ts#many', '--engine', 'cpu', '--out', name, '--resume')
      expect(stderr).toContain(message)
      expect(code).toBe(1)
    }
  })
})

it('tunes the products of the library, all of which are right', { timeout: 120_000 }, async () => {
  const tunables = join(root, 'packages/kernels/src/tunables.ts#matmulShipped')
  const { code, stdout, stderr } = await tune(
    tunables,
    '--engine',
    'cpu',
    '--shape',
    'm=20,n=24,k=24',
    '--samples',
    '1',
    '--json',
  )
  expect(code, stderr).toBe(0)
  const { results } = JSON.parse(stdout) as { results: TunedShape[] }
  expect(results.map(({ type, candidates, refused }) => [type, candidates.length, refused])).toEqual([
    ['f32', 3, []],
    ['f16', 3, []],
  ])
})

it('is one file with its tunables for a machine that has Node alone', async () => {
  const alone = realpathSync(mkdtempSync(join(tmpdir(), 'weft-tune-')))
  await bundleTune(join(alone, 'tune.mjs'), 'tests/cli/fixtures/tunables.ts#scale', ['--engine', 'cpu', '--json'])
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['tune.mjs', '--samples', '2', '--out', 'out.json'],
    alone,
  )
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, results: [{ family: 'scale', state: 'done' }] })
  expect(readdirSync(alone).sort()).toEqual(['out.json', 'tune.mjs'])
  rmSync(alone, { recursive: true })
})

describe('docs/tuning.md', () => {
  const blocks = blocksOf('docs/tuning.md')

  it('shows a command, and what it prints for the tunable of the page', async () => {
    const page = folder(Object.fromEntries(blocks.flatMap(({ info, text }) => (info.file ? [[info.file, text]] : []))))
    const command = blocks.find(({ language }) => language === 'sh')?.text.trim() ?? ''
    expect(command).toMatch(/^npx weft tune /)
    const args = command.split(' ').slice(2)
    const { code, stdout, stderr } = await weftHere([...args, '--engine', 'cpu', '--samples', '2'], page.path)
    expect(code, stderr).toBe(0)
    const lines = blocks.find(({ info }) => 'tuned' in info)?.text.split('\n') ?? []
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines.filter((text) => text.trim() !== '…'))
      expect(stdout).toMatch(new RegExp(`^${line.replaceAll('…', '.*')}$`, 'm'))
    expect(JSON.parse(page.read('sums.json'))).toMatchObject({
      results: [{ family: 'row_sums', state: 'done', refused: [] }],
    })
    page.dispose()
  })
})

describe('a run of the tuner', () => {
  const sessionOf = (runtime: Runtime, clock: Clock = clockOf(runtime), samples = 2): Session => {
    const results = Results.open(null, false, deviceClassOf(runtime.info), clock.kind)
    return { runtime, clock, results, samples, cacheBytes: 0, heatMs: 0, say: () => {} }
  }
  const isIncumbent = ({ size, times }: Choices): boolean => size === 64 && times === 1
  const madeOf = async (session: Session, tunable: Tunable, shape: Shape, deadline: Deadline) => {
    const { family, type } = tunable
    const all = ordered(
      tunable,
      [tunable.incumbent(shape)],
      [session.results.find({ family, type, shape }) ?? []].flat(),
    )
    const { runtime } = session
    return candidatesOf({ tunable, runtime, select, all, deadline, urgent: isIncumbent, progress: () => {} })
  }
  const select = selectVariant
  /** Lets so many be begun, besides what is urgent. */
  const only = (most: number): Deadline => {
    let begun = 0
    return { abreast: 1, over: (urgent) => !urgent && begun++ >= most }
  }

  it('begins no kernel when the time is up, knows the incumbent, counts the others, and goes on with them later', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const session = sessionOf(runtime)
    const shape = { n: 700 }
    // of each it is asked before it is built, and before it is compiled
    const some = await madeOf(session, scale, shape, only(3))
    expect(namesOf(some.feasible.map(({ kernel }) => ({ kernel: kernel.name })))).toEqual(['scale_32x1', 'scale_64x1'])
    const alone = await tried(session, scale, some, ({ choices }) => !isIncumbent(choices))
    expect(alone.feasible.map(({ choices }) => choices)).toEqual([{ size: 64, times: 1 }])
    const first = await tuneShape(session, scale, await tried(session, scale, some, () => false), shape, Infinity)
    expect(first).toMatchObject({ state: 'stopped', incumbent: { kernel: 'scale_64x1' }, notReached: 7, refused: [] })
    expect(namesOf(first.candidates)).toEqual(['scale_32x1', 'scale_64x1'])
    expect(shapeLines(scale, first)).toContain(
      '  not reached 7: the time was up; give more --seconds, or go on with --out and --resume',
    )
    const rest = await madeOf(session, scale, shape, NEVER)
    const last = await tuneShape(session, scale, await tried(session, scale, rest, () => false), shape, Infinity)
    expect(last).toMatchObject({ state: 'done', notReached: 0, next: [], refused: [{}, {}] })
    expect(namesOf(last.candidates)).toEqual(['scale_32x1', 'scale_32x2', 'scale_64x1', 'scale_64x2'])
  })

  it('keeps those of the next round that it had no time to make ready again', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const session = sessionOf(runtime)
    const shape = { n: 700 }
    const all = await madeOf(session, scale, shape, NEVER)
    const right = await tried(session, scale, all, () => false)
    const whole = await tuneShape(session, scale, right, shape, Infinity)
    const next = whole.candidates.map(({ hash }) => hash)
    session.results.put({ ...whole, state: 'stopped', next })
    const few = await madeOf(session, scale, shape, only(0))
    const again = await tuneShape(session, scale, few, shape, Infinity)
    expect(again).toMatchObject({ state: 'stopped', notReached: 0 })
    expect([...again.next].sort()).toEqual([...next].sort())
  })

  it('looks again at one that others have put behind by noise in few samples', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const names = new Map<unknown, string>()
    const prepare = runtime.prepare.bind(runtime)
    vi.spyOn(runtime, 'prepare').mockImplementation(async (kernel, ...rest) => {
      const prepared = await prepare(kernel, ...rest)
      names.set(prepared, kernel.name)
      return prepared as never
    })
    const calls = new Map<string, number>()
    const clock: Clock = {
      ...{ kind: 'wall', least: 0 },
      time: async ([launch]) => {
        const name = names.get(launch) ?? ''
        const call = (calls.get(name) ?? 0) + 1
        calls.set(name, call)
        // three times to know how long it takes, and the two samples of the first round
        return name === 'scale_64x1' ? 1 : name === 'scale_8x4' ? 0.45 : call <= 5 ? 0.1 : 1.2
      },
    }
    const session = sessionOf(runtime, clock, 8)
    const shape = { n: 64 }
    const result = await tuneShape(session, many, await madeOf(session, many, shape, NEVER), shape, Infinity)
    expect(result).toMatchObject({ state: 'done', winner: { kernel: 'scale_8x4', samples: 8 } })
  })
})

describe('the lines of a shape', () => {
  const timed = (kernel: string, ratio: Timed['ratio'], round: number, samples: number): Timed => ({
    ...{ choices: { kernel }, kernel, hash: kernel, ms: ratio[1], ratio, samples, round, error: 0.5 },
  })
  const [base, other] = [timed('base', [0.9, 1.45, 1.5], 1, 20), timed('other', [0.4, 0.446, 0.5], 0, 2)]
  const result = (change: Partial<TunedShape>): TunedShape => ({
    ...{ family: 'scale', type: 'f32', shape: { n: 8 }, state: 'stopped', date: '2026-01-01', round: 1, next: [] },
    ...{
      key: '',
      winner: base,
      incumbent: base,
      candidates: [base, other],
      refused: [],
      infeasible: [],
      notReached: 0,
    },
    ...change,
  })
  const text = (change: Partial<TunedShape>): string => shapeLines(scale, result(change)).join('\n')

  it('say in which round and with how many samples one was left out, or is yet to be timed', () => {
    expect(text({ state: 'done' })).toMatch(/not {3}other: .*; 2\.24×, left out after round 1 with 2 samples$/m)
    expect(text({ next: ['other'] })).toMatch(/; 2\.24×, in round 1 with 2 samples$/m)
  })

  it('have the incumbent at 1.00×, with its noise as such', () => {
    expect(text({ state: 'done', winner: other })).toContain(
      '1.00×, the incumbent; beside itself 0.67× to 1.11×, which is noise',
    )
  })

  it('decide nothing where the time was up, and say when that was', () => {
    expect(text({})).toMatch(/^ {2}ahead base: .*, the incumbent; not decided when the time was up$/m)
    expect(text({})).toContain('  not ended: the time was up; give more --seconds')
    const none = { winner: null, incumbent: null, candidates: [], round: 0 }
    expect(text({ ...none, next: ['base'] })).toContain('  no kernel was timed: the time was up in round 1\n')
    expect(text({ ...none, notReached: 3 })).toContain('the time was up while kernels were compiled and checked\n')
    expect(text({ state: 'done', candidates: [base] })).toMatch(/^ {2}stays base: .*; there is no other$/m)
  })
})

describe('contents', () => {
  const types = ['f32', 'f16', 'i32', 'u32'] as const
  const fills = ['random', 'iota', 'ones', 'zeros'] as const

  it.each(types.flatMap((type) => fills.map((fill) => [type, fill] as const)))(
    'of %s, %s, are made on the device as on the host',
    async (type, fill) => {
      using runtime = await createRuntime({ device: cpu() })
      const content: Content = { type, fill, length: 301, seed: 5 }
      const buffer = runtime.buffer({ size: bytesOf(content) })
      await refill(runtime, buffer, content)
      const at = FILLS[fill]?.(5, type) as (i: number) => number
      const bytes = (await buffer.read()).buffer
      const arrays = { f32: Float32Array, i32: Int32Array, u32: Uint32Array }
      const got = type === 'f16' ? fromF16(new Uint16Array(bytes)) : [...new arrays[type](bytes)]
      expect(got.slice(0, 301)).toEqual(Array.from({ length: 301 }, (_, i) => at(i)))
    },
  )

  it('of outputs are NaN, and no integer that a kernel would write', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const content: Content = { type: 'f16', length: 3 }
    const buffer = runtime.buffer({ size: bytesOf(content) })
    await refill(runtime, buffer, content)
    expect(fromF16(new Uint16Array((await buffer.read()).buffer))).toEqual([NaN, NaN, NaN, NaN])
  })
})

describe.skipIf(noDawn)('clocks', () => {
  it('are the host’s on a device without timestamps; their passes are long', async () => {
    using runtime = await createRuntime({ features: [] })
    const clock = clockOf(runtime)
    expect(clock).toMatchObject({ kind: 'wall', least: 50 })
    expect(await clock.time([])).toBeGreaterThan(0)
  })

  it('of the host decide as well', async () => {
    using runtime = await createRuntime({ features: [] })
    const clock = clockOf(runtime)
    const results = Results.open(null, false, deviceClassOf(runtime.info), clock.kind)
    const session: Session = { runtime, clock, results, samples: 2, cacheBytes: 2 ** 16, heatMs: 1, say: () => {} }
    const all = await candidatesOf({
      ...{ tunable: scale, runtime, select: selectVariant, all: ordered(scale, [], []), deadline: NEVER },
      ...{ urgent: () => false, progress: () => {} },
    })
    const right = await tried(session, scale, all, () => false)
    const result = await tuneShape(session, scale, right, { n: 5000 }, Infinity)
    expect(result).toMatchObject({ state: 'done', incumbent: { kernel: 'scale_64x1', samples: 2 } })
    expect(result.candidates).toHaveLength(4)
    for (const { ms } of result.candidates) expect(ms).toBeLessThan(50)
    expect(results.file).toMatchObject({ clock: 'wall', device: { software: true }, results: [{ family: 'scale' }] })
  })

  it('measure a hundred times as long as browsers’ timestamps are exact, unless those are seen to be better', async () => {
    using runtime = await createRuntime()
    const clock = clockOf(runtime)
    expect(clock.kind).toBe('timestamps')
    expect(clock.least).toBeCloseTo(6.5536, 6)
    for (let i = 0; i < 20; i++) expect(await clock.time([])).toBeGreaterThanOrEqual(0)
    expect(clock.least).toBeGreaterThanOrEqual(1)
  })
})
