// c[m, n] = a[m, k] · b[k, n] + bias[n], all f32 and row-major, any sizes.
//
// A workgroup of 16 × 16 computes a 64 × 64 tile of c, an invocation a 4 × 4 block of it: four vec4f accumulators, one per
// row. Tiles of 16 along k go through workgroup memory as vec4f, a transposed, so that a step of the inner loop is two
// loads for sixteen fma: `a_tile[kk][y]` holds rows 4y…4y+3 at one k, `b_tile[kk][x]` columns 4x…4x+3.
//
// Clamps: the indices into workgroup memory are built from bounded values (local ids, a loop with constant bounds), and
// Tint proves them. Only the eight loads from storage per tile carry one each, and the stores.
//
// Tried on SwiftShader, 384³, fastest of 15 interleaved runs on a shared machine, ms (noise: about ± 5):
//   vec4f accumulators, vec4f tiles: 83 (this; with a·b + c in place of fma 83)
//   16 scalars, vec4f tiles: 83 · 16 scalars, scalar tiles: 81–85 · vec4f accumulators, scalar tiles: 83
//   kk by 2, 4, 16 unrolled: 89, 95, 96 · `if` in place of `select`: 84 · an unguarded path for inner tiles: 91
// Without the loads from workgroup memory it takes 38, without those from storage 67, without fma 72: SwiftShader is
// bound by the loads, whose number the 4 × 4 block fixes. vec4f was kept for GPUs, where it makes them 16 bytes wide.

struct Params {
  m: u32,
  n: u32,
  k: u32,
  has_bias: u32, // 0: `bias` is bound but not read
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(0) @binding(4) var<uniform> params: Params;

var<workgroup> a_tile: array<vec4f, 256>; // [k 16][rows / 4 16]
var<workgroup> b_tile: array<vec4f, 256>; // [k 16][cols / 4 16]

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  let m = params.m;
  let n = params.n;
  let k = params.k;
  let row = wid.y * 64u + lid.y * 4u;
  let col = wid.x * 64u + lid.x * 4u;

  let row_in = vec4<bool>(row < m, row + 1u < m, row + 2u < m, row + 3u < m);
  let col_in = vec4<bool>(col < n, col + 1u < n, col + 2u < n, col + 3u < n);

  var acc0 = vec4f();
  var acc1 = vec4f();
  var acc2 = vec4f();
  var acc3 = vec4f();

  for (var k0 = 0u; k0 < k; k0 += 16u) {
    // Neighbours in x read neighbours of a along k, and of b along n.
    let ka = k0 + lid.x;
    let kb = k0 + lid.y;
    let ai = row * k + ka;
    let bi = kb * n + col;
    let a_raw = vec4f(a[ai], a[ai + k], a[ai + 2u * k], a[ai + 3u * k]);
    let b_raw = vec4f(b[bi], b[bi + 1u], b[bi + 2u], b[bi + 3u]);
    a_tile[lid.x * 16u + lid.y] = select(vec4f(), a_raw, row_in & vec4<bool>(ka < k));
    b_tile[lid.y * 16u + lid.x] = select(vec4f(), b_raw, col_in & vec4<bool>(kb < k));
    workgroupBarrier();

    for (var kk = 0u; kk < 16u; kk += 1u) {
      let av = a_tile[kk * 16u + lid.y];
      let bv = b_tile[kk * 16u + lid.x];
      acc0 = fma(vec4f(av.x), bv, acc0);
      acc1 = fma(vec4f(av.y), bv, acc1);
      acc2 = fma(vec4f(av.z), bv, acc2);
      acc3 = fma(vec4f(av.w), bv, acc3);
    }
    workgroupBarrier();
  }

  if (params.has_bias != 0u) {
    let bias_raw = vec4f(bias[col], bias[col + 1u], bias[col + 2u], bias[col + 3u]); // past the end: not stored
    acc0 += bias_raw;
    acc1 += bias_raw;
    acc2 += bias_raw;
    acc3 += bias_raw;
  }

  let ci = row * n + col;
  if (row_in.x) {
    if (col_in.x) { c[ci] = acc0.x; }
    if (col_in.y) { c[ci + 1u] = acc0.y; }
    if (col_in.z) { c[ci + 2u] = acc0.z; }
    if (col_in.w) { c[ci + 3u] = acc0.w; }
  }
  if (row_in.y) {
    if (col_in.x) { c[ci + n] = acc1.x; }
    if (col_in.y) { c[ci + n + 1u] = acc1.y; }
    if (col_in.z) { c[ci + n + 2u] = acc1.z; }
    if (col_in.w) { c[ci + n + 3u] = acc1.w; }
  }
  if (row_in.z) {
    if (col_in.x) { c[ci + 2u * n] = acc2.x; }
    if (col_in.y) { c[ci + 2u * n + 1u] = acc2.y; }
    if (col_in.z) { c[ci + 2u * n + 2u] = acc2.z; }
    if (col_in.w) { c[ci + 2u * n + 3u] = acc2.w; }
  }
  if (row_in.w) {
    if (col_in.x) { c[ci + 3u * n] = acc3.x; }
    if (col_in.y) { c[ci + 3u * n + 1u] = acc3.y; }
    if (col_in.z) { c[ci + 3u * n + 2u] = acc3.z; }
    if (col_in.w) { c[ci + 3u * n + 3u] = acc3.w; }
  }
}
