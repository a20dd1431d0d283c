import { ceilDiv, d, type Expr, each, input, kernel, output, u32, vec4f } from '@weft/dsl'

/** Rows of c that an invocation computes, and vec4f of each of them. */
const ROWS = 6
const QUADS = 4
/** Values along k that one step takes: those of a vec4f of a. */
const STEP = 4
const GROUP = 8

type Quad = Expr<'vec4f'>

/**
 * c = alpha · a · b of dense f32 matrices, for adapters that compute on the CPU (SwiftShader, lavapipe). a: m × k, b: k × n,
 * c: m × n, row-major, with k and n multiples of 4: `k_quads` and `n_quads` vec4f a row.
 *
 * An invocation computes a block of 6 × 16 and shares nothing, since it is barriers that cost there; after them it is loads
 * (each lane's is one of its own), which large blocks make rare: 22 loads of vec4f for 96 products of one.
 *
 * Tried on SwiftShader, 512³, in CPU time: 4 × 4 329 ms, 4 × 8 273, 4 × 16 252, 8 × 8 230, 6 × 16 183, 8 × 16 168 and 16 × 16
 * 146, which take two and five times as long to compile; scalars of a, one k at a time, 226; `fma` no faster than products
 * and sums. jax-js' kernel (4 × 4, scalars): 342 ms.
 */
export const matmulSerial = kernel(
  'matmul_serial',
  {
    doc: 'c = alpha · a · b of dense matrices in rows of vec4f, without workgroup memory: for adapters that compute on the CPU',
    workgroupSize: [GROUP],
    bindings: { a: input(d.arrayOf(d.vec4f)), b: input(d.arrayOf(d.vec4f)), c: output(d.arrayOf(d.vec4f)) },
    params: { m: d.u32, n_quads: d.u32, k_quads: d.u32, alpha: d.f32 },
    workgroups: ({ m, n_quads }) => [ceilDiv(n_quads, QUADS * GROUP), ceilDiv(m, ROWS)],
  },
  ({ a, b, c, m, n_quads, k_quads, alpha }, k) => {
    const { row, col } = k.let({
      row: u32`${k.workgroupId.y} * ${ROWS}`,
      col: u32`(${k.workgroupId.x} * ${GROUP} + ${k.localIndex}) * ${QUADS}`,
    })
    k.if(col.lt(n_quads), () => {
      const sums = each(ROWS).map((i) => each(QUADS).map((j) => k.var(`sum${i}_${j}`, vec4f(0))))
      // rows and columns beyond the end are computed from the last ones, and not stored
      const lines = each(ROWS).map((i) => k.let(`line${i}`, u32`min(${row} + ${i}, ${m} - 1) * ${k_quads}`))
      const cols = each(QUADS).map((j) => k.let(`col${j}`, u32`min(${col} + ${j}, ${n_quads} - 1)`))
      k.range('kk', 0, k_quads, (kk) => {
        const av = lines.map((line, i) => k.let(`a${i}`, a.at(line.add(kk))))
        const first = k.let('first', u32`${kk} * ${STEP} * ${n_quads}`)
        for (const [j, at] of cols.entries()) {
          const bv = each(STEP).map((t) => k.let(`b${j}_${t}`, b.at(u32`${first} + ${t} * ${n_quads} + ${at}`)))
          for (const [i, line] of sums.entries()) {
            const products = bv.map((quad, t) => quad.mul((av[i] as Quad).at(t)))
            line[j]?.addAssign(products.reduce((sum, product) => sum.add(product)))
          }
        }
      })
      for (const [i, line] of sums.entries()) {
        k.if(row.add(i).lt(m), () => {
          for (const [j, sum] of line.entries()) {
            k.if(col.add(j).lt(n_quads), () =>
              c.at(u32`(${row} + ${i}) * ${n_quads} + ${col} + ${j}`).set(sum.mul(alpha)),
            )
          }
        })
      }
    })
  },
)
