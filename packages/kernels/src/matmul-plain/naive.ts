import { bool, ceilDiv, d, f32, fn, input, kernel, output, u32 } from '@weft/dsl'

/**
 * c[m, n] = a[m, k] · b[k, n], one invocation per element of c: the version to understand and to compare with.
 * c is row-major; `a` and `b` are any matrices with strides (in elements), so a transposed operand is one whose
 * strides are swapped: a[i, kk] lies at `i · a_row + kk · a_col`.
 */
export const matmulNaive = kernel(
  'matmul_naive',
  {
    workgroupSize: [16, 16],
    bindings: { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)), c: output(d.arrayOf(d.f32)) },
    params: { m: d.u32, n: d.u32, k: d.u32, a_row: d.u32, a_col: d.u32, b_row: d.u32, b_col: d.u32 },
    workgroups: ({ m, n }) => [ceilDiv(n, 16), ceilDiv(m, 16)],
  },
  ({ a, b, c, m, n, k: depth, a_row, a_col, b_row, b_col }, k) => {
    const { row, col } = k.let({ row: k.globalId.y, col: k.globalId.x })
    k.if(bool`${row} < ${m} && ${col} < ${n}`, () => {
      const sum = k.var('sum', f32(0))
      k.range('kk', depth, (kk) => {
        sum.set(
          fn.fma(a.at(u32`${row} * ${a_row} + ${kk} * ${a_col}`), b.at(u32`${kk} * ${b_row} + ${col} * ${b_col}`), sum),
        )
      })
      c.at(u32`${row} * ${n} + ${col}`).set(sum)
    })
  },
)
