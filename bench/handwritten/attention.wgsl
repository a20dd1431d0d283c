// out = softmax(scale · q·kᵀ) · v, all f32: flash attention forward with an online softmax (Dao et al., 2022; Milakov and
// Gimelshein, 2018), causal or not, grouped queries, head size 64.
//
//   q, out: [batch, heads, queries, 64]   k, v: [batch, kv_heads, keys, 64]   row-major, as vec4f
//
// A workgroup of 64 handles 64 query rows of one head and goes over the keys in tiles of 8. An invocation holds a 4 × 16
// piece: four query rows (`first`…) and a quarter of the head (`piece`), so that one vec4f from workgroup memory serves
// four fma. Its partial dot products go through `part`; then invocation i does the softmax of row i, with one rescale per
// tile, and writes the weights over the partials that it alone has read. 4 barriers per tile, 12.4 KiB.
//
// Visible keys: j < keys, and j ≤ i + keys − queries when causal (the last query sees all; the past comes first). A row
// that sees no key gives zeros. A hidden key has weight 0, which hides any finite value vector (but 0 · ∞ is NaN).
//
// Tried on SwiftShader, 4 heads × 256 × 256, not causal, fastest of 10 interleaved runs on a shared machine, ms:
//   one row per invocation, q and the accumulator as 32 named vec4f, rescale per key, tile 16:         97
//     the same, rescale per 4 keys: 96 (tile 16), 88 (tile 32) · per 8: 103 · per 16: 176, and 6 s to compile
//   one row per invocation, q and the accumulator as arrays, rescale per 1, 4, 16 keys, tile 16:       110, 93, 100
//     the same, per 8 keys, tile 32: 90
//   two rows × half a head per invocation, tile 8:                                                     56
//   four rows × a quarter of the head, tile 4: 52 · tile 8: 44 · tile 8 with padded partials (this):   40
// The machine was busy, so a few ms mean nothing: in 25 more runs the last line was 44, 41, 43, the one above it 50.
// With one row per invocation each fma needs an operand from workgroup memory of its own; here it is a quarter of one.
// The padding is for the banks of a GPU: the four quarters of a row would write to the same one.

struct Params {
  heads: u32,
  kv_heads: u32, // divides heads
  queries: u32,
  keys: u32,
  causal: u32, // 0 or 1
  scale: f32, // multiplies q · k, usually 1 / √64
}

@group(0) @binding(0) var<storage, read> q: array<vec4f>;
@group(0) @binding(1) var<storage, read> k: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

const LOWEST = -3.0e38; // where the running maximum starts: finite, so that LOWEST − LOWEST is 0

var<workgroup> k_tile: array<vec4f, 128>; // [key 8][head / 4 16]
var<workgroup> v_tile: array<vec4f, 128>; // [key 8][head / 4 16]
var<workgroup> part: array<f32, 2080>; // [key 8][piece 4][row 64 + 1 of padding]; piece 0 also takes the weights
var<workgroup> row_scale: array<f32, 64>; // [row 64]

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) lid: u32) {
  let queries = params.queries;
  let keys = params.keys;
  let head = wid.y; // of all batches
  let kv_head = head / params.heads * params.kv_heads + head % params.heads / (params.heads / params.kv_heads);
  let kv_start = kv_head * keys * 16u;

  let piece = lid % 4u;
  let first = lid / 4u * 4u;
  let tile_start = wid.x * 64u;
  let row0 = tile_start + first; // the four rows whose piece this invocation holds
  let row = tile_start + lid; // the row whose softmax it does
  let qi = (head * queries + row0) * 16u + piece * 4u;

  let q00 = q[qi] * params.scale; // a row past the end is computed, not stored
  let q01 = q[qi + 1u] * params.scale;
  let q02 = q[qi + 2u] * params.scale;
  let q03 = q[qi + 3u] * params.scale;
  let q10 = q[qi + 16u] * params.scale;
  let q11 = q[qi + 17u] * params.scale;
  let q12 = q[qi + 18u] * params.scale;
  let q13 = q[qi + 19u] * params.scale;
  let q20 = q[qi + 32u] * params.scale;
  let q21 = q[qi + 33u] * params.scale;
  let q22 = q[qi + 34u] * params.scale;
  let q23 = q[qi + 35u] * params.scale;
  let q30 = q[qi + 48u] * params.scale;
  let q31 = q[qi + 49u] * params.scale;
  let q32 = q[qi + 50u] * params.scale;
  let q33 = q[qi + 51u] * params.scale;

  var acc00 = vec4f();
  var acc01 = vec4f();
  var acc02 = vec4f();
  var acc03 = vec4f();
  var acc10 = vec4f();
  var acc11 = vec4f();
  var acc12 = vec4f();
  var acc13 = vec4f();
  var acc20 = vec4f();
  var acc21 = vec4f();
  var acc22 = vec4f();
  var acc23 = vec4f();
  var acc30 = vec4f();
  var acc31 = vec4f();
  var acc32 = vec4f();
  var acc33 = vec4f();

  var sees = keys; // keys that `row` sees
  var tile_sees = keys; // keys that the last row of the tile sees
  if (params.causal != 0u) {
    let row_end = row + 1u + keys;
    let tile_end = min(tile_start + 64u, queries) + keys;
    sees = min(keys, max(row_end, queries) - queries);
    tile_sees = min(keys, max(tile_end, queries) - queries);
  }

  var top = LOWEST; // running maximum of the scores of `row`
  var sum = 0.0; // running sum of their exponentials

  for (var j0 = 0u; j0 < tile_sees; j0 += 8u) {
    let key0 = j0 + lid / 16u;
    let ti = kv_start + j0 * 16u + lid;
    k_tile[lid] = select(vec4f(), k[ti], key0 < keys);
    k_tile[lid + 64u] = select(vec4f(), k[ti + 64u], key0 + 4u < keys);
    v_tile[lid] = select(vec4f(), v[ti], key0 < keys);
    v_tile[lid + 64u] = select(vec4f(), v[ti + 64u], key0 + 4u < keys);
    workgroupBarrier();

    for (var j = 0u; j < 8u; j += 1u) {
      let ki = j * 16u + piece * 4u;
      let k0 = k_tile[ki];
      let k1 = k_tile[ki + 1u];
      let k2 = k_tile[ki + 2u];
      let k3 = k_tile[ki + 3u];
      let dot0 = fma(q03, k3, fma(q02, k2, fma(q01, k1, q00 * k0)));
      let dot1 = fma(q13, k3, fma(q12, k2, fma(q11, k1, q10 * k0)));
      let dot2 = fma(q23, k3, fma(q22, k2, fma(q21, k1, q20 * k0)));
      let dot3 = fma(q33, k3, fma(q32, k2, fma(q31, k1, q30 * k0)));
      let pi = (j * 4u + piece) * 65u + first;
      part[pi] = (dot0.x + dot0.y) + (dot0.z + dot0.w);
      part[pi + 1u] = (dot1.x + dot1.y) + (dot1.z + dot1.w);
      part[pi + 2u] = (dot2.x + dot2.y) + (dot2.z + dot2.w);
      part[pi + 3u] = (dot3.x + dot3.y) + (dot3.z + dot3.w);
    }
    workgroupBarrier();

    let seen0 = j0 < sees;
    let seen1 = j0 + 1u < sees;
    let seen2 = j0 + 2u < sees;
    let seen3 = j0 + 3u < sees;
    let seen4 = j0 + 4u < sees;
    let seen5 = j0 + 5u < sees;
    let seen6 = j0 + 6u < sees;
    let seen7 = j0 + 7u < sees;
    let score0 = select(LOWEST, (part[lid] + part[lid + 65u]) + (part[lid + 130u] + part[lid + 195u]), seen0);
    let score1 = select(LOWEST, (part[lid + 260u] + part[lid + 325u]) + (part[lid + 390u] + part[lid + 455u]), seen1);
    let score2 = select(LOWEST, (part[lid + 520u] + part[lid + 585u]) + (part[lid + 650u] + part[lid + 715u]), seen2);
    let score3 = select(LOWEST, (part[lid + 780u] + part[lid + 845u]) + (part[lid + 910u] + part[lid + 975u]), seen3);
    let score4 = select(LOWEST, (part[lid + 1040u] + part[lid + 1105u]) + (part[lid + 1170u] + part[lid + 1235u]), seen4);
    let score5 = select(LOWEST, (part[lid + 1300u] + part[lid + 1365u]) + (part[lid + 1430u] + part[lid + 1495u]), seen5);
    let score6 = select(LOWEST, (part[lid + 1560u] + part[lid + 1625u]) + (part[lid + 1690u] + part[lid + 1755u]), seen6);
    let score7 = select(LOWEST, (part[lid + 1820u] + part[lid + 1885u]) + (part[lid + 1950u] + part[lid + 2015u]), seen7);
    let top_low = max(max(score0, score1), max(score2, score3));
    let top_high = max(max(score4, score5), max(score6, score7));
    let new_top = max(top, max(top_low, top_high));
    let rescale = exp(top - new_top);
    let p0 = select(0.0, exp(score0 - new_top), seen0);
    let p1 = select(0.0, exp(score1 - new_top), seen1);
    let p2 = select(0.0, exp(score2 - new_top), seen2);
    let p3 = select(0.0, exp(score3 - new_top), seen3);
    let p4 = select(0.0, exp(score4 - new_top), seen4);
    let p5 = select(0.0, exp(score5 - new_top), seen5);
    let p6 = select(0.0, exp(score6 - new_top), seen6);
    let p7 = select(0.0, exp(score7 - new_top), seen7);
    part[lid] = p0;
    part[lid + 260u] = p1;
    part[lid + 520u] = p2;
    part[lid + 780u] = p3;
    part[lid + 1040u] = p4;
    part[lid + 1300u] = p5;
    part[lid + 1560u] = p6;
    part[lid + 1820u] = p7;
    row_scale[lid] = rescale;
    sum = fma(sum, rescale, ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)));
    top = new_top;
    workgroupBarrier();

    let rescale0 = row_scale[first];
    let rescale1 = row_scale[first + 1u];
    let rescale2 = row_scale[first + 2u];
    let rescale3 = row_scale[first + 3u];
    acc00 *= rescale0;
    acc01 *= rescale0;
    acc02 *= rescale0;
    acc03 *= rescale0;
    acc10 *= rescale1;
    acc11 *= rescale1;
    acc12 *= rescale1;
    acc13 *= rescale1;
    acc20 *= rescale2;
    acc21 *= rescale2;
    acc22 *= rescale2;
    acc23 *= rescale2;
    acc30 *= rescale3;
    acc31 *= rescale3;
    acc32 *= rescale3;
    acc33 *= rescale3;
    for (var j = 0u; j < 8u; j += 1u) {
      let vi = j * 16u + piece * 4u;
      let v0 = v_tile[vi];
      let v1 = v_tile[vi + 1u];
      let v2 = v_tile[vi + 2u];
      let v3 = v_tile[vi + 3u];
      let wi = j * 260u + first;
      let w0 = vec4f(part[wi]);
      let w1 = vec4f(part[wi + 1u]);
      let w2 = vec4f(part[wi + 2u]);
      let w3 = vec4f(part[wi + 3u]);
      acc00 = fma(w0, v0, acc00);
      acc01 = fma(w0, v1, acc01);
      acc02 = fma(w0, v2, acc02);
      acc03 = fma(w0, v3, acc03);
      acc10 = fma(w1, v0, acc10);
      acc11 = fma(w1, v1, acc11);
      acc12 = fma(w1, v2, acc12);
      acc13 = fma(w1, v3, acc13);
      acc20 = fma(w2, v0, acc20);
      acc21 = fma(w2, v1, acc21);
      acc22 = fma(w2, v2, acc22);
      acc23 = fma(w2, v3, acc23);
      acc30 = fma(w3, v0, acc30);
      acc31 = fma(w3, v1, acc31);
      acc32 = fma(w3, v2, acc32);
      acc33 = fma(w3, v3, acc33);
    }
    workgroupBarrier();
  }

  row_scale[lid] = select(1.0 / sum, 0.0, sum == 0.0);
  workgroupBarrier();
  if (row0 < queries) {
    let scale = row_scale[first];
    out[qi] = acc00 * scale;
    out[qi + 1u] = acc01 * scale;
    out[qi + 2u] = acc02 * scale;
    out[qi + 3u] = acc03 * scale;
  }
  if (row0 + 1u < queries) {
    let scale = row_scale[first + 1u];
    out[qi + 16u] = acc10 * scale;
    out[qi + 17u] = acc11 * scale;
    out[qi + 18u] = acc12 * scale;
    out[qi + 19u] = acc13 * scale;
  }
  if (row0 + 2u < queries) {
    let scale = row_scale[first + 2u];
    out[qi + 32u] = acc20 * scale;
    out[qi + 33u] = acc21 * scale;
    out[qi + 34u] = acc22 * scale;
    out[qi + 35u] = acc23 * scale;
  }
  if (row0 + 3u < queries) {
    let scale = row_scale[first + 3u];
    out[qi + 48u] = acc30 * scale;
    out[qi + 49u] = acc31 * scale;
    out[qi + 50u] = acc32 * scale;
    out[qi + 51u] = acc33 * scale;
  }
}
