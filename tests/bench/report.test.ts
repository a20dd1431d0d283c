import { describe, expect, test } from 'vitest'
import type { Row } from '../../bench/gpu/measure.js'
import { chartOf } from '../../bench/gpu/report/chart.js'
import { digits, speedOf, suitesOf } from '../../bench/gpu/report/figures.js'
import { pageOf } from '../../bench/gpu/report/page.js'
import { merged, type Results } from '../../bench/gpu/results.js'

const measured = (suite: string, contest: string, entry: string, ms: number, more: Partial<Row> = {}): Row => ({
  ...{ suite, contest, entry, ms, p10: ms * 0.9, p90: ms * 1.1, error: 0.25, samples: 20, dtype: 'f32', work: {} },
  ...more,
})

const CUBE = { work: { operations: 2e9 } }
const rows: readonly Row[] = [
  measured('ceilings', 'copy f32', 'WGSL copy', 1, { work: { bytes: 4e9 } }),
  measured('ceilings', 'copy f32', 'PyTorch 2.11.0 (CUDA 13.0)', 0.5, { work: { bytes: 4e9 }, peer: true }),
  measured('ceilings', 'multiply-add f32', 'WGSL multiply-add', 1, { work: { operations: 60e9 } }),
  measured('matmul', 'f32 1000³', 'tfjs 4.22.0', 0.2, { ...CUBE, peer: true }),
  measured('matmul', 'f32 1000³', 'weft', 0.05, { ...CUBE, compileMs: 80.4 }),
  measured('matmul', 'f32 1000³', 'weft, small tiles', 0.1, CUBE),
  measured('matmul', 'f32 1000³', 'jax-js 0.1.25', 0.1, { ...CUBE, peer: true }),
  measured('matmul', 'f32 1000³', 'PyTorch 2.11.0 (CUDA 13.0)', 0.0625, { ...CUBE, peer: true }),
  { suite: 'matmul', contest: 'f32 1000³', entry: 'onnx <web>', work: CUBE.work, peer: true, failed: 'it has no f32' },
  measured('rows', 'softmax', 'weft', 2, { work: { bytes: 4e9 } }),
]

const results: Results = {
  machine: {
    ...{ name: 'NVIDIA H200', vendor: 'nvidia', driver: '580.1', software: false },
    ...{ dawn: '0.6.2', node: '20.20.2', cores: 16 },
  },
  date: '2026-11-29',
  command: 'npm run bench:gpu -- --json rows.json',
  absent: [{ peer: 'ort', reason: 'there is no module' }],
  rows,
}

describe('figures', () => {
  const contest = (suite: string) => suitesOf(rows).find(({ name }) => name === suite)?.contests[0]

  test('ours come first, from the fastest on; what was not measured comes last', () => {
    expect(contest('matmul')?.lines.map(({ entry }) => entry)).toEqual([
      ...['weft', 'weft, small tiles'],
      ...['PyTorch 2.11.0 (CUDA 13.0)', 'jax-js 0.1.25', 'tfjs 4.22.0', 'onnx <web>'],
    ])
  })

  test('ratios are to the ceilings of the run, to the best peer on WebGPU, and to PyTorch', () => {
    const [best, , torch] = contest('matmul')?.lines ?? []
    expect(best).toMatchObject({ speed: { value: 40, unit: 'TFLOP/s' }, ofCeiling: 2 / 3, vsPeer: 2, vsTorch: 1.25 })
    expect(torch?.vsPeer).toBeUndefined()
    expect(contest('rows')?.lines[0]).toMatchObject({ speed: { value: 2000, unit: 'GB/s' }, ofCeiling: 0.5 })
    expect(contest('rows')?.lines[0]?.vsPeer).toBeUndefined()
  })

  test('operations on bytes are those of integers', () => {
    expect(speedOf({ operations: 4e12, bytes: 4 }, 2, 'i8')).toEqual({ value: 2000, unit: 'TOP/s' })
  })

  test('the ceiling of multiply-adds is for f32 only', () => {
    const half = suitesOf([...rows, measured('matmul', 'f16', 'weft', 1, { ...CUBE, dtype: 'f16' })])
    expect(half.find(({ name }) => name === 'matmul')?.contests[1]?.lines[0]?.ofCeiling).toBeUndefined()
  })

  test('the unit is that of what decides', () => {
    expect(speedOf({ operations: 2e9, bytes: 4e9 }, 1)?.unit).toBe('GB/s')
    expect(speedOf({ operations: 2e12, bytes: 4e9 }, 1)?.unit).toBe('TFLOP/s')
    expect(speedOf({ items: 3e6, bytes: 24e6 }, 1)).toEqual({ value: 3, unit: 'G/s' })
    expect(speedOf({}, 1)).toBeUndefined()
  })

  test('three digits, without exponents', () => {
    expect([48.14, 0.8199, 4270.4, 1, 0, 0.00653].map(digits)).toEqual([
      '48.1',
      '0.820',
      '4,270',
      '1.00',
      '0',
      '0.00653',
    ])
  })
})

describe('the page', () => {
  const { markdown, charts } = pageOf(results, 'h200')

  test('says on what, when and by which command', () => {
    expect(markdown).toContain('# Speed on an NVIDIA H200\n')
    expect(markdown).toContain('2026-11-29 · NVIDIA H200, driver 580.1, Vulkan · Dawn 0.6.2')
    expect(markdown).toContain('`npm run bench:gpu -- --json rows.json`')
    expect(markdown).toContain('Medians of 20 samples')
    expect(markdown).toContain('Without ort: there is no module.')
    expect(markdown).not.toContain('software adapter')
  })

  test('labels a software adapter', () => {
    const soft = { ...results, machine: { ...results.machine, name: 'SwiftShader', software: true } }
    expect(pageOf(soft, 'x').markdown).toContain('**This is a software adapter')
  })

  test('has a row for each entry, with its reason where there is no figure', () => {
    expect(markdown).toContain(
      '| **weft** | 40.0 TFLOP/s | 0.667 × | 2.00 × | 1.25 × | 0.0500 (0.0450 to 0.0550) | 0.250 | 80 ms | 20 |',
    )
    expect(markdown).toContain('| onnx <web> | it has no f32 |  |')
  })

  test('has a chart for each suite but the ceilings', () => {
    expect(Object.keys(charts)).toEqual(['h200-matmul.svg', 'h200-rows.svg'])
    expect(markdown).toContain('(h200-matmul.svg)')
  })
})

describe('the chart', () => {
  const matmul = suitesOf(rows).find(({ name }) => name === 'matmul')
  const svg = (matmul && chartOf(matmul)) ?? ''

  test('has a bar for the best of ours, the best peer and PyTorch, as long as they are fast', () => {
    const bars = [...svg.matchAll(/<rect class="(\w+)" x="250" y="\d+" width="([\d.]+)" height="10" rx="2"><title>/g)]
    expect(bars.map(([, kind, width]) => [kind, Number(width)])).toEqual([
      ['weft', 380],
      ['peer', 190],
      ['torch', 304],
    ])
  })

  test('names nothing that would not be text', () => {
    const odd = { name: 'a<b>&"c"', contests: matmul?.contests.map((one) => ({ ...one, name: 'm<n' })) ?? [] }
    expect(chartOf(odd)).toContain('a&lt;b&gt;&amp;&quot;c&quot;')
    expect(chartOf(odd)).toContain('>m&lt;n</text>')
    expect(chartOf({ name: 'empty', contests: [] })).toBeNull()
  })
})

describe('results of several runs', () => {
  test('a contest that was run again counts as in the later one', () => {
    const again = { ...results, command: 'again', rows: [measured('rows', 'softmax', 'weft', 1)] }
    const all = merged([results, again])
    expect(all.rows.filter(({ contest }) => contest === 'softmax').map(({ ms }) => ms)).toEqual([1])
    expect(all.rows).toHaveLength(rows.length)
    expect(all.command).toBe('npm run bench:gpu -- --json rows.json; again')
  })

  test('of one machine only', () => {
    const other = { ...results, machine: { ...results.machine, driver: '581' } }
    expect(() => merged([results, other])).toThrow('different machines')
  })
})
