import { compile } from '@weft/codegen'
import { runPasses } from '@weft/codegen/tools'
import { type Builder, d, type Expr, f32, fn, kernel, output, u32, vec4f } from '@weft/dsl'
import { type Effect, forEachStmt, isKind, type KernelSource } from '@weft/dsl/ir'
import { blockedMatmuls, flashAttention, matrixMatmuls, tiledMatmul } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import type { Working } from '../../packages/codegen/src/passes/graph'
import type { Node } from '../../packages/codegen/src/passes/node'
import { rangeOf } from '../../packages/codegen/src/passes/ranges'
import { PROFILES } from '../../packages/codegen/src/profiles'
import { missing } from './install.js'
import { addedTo, spirvOf } from './spirv.js'

/**
 * What Tint adds to a kernel so that it stays in bounds: a `min` for each index of workgroup memory that it cannot prove,
 * a counter for each loop that it cannot prove to end. Drivers take neither away again, and a loop with a counter is not
 * written out: on an H200, one of 16 rounds took 29 times as long. What weft knows of indices it writes so that Tint can
 * prove it, too; this reads the SPIR-V that comes out.
 */
const added = (source: KernelSource) => addedTo(spirvOf((compile(source).variants.at(-1) as { wgsl: string }).wgsl))

const small = (
  body: (k: Builder, out: { at(i: Expr<'u32'>): { set(x: Expr<'f32'>): void } }, n: Expr<'u32'>) => void,
) =>
  kernel(
    'small',
    { workgroupSize: [64], bindings: { out: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, guards: 'off' },
    ({ out, n }, k) => body(k, out as never, n),
  )

describe.skipIf(missing('dawn') !== undefined)('what Tint adds', () => {
  it.each([
    ['matmul', tiledMatmul('matmul'), 1],
    ['matmul of transposed operands', tiledMatmul('matmul', { transposeA: true, transposeB: true, bias: true }), 1],
    ['attention', flashAttention('attention', 64), 1],
  ])('%s: no clamp; a counter only for the loop over a size of the problem', (_, source, counters) => {
    expect(added(source as KernelSource)).toEqual({ clamps: 0, reads: 0, counters })
  })

  it.each(blockedMatmuls.map((source) => [source.name, source] as const))(
    '%s: no clamp where tiles are read',
    (_, source) => {
      const { clamps, counters } = added(source)
      // what is staged goes to places that are mixed by an exclusive or, which is not followed: a few a round
      expect(clamps).toBeLessThanOrEqual(18)
      expect(counters).toBe(1)
    },
  )

  it('a tile that is filled in steps of the workgroup, and read in steps of 4', () => {
    const source = small((k, out) => {
      const tile = k.workgroup('tile', f32, 1024)
      k.range('i', k.localIndex, 1024, 64, (i) => tile.at(i).set(f32(i)))
      k.workgroupBarrier()
      const sum = k.var('sum', vec4f(0))
      k.range('i', 0, 1024, 4, (i) =>
        sum.addAssign(vec4f(tile.at(i), tile.at(i.add(1)), tile.at(i.add(2)), tile.at(i.add(3)))),
      )
      out.at(k.localIndex).set(fn.dot(sum, vec4f(1)))
    })
    expect(added(source)).toEqual({ clamps: 0, reads: 0, counters: 0 })
  })

  it('halves of a tile in turn, rows by division and remainder, a tile of two dimensions', () => {
    const source = small((k, out, n) => {
      const tile = k.workgroup('tile', f32, 2, 16, 17)
      const { row, col } = k.let({ row: k.localIndex.div(16), col: k.localIndex.rem(16) })
      const sum = k.var('sum', f32(0))
      k.range('round', n, (round) => {
        for (let i = 0; i < 4; i++) tile.at(round.rem(2), row.mul(4).add(i), col).set(f32(round))
        k.workgroupBarrier()
        k.range('i', 16, (i) => sum.addAssign(tile.at(round.rem(2), i, row)))
      })
      out.at(k.localIndex).set(sum)
    })
    expect(added(source)).toEqual({ clamps: 0, reads: 0, counters: 1 })
  })

  it('rounds in groups: the loop over a group has no counter', () => {
    const source = small((k, out, n) => {
      const sum = k.var('sum', f32(0))
      k.range('i', k.localIndex, n, 64, (i) => sum.addAssign(f32(i)), { unroll: 8 })
      out.at(k.localIndex).set(sum)
    })
    expect(added(source)).toEqual({ clamps: 0, reads: 0, counters: 2 })
  })

  it('what nothing is known of is clamped, so that the tests above can fail', () => {
    const source = small((k, out, n) => {
      const tile = k.workgroup('tile', f32, 1024)
      k.range('i', n, n.mul(2), (i) => tile.at(i).set(1))
      k.workgroupBarrier()
      out.at(k.localIndex).set(tile.at(k.localIndex.bitXor(u32(1))))
    })
    expect(added(source)).toEqual({ clamps: 2, reads: 1, counters: 1 })
  })
})

/**
 * Loads and stores of subgroup matrices, which no software GPU has: Tint leaves those alone whose offset and stride it can
 * prove to stay within a workgroup array. `ranges.ts` follows its rules.
 */
describe('subgroup matrices in workgroup memory', () => {
  const sizeOf = { f16: 2, f32: 4, i32: 4, u32: 4, i8: 1, u8: 1, bool: 4 } as const

  function isProven({ graph }: Working, s: Effect): boolean {
    const matrix = (s.op === 'subgroupMatrixLoad' ? s.result : s.args[1])?.type ?? 'f32'
    const array = s.place?.type ?? 'f32'
    if (!isKind(matrix, 'subgroup_matrix') || !isKind(array, 'array') || typeof array.count !== 'number') return false
    const [offset, stride] = [s.args[0], s.args.at(-1)].map((e) => rangeOf(e as Node, graph.facts))
    if (!offset || !stride) return false
    const bytes = typeof array.of === 'string' ? array.of : 'f32'
    const element = bytes.startsWith('vec4') ? 16 : sizeOf[bytes as keyof typeof sizeOf]
    const [lines, line] = s.majorness === 'row' ? [matrix.rows, matrix.cols] : [matrix.cols, matrix.rows]
    const width = Math.max((line * sizeOf[matrix.of]) / element, 1)
    return stride.low >= width && offset.high + stride.high * (lines - 1) + width <= array.count
  }

  it.each(matrixMatmuls.map((source) => [source.name, source] as const))('%s', (_, source) => {
    const kernel = runPasses(source.ir(), PROFILES.any, source.limits ? { limits: source.limits } : {}) as Working
    const found: boolean[] = []
    forEachStmt(kernel.body, (s) => {
      if (s.kind !== 'effect' || !s.op.startsWith('subgroupMatrix') || s.place?.root.kind !== 'variable') return
      found.push(isProven(kernel, s))
    })
    expect(found.length).toBeGreaterThan(0)
    expect(found).not.toContain(false)
  })
})
