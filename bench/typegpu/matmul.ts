// The tiled matmul of bench/handwritten/matmul.wgsl, statement by statement, in TypeGPU's JavaScript: the peer of the
// compile bench. `unplugin-typegpu` turns the function marked 'use gpu' into an AST at build time (not timed);
// `tgpu.resolve` makes WGSL of it (timed).

import tgpu, { d, std } from 'typegpu-bench'

/**
 * A matmul that has never been resolved: its own layout, variables and function, and accumulators that start at
 * `start`, so that neither TypeGPU nor Tint can have seen it.
 *
 * @returns a function that resolves it to WGSL
 */
export function freshTwin(start: number): () => string {
  const Params = d.struct({ m: d.u32, n: d.u32, k: d.u32, hasBias: d.u32 }).$name('Params')
  const layout = tgpu
    .bindGroupLayout({
      a: { storage: d.arrayOf(d.f32) },
      b: { storage: d.arrayOf(d.f32) },
      bias: { storage: d.arrayOf(d.f32) },
      c: { storage: d.arrayOf(d.f32), access: 'mutable' },
      params: { uniform: Params },
    })
    .$idx(0)
  const aTile = tgpu.workgroupVar(d.arrayOf(d.vec4f, 256)).$name('aTile')
  const bTile = tgpu.workgroupVar(d.arrayOf(d.vec4f, 256)).$name('bTile')

  const main = tgpu
    .computeFn({
      in: { wid: d.builtin.workgroupId, lid: d.builtin.localInvocationId },
      workgroupSize: [16, 16],
    })(({ wid, lid }) => {
      'use gpu'
      const m = layout.$.params.m
      const n = layout.$.params.n
      const k = layout.$.params.k
      const row = wid.y * 64 + lid.y * 4
      const col = wid.x * 64 + lid.x * 4

      const rowIn = d.vec4b(row < m, row + 1 < m, row + 2 < m, row + 3 < m)
      const colIn = d.vec4b(col < n, col + 1 < n, col + 2 < n, col + 3 < n)

      let acc0 = d.vec4f(start)
      let acc1 = d.vec4f(start)
      let acc2 = d.vec4f(start)
      let acc3 = d.vec4f(start)

      for (let k0 = d.u32(0); k0 < k; k0 += 16) {
        const ka = k0 + lid.x
        const kb = k0 + lid.y
        const ai = row * k + ka
        const bi = kb * n + col
        const aRaw = d.vec4f(layout.$.a[ai]!, layout.$.a[ai + k]!, layout.$.a[ai + 2 * k]!, layout.$.a[ai + 3 * k]!)
        const bRaw = d.vec4f(layout.$.b[bi]!, layout.$.b[bi + 1]!, layout.$.b[bi + 2]!, layout.$.b[bi + 3]!)
        aTile.$[lid.x * 16 + lid.y] = std.select(d.vec4f(), aRaw, std.and(rowIn, d.vec4b(ka < k)))
        bTile.$[lid.y * 16 + lid.x] = std.select(d.vec4f(), bRaw, std.and(colIn, d.vec4b(kb < k)))
        std.workgroupBarrier()

        for (let kk = d.u32(0); kk < 16; kk += 1) {
          const av = d.vec4f(aTile.$[kk * 16 + lid.y]!)
          const bv = d.vec4f(bTile.$[kk * 16 + lid.x]!)
          acc0 = std.fma(d.vec4f(av.x), bv, acc0)
          acc1 = std.fma(d.vec4f(av.y), bv, acc1)
          acc2 = std.fma(d.vec4f(av.z), bv, acc2)
          acc3 = std.fma(d.vec4f(av.w), bv, acc3)
        }
        std.workgroupBarrier()
      }

      if (layout.$.params.hasBias !== 0) {
        const biasRaw = d.vec4f(
          layout.$.bias[col]!,
          layout.$.bias[col + 1]!,
          layout.$.bias[col + 2]!,
          layout.$.bias[col + 3]!,
        )
        acc0 = acc0.add(biasRaw)
        acc1 = acc1.add(biasRaw)
        acc2 = acc2.add(biasRaw)
        acc3 = acc3.add(biasRaw)
      }

      const ci = row * n + col
      if (rowIn.x) {
        if (colIn.x) layout.$.c[ci] = acc0.x
        if (colIn.y) layout.$.c[ci + 1] = acc0.y
        if (colIn.z) layout.$.c[ci + 2] = acc0.z
        if (colIn.w) layout.$.c[ci + 3] = acc0.w
      }
      if (rowIn.y) {
        if (colIn.x) layout.$.c[ci + n] = acc1.x
        if (colIn.y) layout.$.c[ci + n + 1] = acc1.y
        if (colIn.z) layout.$.c[ci + n + 2] = acc1.z
        if (colIn.w) layout.$.c[ci + n + 3] = acc1.w
      }
      if (rowIn.z) {
        if (colIn.x) layout.$.c[ci + 2 * n] = acc2.x
        if (colIn.y) layout.$.c[ci + 2 * n + 1] = acc2.y
        if (colIn.z) layout.$.c[ci + 2 * n + 2] = acc2.z
        if (colIn.w) layout.$.c[ci + 2 * n + 3] = acc2.w
      }
      if (rowIn.w) {
        if (colIn.x) layout.$.c[ci + 3 * n] = acc3.x
        if (colIn.y) layout.$.c[ci + 3 * n + 1] = acc3.y
        if (colIn.z) layout.$.c[ci + 3 * n + 2] = acc3.z
        if (colIn.w) layout.$.c[ci + 3 * n + 3] = acc3.w
      }
    })
    .$name('main')

  return () => tgpu.resolve([main])
}
