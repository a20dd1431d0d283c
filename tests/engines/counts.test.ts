import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countCase, countLines, countModule, noCounts, readCounts, writeCounts } from './counts.js'

describe('counts', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-counts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('of several files are added up, suite by suite', () => {
    // what this process has counted until now belongs to others
    writeCounts(process.env.WEFT_COUNTS_DIR)
    countCase('kernels: a', 'interpreter')
    countCase('kernels: a', 'wgpu', { f16: true })
    countModule('tint')
    writeCounts(folder)
    countCase('kernels: a', 'wgpu')
    countCase('language: b', 'dawn', { f16: true })
    writeCounts(folder)
    writeCounts(folder)
    expect(readCounts(folder)).toEqual({
      cases: {
        'kernels: a': { interpreter: 1, dawn: 0, wgpu: 2, 'wgpu-f16': 1 },
        'language: b': { interpreter: 0, dawn: 1, wgpu: 0, 'wgpu-f16': 0 },
      },
      modules: { ...noCounts().modules, tint: 1 },
    })
  })

  it('are a table in the order of the titles, with a sum', () => {
    const cases = {
      'kernels: matmul': { interpreter: 1234, dawn: 60, wgpu: 55, 'wgpu-f16': 7 },
      'kernels: attention': { interpreter: 8, dawn: 4, wgpu: 2, 'wgpu-f16': 0 },
    }
    expect(countLines({ cases, modules: { ...noCounts().modules, tint: 12 } })).toEqual([
      'parity cases that ran  interpreter         Dawn         wgpu of these f16',
      'kernels: attention               8            4            2            0',
      'kernels: matmul               1234           60           55            7',
      'all                           1242           64           57            7',
      '',
      '     12 modules validated by Tint',
      '      0 modules validated by naga, unmodified',
      '      0 modules validated by naga without their `enable subgroups;` line',
      '      0 modules that only Tint can validate',
    ])
  })

  it('without cases are no table', () => {
    expect(countLines(noCounts())[0]).toBe('      0 modules validated by Tint')
  })
})
