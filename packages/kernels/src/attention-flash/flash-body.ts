import { type Builder, type Expr, f32, fn, tuple, u32, vec4f } from '@weft/dsl'
import { keyTile, PART_ROW, PIECES, pieceOf, ROWS, ROWS_EACH } from './flash-plan'
import {
  addValues,
  type Flash,
  loadQueries,
  multiplyKeys,
  softmaxStep,
  stageKeys,
  storeRows,
  type Work,
} from './flash-steps'
import { kvHeadOf } from './heads'
import { LOWEST } from './lowest'

/**
 * The body of the flash attention kernels. A workgroup of 64 handles 64 query rows of one head and goes over the keys in small
 * tiles. An invocation holds four query rows (`first` …) of a quarter of the head (`piece`), so that one vec4f from workgroup
 * memory serves four fma. Its partial dot products go through `part`; then invocation i does the softmax of row i, with one
 * rescale per tile, and writes the weights over the partial products that it alone has read.
 */
export function flashBody(k: Builder, flash: Flash): void {
  const { heads, kv_heads } = flash
  const piece4 = pieceOf(flash.headSize)
  const width = PIECES * piece4
  const tile = keyTile(flash.headSize)
  const memory = {
    kTile: k.workgroup('k_tile', vec4f, tile, width),
    vTile: k.workgroup('v_tile', vec4f, tile, width),
    part: k.workgroup('part', f32, tile, PIECES, PART_ROW),
    rowScale: k.workgroup('row_scale', f32, ROWS),
  }

  const i = k.localIndex
  const { head, tile: queryTile } = flash.place()
  const kvHead = k.let('kv_head', kvHeadOf(head, heads, kv_heads))
  const { piece, first, tileStart } = k.let({
    piece: i.rem(PIECES),
    first: u32`${i} / ${PIECES} * ${ROWS_EACH}`,
    tileStart: queryTile.mul(ROWS),
  })
  const quad = (g: number): Expr<'u32'> => u32`${piece} * ${piece4} + ${g}`
  const row = (r: number): Expr<'u32'> => u32`${tileStart} + ${first} + ${r}`
  const work: Work = { flash, i, piece4, width, tile, ...memory, quad, first, row }

  const q = loadQueries(k, work, head)
  const acc = tuple(ROWS_EACH, (r) => tuple(piece4, (g) => k.var(`acc${r}${g}`, vec4f())))
  const sight = flash.sight({ head, tileStart, i })
  const { top, sum } = k.var({ top: f32(LOWEST), sum: f32(0) })
  k.range('j0', sight.from, sight.to, tile, (j0) => {
    stageKeys(k, work, { kvHead, j0, keys: sight.keys })
    k.workgroupBarrier()
    multiplyKeys(k, work, piece, q)
    k.workgroupBarrier()
    softmaxStep(k, work, { j0, sight, top, sum })
    k.workgroupBarrier()
    addValues(k, work, acc)
    k.workgroupBarrier()
  })

  memory.rowScale.at(i).set(fn.select((flash.total ?? f32(1)).div(sum), 0, sum.eq(0)))
  flash.finish?.({ head, index: tileStart.add(i), top, sum })
  k.workgroupBarrier()
  storeRows(k, work, head, acc)
}
