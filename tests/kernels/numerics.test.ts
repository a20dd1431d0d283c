import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { f32 } from '@weft/dsl'
import { elementwise } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'
import { measure } from './errors.js'
import { families } from './families.js'
import { rowsOf } from './numerics-table.js'

const text = readFileSync(join(root, 'docs/numerics.md'), 'utf8')

describe('docs/numerics.md', () => {
  it.each(Object.keys(families))('has rows of %s', (family) => {
    expect(text).toContain(`\n| ${family} | `)
  })

  it.each(['saxpy', 'softmax', 'norm', 'scan', 'rope'])('has the errors of %s as they are', (family) => {
    const rows = rowsOf(family, families[family] ?? [])
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(text).toContain(row)
  })
})

describe('measured errors', () => {
  const half = elementwise('third', (x) => x.mul(f32(1 / 3)))
  const given = (expected: readonly number[]) => ({
    name: 'third',
    kernel: half,
    params: { n: 3 },
    bindings: { x: Float32Array.of(3, 6, 12), out: new Float32Array(4).fill(777) },
    expect: { out: Float32Array.of(...expected, 777) },
  })

  it('are 0 for what is right, and leave out guards', () => {
    expect(measure([given([1, 2, 4])])).toEqual([{ kernel: 'third', count: 3, max: 0, rms: 0, ulp: 0 }])
  })

  it('are relative to the largest value', () => {
    const [errors] = measure([given([1, 3, 4])])
    expect(errors).toMatchObject({ count: 3, max: 0.25, ulp: 2 ** 21 })
    expect(errors?.rms).toBeCloseTo(0.25 / Math.sqrt(3), 12)
  })
})
