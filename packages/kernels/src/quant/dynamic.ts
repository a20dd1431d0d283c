import {
  bool,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  tuple,
  u32,
  vec4f,
  vec4i,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import type { FormatView, IntegerFormat } from './format'
import { DOT_VARIANTS, dot4, lowBytes } from './packed'

/**
 * y = x · Wᵀ + bias in integers: x is quantized to int8 with a scale s and a zero point z for each row (by `choose_params` and
 * `quantize_int8`), W is of int8 or int4:
 *
 *     y[i, j] = s[i] Σ_g scale[j, g] (Σ q[i, kk] w[j, kk] - z[i] Σ w[j, kk]) + bias[j],   sums over the kk of group g
 *
 * The inner sums are exact integers: at most 32 products of 2¹⁴ each before they become f32. The scheme is that of the tiled
 * matmul of weights.ts, with words of four bytes in place of quads: tiles of 32 along k, which lie in one group, of 64 rows of x and of W (4 KiB);
 * four products and their sum are one instruction where the language has `dot4I8Packed`.
 *
 * x: m rows of ⌈k/4⌉ words whose bytes from k on are 0; x_scales, x_zeros: [m]. A group is a multiple of 32.
 */

type U32 = Expr<'u32'>
type None = Record<never, never>

interface View {
  readonly x: { at(i: U32): U32 }
  readonly x_scales: { at(i: U32): Expr<'f32'> }
  readonly x_zeros: { at(i: U32): Expr<'i32'> }
  readonly bias: { at(i: U32): Expr<'f32'> }
  readonly y: { at(i: U32): { set(value: Expr<'f32'>): void } }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly with_bias: U32
}

const TILE = 64
const WORDS = 8

export const dynamicMatmulOf = (format: IntegerFormat, storage: Storage): KernelSource => {
  const decl = {
    doc: `y = x · Wᵀ + bias with x in int8, in integer products; W: [n, k] of ${format.doc}`,
    workgroupSize: [16, 16],
    bindings: {
      ...format.bindings,
      x: input(d.arrayOf(d.u32)),
      x_scales: input(d.arrayOf(d.f32)),
      x_zeros: input(d.arrayOf(d.i32)),
      bias: input(scalars(storage)),
      y: output(scalars(storage)),
    },
    params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32, ...format.params },
    workgroups: ({ m, n }: Readonly<Record<'m' | 'n', HostNumber>>) => [ceilDiv(n, TILE).mul(ceilDiv(m, TILE))],
    variants: DOT_VARIANTS,
  } as unknown as KernelDecl<None, None, None>
  return kernel(named(`matmul_dynamic_${format.name}`, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const weights = untyped as unknown as FormatView
    const { m, n, k: depth } = view
    const xTile = k.workgroup('x_tile', u32, WORDS, TILE)
    const wTile = k.workgroup('w_tile', u32, WORDS, TILE)
    const { across, x_words } = k.let({ across: u32`(${n} + ${TILE - 1}) / ${TILE}`, x_words: u32`(${depth} + 3) / 4` })
    const { tile_col, tile_row } = k.let({
      tile_col: k.workgroupIndex.rem(across).mul(TILE),
      tile_row: k.workgroupIndex.div(across).mul(TILE),
    })
    const { word, line } = k.let({ word: k.localIndex.rem(WORDS), line: k.localIndex.div(WORDS) })
    const { row, col } = k.let({ row: tile_row.add(k.localId.y), col: tile_col.add(k.localId.x) })
    const zeros = tuple(4, (i) =>
      k.let(
        `zero${i}`,
        k.when(row.add(16 * i).lt(m), () => view.x_zeros.at(row.add(16 * i)), 0),
      ),
    )
    const acc = tuple(4, (i) => k.var(`acc${i}`, vec4f(0)))
    k.range('k0', 0, depth, 4 * WORDS, (k0) => {
      const kk = k.let('kk', u32`${k0} + ${word} * 4`)
      for (const half of each(2)) {
        const at = k.let('at', line.add(32 * half))
        xTile
          .at(word, at)
          .set(
            k.when(
              bool`${tile_row} + ${at} < ${m} && ${kk} < ${depth}`,
              () => view.x.at(u32`(${tile_row} + ${at}) * ${x_words} + ${kk} / 4`),
              0,
            ),
          )
        wTile
          .at(word, at)
          .set(
            k.when(
              bool`${tile_col} + ${at} < ${n} && ${kk} < ${depth}`,
              () => lowBytes(k, format.bytes(k, weights, tile_col.add(at), kk), depth.sub(kk)),
              0,
            ),
          )
      }
      k.workgroupBarrier()
      const dots = tuple(4, (i) => k.var(`dots${i}`, vec4i(0)))
      const sums = k.var('sums', vec4i(0))
      k.range('q', WORDS, (q) => {
        const w = tuple(4, (j) => k.let(`w${j}`, wTile.at(q, u32`${k.localId.x} + ${16 * j}`)))
        const dot = (a: U32) => vec4i(dot4(k, a, w[0]), dot4(k, a, w[1]), dot4(k, a, w[2]), dot4(k, a, w[3]))
        sums.addAssign(dot(u32(0x01010101)))
        for (const i of each(4)) dots[i].addAssign(dot(k.let(`x${i}`, xTile.at(q, u32`${k.localId.y} + ${16 * i}`))))
      })
      const scales = tuple(4, (j) =>
        k.when(col.add(16 * j).lt(n), () => format.scale(weights, col.add(16 * j), k0), f32(0)),
      )
      const scale = k.let('scale', vec4f(scales[0], scales[1], scales[2], scales[3]))
      for (const i of each(4)) acc[i].set(fn.fma(vec4f(dots[i].sub(sums.mul(zeros[i]))), scale, acc[i]))
      k.workgroupBarrier()
    })
    for (const i of each(4)) {
      k.if(row.add(16 * i).lt(m), () => {
        const ofRow = k.let('of_row', view.x_scales.at(row.add(16 * i)))
        for (const j of each(4))
          k.if(col.add(16 * j).lt(n), () => {
            const bias = k.when(view.with_bias.ne(0), () => read(view.bias.at(col.add(16 * j))), 0)
            view.y
              .at(u32`(${row} + ${16 * i}) * ${n} + ${col} + ${16 * j}`)
              .set(stored(storage, fn.fma(acc[i].at(j), ofRow, bias)))
          })
      })
    }
  })
}
