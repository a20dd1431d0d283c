import type { Block, Expr, Func } from '../../ir'
import * as t from '../../ir/testing/fixture'
import type { Type } from '../../types'

/**
 * Uniformity, case by case: the IR, the same in WGSL by hand, and what is wrong with it. Chrome's compiler agrees with
 * every one (see uniformity.engine.test.ts).
 */
export interface UniformityCase {
  readonly name: string
  readonly wgsl: string
  readonly fault: 'divergent-barrier' | 'divergent-subgroup' | 'not-uniform' | null
  body(b: Bindings): Block
  readonly functions?: (b: Bindings) => readonly Func[]
}

export interface Bindings {
  readonly o: ReturnType<typeof t.inout>
  readonly ro: ReturnType<typeof t.input>
  readonly u: ReturnType<typeof t.input>
  readonly at: ReturnType<typeof t.inout>
  readonly mt: ReturnType<typeof t.input>
  readonly sampled: ReturnType<typeof t.input>
  readonly written: ReturnType<typeof t.inout>
  readonly wg: ReturnType<typeof t.variable>
  readonly pv: ReturnType<typeof t.variable>
}

const P: Type = { kind: 'struct', name: 'P', fields: [{ name: 'a', type: 'u32' }] }

export const bindings = (): Bindings => ({
  o: t.inout('o', t.array('u32', 64)),
  ro: t.input('ro', t.array('u32')),
  u: { ...t.input('u', P), kind: 'uniform' },
  at: t.inout('at', t.array(t.atomic(), 64)),
  mt: t.input('mt'),
  sampled: { ...t.input('sampled', { kind: 'texture', dimension: '2d', of: 'u32' }), kind: 'texture' },
  written: {
    ...t.inout('written', { kind: 'texture', dimension: '2d', of: 'u32', format: 'r32uint', access: 'read_write' }),
    kind: 'texture',
  },
  wg: t.variable('wg', t.array('u32', 64), null, 'workgroup'),
  pv: t.variable('pv', 'u32', t.u(7), 'private'),
})

export const kernelOf = (c: UniformityCase) => {
  const b = bindings()
  return t.kernel(c.body(b), {
    bindings: [b.o, b.ro, b.u, b.at, b.mt, b.sampled, b.written],
    variables: [b.wg, b.pv],
    functions: c.functions?.(b) ?? [],
    guards: 'off',
  })
}

export const PRELUDE = `enable subgroups; enable chromium_experimental_subgroup_matrix;
@group(0) @binding(0) var<storage, read_write> o: array<u32, 64>;
@group(0) @binding(1) var<storage, read> ro: array<u32>;
struct P { a: u32 }
@group(0) @binding(2) var<uniform> u: P;
@group(0) @binding(3) var<storage, read_write> at: array<atomic<u32>, 64>;
@group(0) @binding(4) var<storage, read> mt: array<f32>;
@group(0) @binding(5) var sampled: texture_2d<u32>;
@group(0) @binding(6) var written: texture_storage_2d<r32uint, read_write>;
var<workgroup> wg: array<u32, 64>;
var<private> pv: u32 = 7u;
fn early(a: u32) { if (a > 3u) { return; } }
fn inc(a: u32) -> u32 { return a + 1u; }
fn put(p: ptr<function, u32>, a: u32) { *p = a; }
fn sync() { workgroupBarrier(); }
fn syncIf(a: u32) { if (a > 2u) { workgroupBarrier(); } }
fn either(a: u32) -> u32 { if (a > 2u) { return 1u; } return 1u; }
fn add(a: u32) -> u32 { return subgroupAdd(a); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) lid: u32, @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) nwg: vec3u,
  @builtin(subgroup_id) sgid: u32, @builtin(subgroup_invocation_id) sid: u32, @builtin(subgroup_size) sgsize: u32,
  @builtin(num_subgroups) nsg: u32, @builtin(global_invocation_id) gid: vec3u) {
`

const gt = (a: Expr, n = 3): Expr => t.op('gt', a, t.u(n))
const sync = (test: Expr): Block => [t.if_(test, [t.barrier()])]
const sgAdd = () => t.effect('subgroupAdd', 'u32', [t.u(1)])
const sg = (test: Expr): Block => [t.if_(test, [sgAdd()])]
const upTo = (end: Expr, body: Block): Block => [t.range('i', t.u(0), end, t.u(1), () => body)]
const B = 'divergent-barrier'
const S = 'divergent-subgroup'

const funcs = (): readonly Func[] => [
  t.func('early', [['a', 'u32']], null, [t.if_(gt(t.argument('a')), [t.return_()])]),
  t.func('inc', [['a', 'u32']], 'u32', [t.return_(t.op('add', t.argument('a'), t.u(1)))]),
  t.func(
    'put',
    [
      ['p', t.pointer('function', 'u32')],
      ['a', 'u32'],
    ],
    null,
    [t.store(t.deref('p', 'u32'), t.argument('a'))],
  ),
  t.func('sync', [], null, [t.barrier()]),
  t.func('syncIf', [['a', 'u32']], null, sync(gt(t.argument('a'), 2))),
  t.func('either', [['a', 'u32']], 'u32', [t.if_(gt(t.argument('a'), 2), [t.return_(t.u(1))]), t.return_(t.u(1))]),
  (() => {
    const s = t.effect('subgroupAdd', 'u32', [t.argument('a')])
    return t.func('add', [['a', 'u32']], 'u32', [s, t.return_(s.result)])
  })(),
]

/** A variable, what is done to it, and a barrier that its value guards. */
const viaVar = (init: Expr, between: (v: ReturnType<typeof t.variable>) => Block): Block => {
  const v = t.variable('x', init.type, init)
  const inner = between(v)
  const read = t.load(t.ref(v))
  return [t.var_(v), ...inner, read, ...sync(gt(read.result, 0))]
}
const viaLoad = (load: ReturnType<typeof t.load>): Block => [load, ...sync(gt(load.result))]
const calls = (
  name: string,
  args: Parameters<typeof t.call>[1],
  type: Type | null,
  then: (r: Expr) => Block = () => [],
): Block => {
  const c = t.call(name, args, type)
  return [c, ...then(c.result ?? t.u(0))]
}
const result = (e: ReturnType<typeof t.effect>, then: (r: Expr) => Block): Block => [e, ...then(e.result!)]

const LEFT: Type = { kind: 'subgroup_matrix', role: 'left', of: 'f32', cols: 8, rows: 8 }
const matrix = (b: Bindings, offset: Expr, stride: Expr): ReturnType<typeof t.effect> => ({
  ...t.effect('subgroupMatrixLoad', LEFT, [offset, stride], t.ref(b.mt)),
  majorness: 'row',
})
const LOAD = 'let m = subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>, row_major>'
const texel = (e: ReturnType<typeof t.effect>): Block => result(e, (r) => sync(gt(t.lane(r, 0))))
const origin = (): Expr => t.construct('vec2u')

export const CASES: readonly UniformityCase[] = [
  // Sources.
  { name: 'local id', fault: B, wgsl: 'if (lid > 3u) { workgroupBarrier(); }', body: () => sync(gt(t.lid())) },
  { name: 'global id', fault: B, wgsl: 'if (gid.x > 3u) { workgroupBarrier(); }', body: () => sync(gt(t.global())) },
  {
    name: 'workgroup id',
    fault: null,
    wgsl: 'if (wid.x > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.workgroup())),
  },
  {
    name: 'number of workgroups',
    fault: null,
    wgsl: 'if (nwg.x > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.lane(t.builtin('num_workgroups', 'vec3u'), 0))),
  },
  {
    name: 'subgroup size',
    fault: null,
    wgsl: 'if (sgsize > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.builtin('subgroup_size'))),
  },
  {
    name: 'number of subgroups',
    fault: null,
    wgsl: 'if (nsg > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.builtin('num_subgroups'))),
  },
  {
    name: 'subgroup id, barrier',
    fault: B,
    wgsl: 'if (sgid > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.builtin('subgroup_id'))),
  },
  {
    name: 'subgroup id, subgroup operation',
    fault: null,
    wgsl: 'if (sgid > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => sg(gt(t.builtin('subgroup_id'))),
  },
  {
    name: 'id within the subgroup',
    fault: S,
    wgsl: 'if (sid > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => sg(gt(t.builtin('subgroup_invocation_id'))),
  },
  {
    name: 'uniform buffer',
    fault: null,
    wgsl: 'if (u.a > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.u, 'a'))),
  },
  {
    name: 'read-only storage',
    fault: null,
    wgsl: 'if (ro[wid.x] > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.ro, t.workgroup()))),
  },
  {
    name: 'read-only storage at a divergent index',
    fault: B,
    wgsl: 'if (ro[lid] > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.ro, t.lid()))),
  },
  {
    name: 'writable storage',
    fault: B,
    wgsl: 'if (o[0] > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.o, t.u(0)))),
  },
  {
    name: 'workgroup memory',
    fault: B,
    wgsl: 'if (wg[0] > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.wg, t.u(0)))),
  },
  {
    name: 'private memory',
    fault: B,
    wgsl: 'if (pv > 3u) { workgroupBarrier(); }',
    body: (b) => viaLoad(t.load(t.ref(b.pv))),
  },
  {
    name: 'length of an array',
    fault: null,
    wgsl: 'if (arrayLength(&ro) > 3u) { workgroupBarrier(); }',
    body: (b) => sync(gt({ kind: 'length', at: 0, type: 'u32', of: t.ref(b.ro) })),
  },
  {
    name: 'atomic',
    fault: B,
    wgsl: 'if (atomicLoad(&at[0]) > 3u) { workgroupBarrier(); }',
    body: (b) => result(t.effect('atomicLoad', 'u32', [], t.ref(b.at, t.u(0))), (r) => sync(gt(r))),
  },
  {
    name: 'workgroupUniformLoad',
    fault: null,
    wgsl: 'if (workgroupUniformLoad(&wg[3]) > 3u) { workgroupBarrier(); }',
    body: (b) => result(t.effect('workgroupUniformLoad', 'u32', [], t.ref(b.wg, t.u(3))), (r) => sync(gt(r))),
  },
  {
    name: 'workgroupUniformLoad at a divergent index',
    fault: 'not-uniform',
    wgsl: 'o[0] = workgroupUniformLoad(&wg[lid]);',
    body: (b) => [t.effect('workgroupUniformLoad', 'u32', [], t.ref(b.wg, t.lid()))],
  },
  {
    name: 'workgroupUniformLoad in divergent flow',
    fault: B,
    wgsl: 'if (lid > 3u) { o[0] = workgroupUniformLoad(&wg[3]); }',
    body: (b) => [t.if_(gt(t.lid()), [t.effect('workgroupUniformLoad', 'u32', [], t.ref(b.wg, t.u(3)))])],
  },
  // Operators.
  {
    name: 'select',
    fault: B,
    wgsl: 'if (select(1u, 2u, lid > 2u) > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.op('select', t.u(1), t.u(2), gt(t.lid(), 2)))),
  },
  {
    name: 'and',
    fault: B,
    wgsl: 'if (lid > 2u && u.a > 2u) { workgroupBarrier(); }',
    body: () => sync(t.op('and', gt(t.lid()), gt(t.workgroup()))),
  },
  {
    name: 'vector with a divergent lane',
    fault: B,
    wgsl: 'if (vec2u(lid, 1u).y > 3u) { workgroupBarrier(); }',
    body: () => sync(gt(t.lane(t.construct('vec2u', t.lid(), t.u(1)), 1))),
  },
  // Subgroup operations.
  {
    name: 'subgroup operation in divergent flow',
    fault: S,
    wgsl: 'if (lid > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => sg(gt(t.lid())),
  },
  {
    name: 'subgroup result guards a barrier',
    fault: B,
    wgsl: 'if (subgroupAdd(1u) > 3u) { workgroupBarrier(); }',
    body: () => result(sgAdd(), (r) => sync(gt(r))),
  },
  {
    name: 'subgroup result guards a subgroup operation',
    fault: null,
    wgsl: 'if (subgroupAdd(1u) > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => result(sgAdd(), (r) => sg(gt(r))),
  },
  {
    name: 'subgroup result of a divergent value',
    fault: S,
    wgsl: 'if (subgroupAdd(lid) > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => result(t.effect('subgroupAdd', 'u32', [t.lid()]), (r) => sg(gt(r))),
  },
  {
    name: 'inclusive result',
    fault: S,
    wgsl: 'if (subgroupInclusiveAdd(1u) > 3u) { o[0] = subgroupAdd(1u); }',
    body: () => result(t.effect('subgroupInclusiveAdd', 'u32', [t.u(1)]), (r) => sg(gt(r))),
  },
  {
    name: 'elect',
    fault: S,
    wgsl: 'if (subgroupElect()) { o[0] = subgroupAdd(1u); }',
    body: () => result(t.effect('subgroupElect', 'bool'), sg),
  },
  {
    name: 'shuffle by a divergent delta',
    fault: 'not-uniform',
    wgsl: 'o[0] = subgroupShuffleDown(lid, sid);',
    body: () => [t.effect('subgroupShuffleDown', 'u32', [t.lid(), t.builtin('subgroup_invocation_id')])],
  },
  {
    name: 'shuffle by a subgroup-uniform delta',
    fault: null,
    wgsl: 'o[0] = subgroupShuffleDown(lid, sgid);',
    body: () => [t.effect('subgroupShuffleDown', 'u32', [t.lid(), t.builtin('subgroup_id')])],
  },
  {
    name: 'shuffle by a divergent mask',
    fault: 'not-uniform',
    wgsl: 'o[0] = subgroupShuffleXor(lid, sid);',
    body: () => [t.effect('subgroupShuffleXor', 'u32', [t.lid(), t.builtin('subgroup_invocation_id')])],
  },
  {
    name: 'shuffle from a divergent id',
    fault: null,
    wgsl: 'o[0] = subgroupShuffle(lid, sid);',
    body: () => [t.effect('subgroupShuffle', 'u32', [t.lid(), t.builtin('subgroup_invocation_id')])],
  },
  {
    name: 'barrier by workgroup id within a subgroup branch',
    fault: B,
    wgsl: 'if (sgid > 1u) { if (wid.x > 1u) { workgroupBarrier(); } }',
    body: () => [t.if_(gt(t.builtin('subgroup_id')), sync(gt(t.workgroup())))],
  },
  {
    name: 'matrix at a subgroup-uniform offset',
    fault: null,
    wgsl: `${LOAD}(&mt, sgid, 8);`,
    body: (b) => [matrix(b, t.builtin('subgroup_id'), t.u(8))],
  },
  {
    name: 'matrix at a divergent offset',
    fault: 'not-uniform',
    wgsl: `${LOAD}(&mt, lid, 8);`,
    body: (b) => [matrix(b, t.lid(), t.u(8))],
  },
  {
    name: 'matrix of a divergent stride',
    fault: 'not-uniform',
    wgsl: `${LOAD}(&mt, 0, lid);`,
    body: (b) => [matrix(b, t.u(0), t.lid())],
  },
  {
    name: 'matrix in a branch by subgroup',
    fault: null,
    wgsl: `if (sgid > 3u) { ${LOAD}(&mt, 0, 8); }`,
    body: (b) => [t.if_(gt(t.builtin('subgroup_id')), [matrix(b, t.u(0), t.u(8))])],
  },
  {
    name: 'matrix in divergent flow',
    fault: S,
    wgsl: `if (lid > 3u) { ${LOAD}(&mt, 0, 8); }`,
    body: (b) => [t.if_(gt(t.lid()), [matrix(b, t.u(0), t.u(8))])],
  },
  {
    name: 'texel of a sampled texture',
    fault: null,
    wgsl: 'if (textureLoad(sampled, vec2u(), 0u).x > 3u) { workgroupBarrier(); }',
    body: (b) => texel(t.effect('textureLoad', 'vec4u', [origin(), t.u(0)], t.ref(b.sampled))),
  },
  {
    name: 'texel of a texture that is written',
    fault: B,
    wgsl: 'if (textureLoad(written, vec2u()).x > 3u) { workgroupBarrier(); }',
    body: (b) => texel(t.effect('textureLoad', 'vec4u', [origin()], t.ref(b.written))),
  },
  {
    name: 'size of a texture',
    fault: null,
    wgsl: 'if (textureDimensions(written).x > 3u) { workgroupBarrier(); }',
    body: (b) => texel(t.effect('textureDimensions', 'vec2u', [], t.ref(b.written))),
  },
  // Variables.
  {
    name: 'variable overwritten',
    fault: null,
    wgsl: 'var x = lid; x = 1u; if (x > 0u) { workgroupBarrier(); }',
    body: () => viaVar(t.lid(), (v) => [t.store(t.ref(v), t.u(1))]),
  },
  {
    name: 'variable assigned in a divergent branch',
    fault: B,
    wgsl: 'var x = 0u; if (lid > 2u) { x = 1u; } if (x > 0u) { workgroupBarrier(); }',
    body: () => viaVar(t.u(0), (v) => [t.if_(gt(t.lid()), [t.store(t.ref(v), t.u(1))])]),
  },
  {
    name: 'variable assigned the same in both branches',
    fault: B,
    wgsl: 'var x = 0u; if (lid > 2u) { x = 1u; } else { x = 1u; } if (x > 0u) { workgroupBarrier(); }',
    body: () => viaVar(t.u(0), (v) => [t.if_(gt(t.lid()), [t.store(t.ref(v), t.u(1))], [t.store(t.ref(v), t.u(1))])]),
  },
  {
    name: 'variable assigned in a uniform branch',
    fault: null,
    wgsl: 'var x = 0u; if (wid.x > 2u) { x = 1u; } if (x > 0u) { workgroupBarrier(); }',
    body: () => viaVar(t.u(0), (v) => [t.if_(gt(t.workgroup()), [t.store(t.ref(v), t.u(1))])]),
  },
  {
    name: 'one lane overwritten',
    fault: B,
    wgsl: 'var x = vec2u(lid, 1u); x.x = 1u; if (x.y > 0u) { workgroupBarrier(); }',
    body: () => {
      const v = t.variable('x', 'vec2u', t.construct('vec2u', t.lid(), t.u(1)))
      const read = t.load(t.ref(v))
      return [t.var_(v), t.store(t.ref(v, t.u(0)), t.u(1)), read, ...sync(gt(t.lane(read.result, 1)))]
    },
  },
  {
    name: 'element assigned at a divergent index',
    fault: B,
    wgsl: 'var x = array<u32, 4>(); x[lid] = 1u; if (x[0] > 0u) { workgroupBarrier(); }',
    body: () => {
      const v = t.variable('x', t.array('u32', 4), t.construct(t.array('u32', 4)))
      const read = t.load(t.ref(v, t.u(0)))
      return [t.var_(v), t.store(t.ref(v, t.lid()), t.u(1)), read, ...sync(gt(read.result))]
    },
  },
  {
    name: 'variable of an earlier round',
    fault: B,
    wgsl: 'var x = 0u; for (var i = 0u; i < 4u; i++) { if (x > 0u) { workgroupBarrier(); } x = lid; }',
    body: () => {
      const v = t.variable('x', 'u32', t.u(0))
      const read = t.load(t.ref(v))
      return [t.var_(v), ...upTo(t.u(4), [read, ...sync(gt(read.result)), t.store(t.ref(v), t.lid())])]
    },
  },
  // Loops.
  {
    name: 'after a divergent loop',
    fault: null,
    wgsl: 'for (var i = 0u; i < lid; i++) { o[i] = 1u; } workgroupBarrier();',
    body: (b) => [...upTo(t.lid(), [t.store(t.ref(b.o, t.u(0)), t.u(1))]), t.barrier()],
  },
  {
    name: 'in a divergent loop',
    fault: B,
    wgsl: 'for (var i = 0u; i < lid; i++) { workgroupBarrier(); }',
    body: () => upTo(t.lid(), [t.barrier()]),
  },
  {
    name: 'in a uniform loop',
    fault: null,
    wgsl: 'for (var i = 0u; i < u.a; i++) { workgroupBarrier(); }',
    body: () => upTo(t.workgroup(), [t.barrier()]),
  },
  {
    name: 'in a uniform loop within a divergent one',
    fault: B,
    wgsl: 'for (var i = 0u; i < lid; i++) { for (var j = 0u; j < 3u; j++) { workgroupBarrier(); } }',
    body: () => upTo(t.lid(), upTo(t.u(3), [t.barrier()])),
  },
  {
    name: 'range that starts divergently',
    fault: B,
    wgsl: 'for (var i = lid; i < 100u; i += 64u) { workgroupBarrier(); }',
    body: () => [t.range('i', t.lid(), t.u(100), t.u(64), () => [t.barrier()])],
  },
  {
    name: 'value of a divergent loop',
    fault: B,
    wgsl: 'var s = 0u; for (var i = 0u; i < lid; i++) { s = 1u; } if (s > 0u) { workgroupBarrier(); }',
    body: () => viaVar(t.u(0), (v) => upTo(t.lid(), [t.store(t.ref(v), t.u(1))])),
  },
  {
    name: 'after a loop left divergently',
    fault: null,
    wgsl: 'loop { if (lid > 3u) { break; } } workgroupBarrier();',
    body: () => [t.loop({ body: [t.if_(gt(t.lid()), [t.break_()])] }), t.barrier()],
  },
  {
    name: 'barrier, then a divergent break',
    fault: B,
    wgsl: 'loop { workgroupBarrier(); if (lid > 3u) { break; } }',
    body: () => [t.loop({ body: [t.barrier(), t.if_(gt(t.lid()), [t.break_()])] })],
  },
  {
    name: 'barrier, then a divergent continue',
    fault: B,
    wgsl: 'for (var i = 0u; i < 4u; i++) { workgroupBarrier(); if (lid > 3u) { continue; } o[0] = 1u; }',
    body: (b) => upTo(t.u(4), [t.barrier(), t.if_(gt(t.lid()), [t.continue_()]), t.store(t.ref(b.o, t.u(0)), t.u(1))]),
  },
  {
    name: 'divergent break if',
    fault: null,
    wgsl: 'loop { continuing { break if lid > 3u; } } workgroupBarrier();',
    body: () => [t.loop({ breakIf: gt(t.lid()) }), t.barrier()],
  },
  {
    name: 'barrier in the body of a divergent break if',
    fault: B,
    wgsl: 'loop { workgroupBarrier(); continuing { break if lid > 3u; } }',
    body: () => [t.loop({ body: [t.barrier()], breakIf: gt(t.lid()) })],
  },
  {
    name: 'value after a divergent break if',
    fault: B,
    wgsl: 'var x = 0u; loop { x += 1u; continuing { break if x > lid; } } if (x > 2u) { workgroupBarrier(); }',
    body: () =>
      viaVar(t.u(0), (v) => {
        const read = t.load(t.ref(v))
        const again = t.load(t.ref(v))
        return [
          t.loop({
            body: [read, t.store(t.ref(v), t.op('add', read.result, t.u(1))), again],
            breakIf: t.op('gt', again.result, t.lid()),
          }),
        ]
      }),
  },
  {
    name: 'value before a uniform break',
    fault: null,
    wgsl: 'var x = 0u; loop { x = 5u; break; } if (x > 2u) { workgroupBarrier(); }',
    body: () => viaVar(t.u(0), (v) => [t.loop({ body: [t.store(t.ref(v), t.u(5)), t.break_()] })]),
  },
  {
    name: 'value kept at a loop that may leave before it changes',
    fault: B,
    wgsl: 'var x = 0u; loop { if (lid > 3u) { break; } x = lid; } if (x > 2u) { workgroupBarrier(); }',
    body: () =>
      viaVar(t.u(0), (v) => [t.loop({ body: [t.if_(gt(t.lid()), [t.break_()]), t.store(t.ref(v), t.lid())] })]),
  },
  {
    name: 'return in a divergent loop',
    fault: B,
    wgsl: 'loop { if (lid > 3u) { return; } break; } workgroupBarrier();',
    body: () => [t.loop({ body: [t.if_(gt(t.lid()), [t.return_()]), t.break_()] }), t.barrier()],
  },
  {
    name: 'while with a divergent test',
    fault: B,
    wgsl: 'var x = 0u; while (x < lid) { x++; workgroupBarrier(); }',
    body: () => {
      const v = t.variable('x', 'u32', t.u(0))
      const read = t.load(t.ref(v))
      return [
        t.var_(v),
        t.loop({
          header: [read],
          test: t.op('lt', read.result, t.lid()),
          body: [t.store(t.ref(v), t.op('add', read.result, t.u(1))), t.barrier()],
        }),
      ]
    },
  },
  // Other control.
  {
    name: 'after a divergent branch',
    fault: null,
    wgsl: 'if (lid > 3u) { o[0] = 1u; } workgroupBarrier();',
    body: (b) => [t.if_(gt(t.lid()), [t.store(t.ref(b.o, t.u(0)), t.u(1))]), t.barrier()],
  },
  {
    name: 'after a divergent return',
    fault: B,
    wgsl: 'if (lid > 3u) { return; } workgroupBarrier();',
    body: () => [t.if_(gt(t.lid()), [t.return_()]), t.barrier()],
  },
  {
    name: 'after a uniform return',
    fault: null,
    wgsl: 'if (wid.x > 3u) { return; } workgroupBarrier();',
    body: () => [t.if_(gt(t.workgroup()), [t.return_()]), t.barrier()],
  },
  {
    name: 'in unreachable code',
    fault: null,
    wgsl: 'return; if (lid > 3u) { workgroupBarrier(); }',
    body: () => [t.return_(), ...sync(gt(t.lid()))],
  },
  {
    name: 'after a divergent switch',
    fault: null,
    wgsl: 'switch (lid) { case 1u: { if (wid.x > 3u) { break; } o[0] = 1u; } default: {} } workgroupBarrier();',
    body: (b) => [
      t.switch_(t.lid(), [[[1], [t.if_(gt(t.workgroup()), [t.break_()]), t.store(t.ref(b.o, t.u(0)), t.u(1))]]]),
      t.barrier(),
    ],
  },
  {
    name: 'in a divergent switch',
    fault: B,
    wgsl: 'switch (lid) { case 1u: { workgroupBarrier(); } default: {} }',
    body: () => [t.switch_(t.lid(), [[[1], [t.barrier()]]])],
  },
  {
    name: 'after a divergent switch that returns',
    fault: B,
    wgsl: 'switch (lid) { case 1u: { return; } default: {} } workgroupBarrier();',
    body: () => [t.switch_(t.lid(), [[[1], [t.return_()]]]), t.barrier()],
  },
  {
    name: 'divergent continue in a switch',
    fault: B,
    wgsl: 'for (var i = 0u; i < 4u; i++) { switch (lid) { case 1u: { continue; } default: {} } workgroupBarrier(); }',
    body: () => upTo(t.u(4), [t.switch_(t.lid(), [[[1], [t.continue_()]]]), t.barrier()]),
  },
  {
    name: 'loop within a divergent branch',
    fault: null,
    wgsl: 'if (lid > 2u) { loop { break; } } workgroupBarrier();',
    body: () => [t.if_(gt(t.lid()), [t.loop({ body: [t.break_()] })]), t.barrier()],
  },
  // Functions.
  {
    name: 'function that returns early',
    fault: null,
    wgsl: 'early(lid); workgroupBarrier();',
    functions: funcs,
    body: () => [...calls('early', [t.lid()], null), t.barrier()],
  },
  {
    name: 'function of a uniform argument',
    fault: null,
    wgsl: 'if (inc(wid.x) > 3u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => calls('inc', [t.workgroup()], 'u32', (r) => sync(gt(r))),
  },
  {
    name: 'function of a divergent argument',
    fault: B,
    wgsl: 'if (inc(lid) > 3u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => calls('inc', [t.lid()], 'u32', (r) => sync(gt(r))),
  },
  {
    name: 'pointer written uniformly',
    fault: null,
    wgsl: 'var x = lid; put(&x, 3u); if (x > 0u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => viaVar(t.lid(), (v) => calls('put', [t.ref(v), t.u(3)], null)),
  },
  {
    name: 'pointer written divergently',
    fault: B,
    wgsl: 'var x = 1u; put(&x, lid); if (x > 0u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => viaVar(t.u(1), (v) => calls('put', [t.ref(v), t.lid()], null)),
  },
  {
    name: 'pointer written in a divergent branch',
    fault: B,
    wgsl: 'var x = 1u; if (lid > 3u) { put(&x, 3u); } if (x > 0u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => viaVar(t.u(1), (v) => [t.if_(gt(t.lid()), calls('put', [t.ref(v), t.u(3)], null))]),
  },
  {
    name: 'function with a barrier, called divergently',
    fault: B,
    wgsl: 'if (lid > 3u) { sync(); }',
    functions: funcs,
    body: () => [t.if_(gt(t.lid()), calls('sync', [], null))],
  },
  {
    name: 'function with a barrier, called uniformly',
    fault: null,
    wgsl: 'sync();',
    functions: funcs,
    body: () => calls('sync', [], null),
  },
  {
    name: 'barrier guarded by a divergent argument',
    fault: B,
    wgsl: 'syncIf(lid);',
    functions: funcs,
    body: () => calls('syncIf', [t.lid()], null),
  },
  {
    name: 'barrier guarded by a uniform argument',
    fault: null,
    wgsl: 'syncIf(wid.x);',
    functions: funcs,
    body: () => calls('syncIf', [t.workgroup()], null),
  },
  {
    name: 'value returned early',
    fault: B,
    wgsl: 'if (either(lid) > 0u) { workgroupBarrier(); }',
    functions: funcs,
    body: () => calls('either', [t.lid()], 'u32', (r) => sync(gt(r, 0))),
  },
  {
    name: 'subgroup operation in a function, called divergently',
    fault: S,
    wgsl: 'if (lid > 3u) { o[0] = add(1u); }',
    functions: funcs,
    body: () => [t.if_(gt(t.lid()), calls('add', [t.u(1)], 'u32'))],
  },
  {
    name: 'subgroup operation in a function, called by subgroup',
    fault: null,
    wgsl: 'if (sgid > 3u) { o[0] = add(1u); }',
    functions: funcs,
    body: () => [t.if_(gt(t.builtin('subgroup_id')), calls('add', [t.u(1)], 'u32'))],
  },
]
