import { describe, expect, it } from 'vitest'
import { elementPointer, layout, stores } from './cases.js'
import { translateNaga, validateNaga, withoutSubgroupsLine } from './naga.js'
import { validateTint } from './tint.js'

const subgroups = stores('subgroups', 'subgroupAdd(1u)', 'enable subgroups;')

describe('Tint', () => {
  it('takes a module and its pipeline', async () => {
    expect(await validateTint(elementPointer('pointer').wgsl, elementPointer('pointer'))).toMatchObject({ ok: true })
    expect(await validateTint(subgroups.wgsl, subgroups)).toMatchObject({ ok: true })
  })

  it('says where a module is not valid', async () => {
    const result = await validateTint(stores('bad', 'missing').wgsl)
    expect(result.ok).toBe(false)
    expect(result.messages[0]).toMatchObject({ severity: 'error', line: 3, column: 50 })
  })

  it('refuses a layout that does not fit, a missing constant and a missing entry point', async () => {
    const { wgsl } = stores('fit', 'n', 'override n: u32;')
    const fits = { entryPoint: 'main', layouts: [layout('storage')], constants: { n: 1 } }
    expect(await validateTint(wgsl, fits)).toMatchObject({ ok: true })
    expect(await validateTint(wgsl, { ...fits, layouts: [layout('uniform')] })).toMatchObject({ ok: false })
    expect(await validateTint(wgsl, { ...fits, layouts: [] })).toMatchObject({ ok: false })
    expect(await validateTint(wgsl, { ...fits, constants: {} })).toMatchObject({ ok: false })
    expect(await validateTint(wgsl, { ...fits, entryPoint: 'other' })).toMatchObject({ ok: false })
  })

  it('finds a feature that the module needs and the device lacks', async () => {
    expect(await validateTint(subgroups.wgsl, { ...subgroups, features: ['subgroups'] })).toMatchObject({ ok: true })
    expect(await validateTint(subgroups.wgsl, { ...subgroups, features: ['shader-f16'] })).toMatchObject({ ok: false })
    expect(await validateTint(subgroups.wgsl, { features: ['no-such-feature'] })).toMatchObject({ ok: false })
  })

  it('keeps to the limits of the device', async () => {
    const big = stores('big', 'u32(tile[7])', 'var<workgroup> tile: array<f32, 4097>;')
    expect(await validateTint(big.wgsl, { ...big, limits: {} })).toMatchObject({ ok: false })
  })

  it('knows subgroup matrices and immediates', async () => {
    const matrix = `enable chromium_experimental_subgroup_matrix;
@compute @workgroup_size(32) fn main() { var m: subgroup_matrix_left<f32, 8, 8>; _ = m; }`
    expect(await validateTint(matrix)).toMatchObject({ ok: true })
    const immediate = stores('immediate', 'n', 'var<immediate> n: u32;')
    expect(await validateTint(immediate.wgsl, { ...immediate, immediateSize: 4 })).toMatchObject({ ok: true })
    expect(await validateTint(immediate.wgsl, immediate)).toMatchObject({ ok: false })
  })
})

describe('naga', () => {
  it('validates', async () => {
    expect(await validateNaga(stores('fine', '1').wgsl)).toEqual({ ok: true, text: '' })
    const bad = await validateNaga(stores('bad', 'missing').wgsl)
    expect(bad).toMatchObject({ ok: false, kind: 'parse', line: 3, column: 50 })
    expect(bad.text).toContain('missing')
  })

  it('rejects `enable subgroups;` and takes the module without it', async () => {
    expect(await validateNaga(subgroups.wgsl)).toMatchObject({ ok: false })
    expect(await validateNaga(withoutSubgroupsLine(subgroups.wgsl))).toMatchObject({ ok: true })
  })

  it('writes MSL and HLSL', async () => {
    const { wgsl } = stores('translated', '1')
    expect((await translateNaga(wgsl, 'msl')).text).toContain('kernel void main_')
    expect((await translateNaga(wgsl, 'hlsl')).text).toContain('[numthreads(1, 1, 1)]')
  })

  it('goes on after a trap', async () => {
    const deep = `const a = ${'('.repeat(200_000)}1${')'.repeat(200_000)};`
    const operands = Array.from({ length: 100_000 }, () => '1').join(' + ')
    const results = await Promise.all([deep, `const a = ${operands};`].map(validateNaga))
    expect(results.map((result) => result.ok)).toEqual([false, false])
    expect(await validateNaga(stores('after', '1').wgsl)).toMatchObject({ ok: true })
  })
})

describe('withoutSubgroupsLine', () => {
  it('keeps the other names and the line numbers', () => {
    expect(withoutSubgroupsLine('enable subgroups;\nenable f16;\n')).toBe('\nenable f16;\n')
    expect(withoutSubgroupsLine('enable f16, subgroups;\n')).toBe('enable f16;\n')
    expect(withoutSubgroupsLine('// enable subgroups\nenable f16;')).toBe('// enable subgroups\nenable f16;')
  })
})
