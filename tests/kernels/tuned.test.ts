import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '@weft/codegen'
import type { Timed, Tunable, TunedShape, TuningFile } from '@weft/codegen/tools'
import { tuningOf } from '@weft/kernels'
import { describe, expect, it } from 'vitest'
import { combinations } from '../../packages/codegen/src/cli/tune/candidates.js'
import * as generated from '../../packages/kernels/generated/matmul-fast/index.js'
import * as generatedQuant from '../../packages/kernels/generated/quant/index.js'
import { matmulBlocks, matmulMatrices, matmulShipped, quantMatvecs } from '../../packages/kernels/src/tunables.js'
import { root } from '../../scripts/packages.mjs'
import { merged, shippedKernels, written } from '../../scripts/tuned.mjs'

const timed = (kernel: string, ms: number): Timed => ({
  ...{ choices: { tile: 1 }, kernel, hash: kernel, ms, samples: 20, round: 0, error: 0.1 },
  ratio: [ms, ms, ms],
})

const shape = (n: number, winner: string | null, ...candidates: Timed[]): TunedShape => ({
  ...{
    family: 'f',
    type: 'f32',
    shape: { n },
    state: 'done',
    date: '2026-01-02',
    round: 1,
    next: [],
    key: '',
    refused: [],
  },
  winner: candidates.find(({ kernel }) => kernel === winner) ?? null,
  incumbent: candidates.at(-1) ?? null,
  candidates,
  infeasible: [],
  notReached: 0,
})

const file = (device: Partial<TuningFile['device']>, ...results: TunedShape[]): TuningFile => ({
  ...{ format: 1, kind: 'weft-tuning', clock: 'timestamps', results },
  device: {
    vendor: 'acme',
    architecture: 'one',
    device: '',
    adapter: 'a',
    backend: 'webgpu',
    software: false,
    ...device,
  },
})

describe('scripts/tuned.mjs', () => {
  const ships = new Set(['a', 'b'])

  it('keeps the kernels that ship, by their speed, and what they took', () => {
    const candidates = [timed('x', 0.5), timed('a', 0.75), timed('b', 1)]
    const { device, results } = merged(
      null,
      [file({}, shape(1, 'x', ...candidates), shape(2, 'a', ...candidates))],
      ships,
    )
    expect(device).toMatchObject({ vendor: 'acme', architecture: 'one' })
    expect(results[0]).toEqual({
      ...{ family: 'f', type: 'f32', shape: { n: 1 }, date: '2026-01-02', winner: null, incumbent: 'b' },
      candidates: [
        { kernel: 'a', ms: 0.75, ratio: 0.75 },
        { kernel: 'b', ms: 1, ratio: 1 },
      ],
    })
    expect(results[1]?.winner).toEqual({ kernel: 'a', ms: 0.75, ratio: 0.75 })
    const tuning = tuningOf({ results })
    expect([1, 2].map((n) => tuning.find('f', 'f32', { n }, ['a', 'b']))).toEqual(['a', 'a'])
  })

  it('writes JSON with a line for each shape', () => {
    const one = merged(null, [file({}, shape(1, 'a', timed('a', 1)), shape(2, 'a', timed('a', 1)))], ships)
    expect(JSON.parse(written(one))).toEqual(one)
    expect(written(one).match(/^.*"shape".*$/gm)).toHaveLength(2)
  })

  it('puts later results in the place of earlier ones, and keeps the others', () => {
    const before = merged(null, [file({}, shape(1, 'a', timed('a', 1)), shape(2, 'a', timed('a', 1)))], ships)
    const after = merged(before, [file({}, shape(2, 'b', timed('b', 1)), shape(3, 'x', timed('x', 1)))], ships)
    expect(after.results.map(({ shape: { n }, winner }: TunedShape) => [n, winner?.kernel])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
  })

  it('refuses what was computed on a CPU, and results of several devices', () => {
    expect(() => merged(null, [file({ software: true, adapter: 'SwiftShader' })], ships)).toThrow(
      'SwiftShader computes on the CPU',
    )
    expect(() => merged(file({}), [file({ vendor: 'other' })], ships)).toThrow(
      "results of two devices: vendor is 'acme' and 'other'",
    )
    expect(() => merged(null, [file({}), file({ device: 'x' })], ships)).toThrow('results of two devices')
  })
})

describe('the tunables of the library', () => {
  const choices = (tunable: Tunable) =>
    combinations(tunable.space).filter(
      (one) => (tunable.feasible?.(one, { features: [], limits: {} }) ?? true) === true,
    )

  it('name the kernels that ship by what they are', () => {
    const shipped = new Map(Object.values(generated).map((kernel) => [kernel.name, kernel.hash]))
    const made = matmulShipped.flatMap((tunable) => choices(tunable).map((one) => tunable.kernel(one as never)))
    expect(made.map(({ name }) => name).sort()).toEqual([
      ...['matmul_block_128', 'matmul_block_32', 'matmul_block_64'],
      ...['matmul_matrix_nn_f16', 'matmul_matrix_nn_f16_few', 'matmul_matrix_nn_f16_small'],
    ])
    for (const source of made)
      expect(compile(source, { params: 'uniform', doc: source.doc ?? '' }).hash).toBe(shipped.get(source.name))
  })

  it('of one row and int4 are the kernels that ship', () => {
    const shipped = new Map(Object.values(generatedQuant).map((kernel) => [kernel.name, kernel.hash]))
    const made = quantMatvecs.flatMap((tunable) => choices(tunable).map((one) => tunable.kernel(one as never)))
    expect(new Set(made.map(({ name }) => name)).size).toBe(8)
    for (const source of made)
      expect(compile(source, { params: 'uniform', doc: source.doc ?? '' }).hash, source.name).toBe(
        shipped.get(source.name),
      )
  })

  it('have an incumbent that is one of their combinations, and kernels of different names', () => {
    for (const tunable of [matmulBlocks, matmulMatrices]) {
      const all = choices(tunable)
      expect(all.length).toBeGreaterThan(20)
      for (const shape of tunable.shapes) expect(all).toContainEqual(tunable.incumbent(shape))
      const names = all.map((one) => tunable.kernel(one as never).name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('what ships', () => {
  const folder = join(root, 'packages/kernels/tuned')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const listed = readFileSync(join(root, 'packages/kernels/src/tuning/shipped.ts'), 'utf8')

  it('is a list of all the files that there are', () => {
    for (const name of names) expect(listed).toContain(`'../../tuned/${name}'`)
  })

  it('names kernels that ship, and devices that compute', () => {
    const ships = shippedKernels()
    expect(ships.size).toBeGreaterThan(100)
    for (const name of names) {
      const { device, results } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as TuningFile
      expect(device.software, name).toBe(false)
      expect(results.length).toBeGreaterThan(0)
      for (const result of results) for (const { kernel } of result.candidates) expect(ships, name).toContain(kernel)
    }
  })
})
