import { type Block, type Expr, forEachExpr, forEachStmt, type Kernel, type Place, type Stmt } from '../ir'
import { BUILTINS, type BuiltinRow, EFFECTS, type EffectRow, type FeatureName } from '../ops'
import { isValue, scalarOf, type Type } from '../types'

/** The features that a kernel needs of a device or compiler as it stands, before any profile lowers something. */
export function featuresOf(kernel: Kernel): ReadonlySet<FeatureName> {
  const found = new Set<FeatureName>()
  if (kernel.subgroupSize !== null) found.add('subgroup-size-control').add('subgroups')
  for (const b of kernel.bindings) ofType(b.type, found)
  for (const p of kernel.params) ofType(p.type, found)
  for (const o of kernel.overrides) ofType(o.type, found)
  for (const c of kernel.constants) ofType(c.type, found)
  for (const v of kernel.variables) ofType(v.type, found)
  for (const f of kernel.functions) {
    for (const p of f.params) ofType(p.type, found)
    if (f.result !== null) ofType(f.result, found)
    ofBody(f.body, found)
  }
  ofBody(kernel.body, found)
  return found
}

function ofType(type: Type, found: Set<FeatureName>): void {
  if (isValue(type)) return void (scalarOf(type) === 'f16' && found.add('f16'))
  switch (type.kind) {
    case 'array':
      ofType(type.of, found)
      return
    case 'struct':
      for (const f of type.fields) ofType(f.type, found)
      return
    case 'ptr':
      if (type.space !== 'function' && type.space !== 'private') found.add('pointer-parameters')
      ofType(type.of, found)
      return
    case 'texture':
      return void (type.format !== undefined && type.access !== 'write' && found.add('read-write-textures'))
    case 'subgroup_matrix':
      found.add('subgroup-matrix')
      return void (type.of === 'f16' && found.add('f16'))
    case 'buffer':
      return void found.add('buffer-view')
    case 'atomic':
      return
  }
}

const PACKED: ReadonlySet<string> = new Set([
  'dot4I8Packed',
  'dot4U8Packed',
  'pack4xI8',
  'pack4xU8',
  'pack4xI8Clamp',
  'pack4xU8Clamp',
  'unpack4xI8',
  'unpack4xU8',
])

function ofExpr(e: Expr, found: Set<FeatureName>): void {
  ofType(e.type, found)
  if (e.kind === 'op' && PACKED.has(e.op)) found.add('packed-dot')
  if (e.kind !== 'builtin') return
  const { feature }: BuiltinRow = BUILTINS[e.name]
  if (feature) found.add(feature)
  if (feature === 'subgroup-id') found.add('subgroups')
}

function ofBody(body: Block, found: Set<FeatureName>): void {
  forEachStmt(body, (s) => ofStmt(s, found))
  forEachExpr(body, (e) => ofExpr(e, found))
}

function ofStmt(s: Stmt, found: Set<FeatureName>): void {
  if (s.kind === 'var') ofType(s.variable.type, found)
  if (s.kind === 'load' || s.kind === 'store') ofPlace(s.place, found)
  if (s.kind !== 'effect') return
  const row: EffectRow = EFFECTS[s.op]
  if (row.feature) found.add(row.feature)
  if (s.place) ofPlace(s.place, found)
  if (s.result) ofType(s.result.type, found)
}

function ofPlace(place: Place, found: Set<FeatureName>): void {
  if (place.root.kind === 'view') found.add('buffer-view')
  ofType(place.type, found)
}
