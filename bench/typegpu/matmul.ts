// The tiled matmul of @weft/kernels (with bias), statement by statement, in TypeGPU's JavaScript: the peer of the compile
// bench. `unplugin-typegpu` turns the function marked 'use gpu' into an AST at build time (not timed);
// `tgpu.resolve` makes WGSL of it (timed).

import tgpu, { d, std } from 'typegpu-bench'

/**
 * A matmul that has never been resolved: its own layout, variables and function, and accumulators that start at
 * `start`, so that neither TypeGPU nor Tint can have seen it.
 *
 * @returns a function that resolves it to WGSL
 */
export function freshTwin(start: number): () => string {
  const Params = d.struct({ m: d.u32, n: d.u32, k: d.u32 }).$name('Params')
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

      let acc0 = d.vec4f(start)
      let acc1 = d.vec4f(start)
      let acc2 = d.vec4f(start)
      let acc3 = d.vec4f(start)

      for (let k0 = d.u32(0); k0 < k; k0 += 16) {
        const ka = k0 + lid.x
        const kaIn = ka < k
        let a0 = d.f32(0)
        if (kaIn && row < m) a0 = layout.$.a[row * k + ka]!
        let a1 = d.f32(0)
        if (kaIn && row + 1 < m) a1 = layout.$.a[(row + 1) * k + ka]!
        let a2 = d.f32(0)
        if (kaIn && row + 2 < m) a2 = layout.$.a[(row + 2) * k + ka]!
        let a3 = d.f32(0)
        if (kaIn && row + 3 < m) a3 = layout.$.a[(row + 3) * k + ka]!
        aTile.$[lid.x * 16 + lid.y] = d.vec4f(a0, a1, a2, a3)
        const kb = k0 + lid.y
        const kbIn = kb < k
        const bi = kb * n + col
        let b0 = d.f32(0)
        if (kbIn && col < n) b0 = layout.$.b[bi]!
        let b1 = d.f32(0)
        if (kbIn && col + 1 < n) b1 = layout.$.b[bi + 1]!
        let b2 = d.f32(0)
        if (kbIn && col + 2 < n) b2 = layout.$.b[bi + 2]!
        let b3 = d.f32(0)
        if (kbIn && col + 3 < n) b3 = layout.$.b[bi + 3]!
        bTile.$[lid.y * 16 + lid.x] = d.vec4f(b0, b1, b2, b3)
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

      const rowIn0 = row < m
      const c0 = row * n + col
      const rowIn1 = row + 1 < m
      const c1 = (row + 1) * n + col
      const rowIn2 = row + 2 < m
      const c2 = (row + 2) * n + col
      const rowIn3 = row + 3 < m
      const c3 = (row + 3) * n + col
      if (col < n) {
        const offset = layout.$.bias[col]!
        if (rowIn0) layout.$.c[c0] = acc0.x + offset
        if (rowIn1) layout.$.c[c1] = acc1.x + offset
        if (rowIn2) layout.$.c[c2] = acc2.x + offset
        if (rowIn3) layout.$.c[c3] = acc3.x + offset
      }
      if (col + 1 < n) {
        const offset = layout.$.bias[col + 1]!
        if (rowIn0) layout.$.c[c0 + 1] = acc0.y + offset
        if (rowIn1) layout.$.c[c1 + 1] = acc1.y + offset
        if (rowIn2) layout.$.c[c2 + 1] = acc2.y + offset
        if (rowIn3) layout.$.c[c3 + 1] = acc3.y + offset
      }
      if (col + 2 < n) {
        const offset = layout.$.bias[col + 2]!
        if (rowIn0) layout.$.c[c0 + 2] = acc0.z + offset
        if (rowIn1) layout.$.c[c1 + 2] = acc1.z + offset
        if (rowIn2) layout.$.c[c2 + 2] = acc2.z + offset
        if (rowIn3) layout.$.c[c3 + 2] = acc3.z + offset
      }
      if (col + 3 < n) {
        const offset = layout.$.bias[col + 3]!
        if (rowIn0) layout.$.c[c0 + 3] = acc0.w + offset
        if (rowIn1) layout.$.c[c1 + 3] = acc1.w + offset
        if (rowIn2) layout.$.c[c2 + 3] = acc2.w + offset
        if (rowIn3) layout.$.c[c3 + 3] = acc3.w + offset
      }
    })
    .$name('main')

  return () => tgpu.resolve([main])
}
