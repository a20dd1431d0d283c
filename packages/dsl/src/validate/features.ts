import { type Block, type Expr, forEachExpr, forEachStmt, type Kernel, type Place, type Stmt } from '../ir'
import { BUILTINS, type BuiltinRow, EFFECTS, type EffectRow, type FeatureName, PURE, type Row } from '../ops'
import { isValue, scalarOf, type Type } from '../types'

const OPS: Readonly<Record<string, Row>> = PURE

/** The features that a kernel needs of a device or compiler as it stands, before any profile lowers something. */
export function featuresOf(kernel: Kernel): ReadonlySet<FeatureName> {
  const found = new Set<FeatureName>()
  const need = (feature: FeatureName | undefined): void => void (feature && found.add(feature))

  const type = (t: Type): void => {
    if (isValue(t) ? scalarOf(t) === 'f16' : t.kind === 'subgroup_matrix' && t.of === 'f16') need('f16')
    if (isValue(t)) return
    if (t.kind === 'array' || t.kind === 'ptr') type(t.of)
    if (t.kind === 'struct') for (const f of t.fields) type(f.type)
    if (t.kind === 'ptr' && t.space !== 'function' && t.space !== 'private') need('pointer-parameters')
    if (t.kind === 'texture' && t.format !== undefined && t.access !== 'write') need('read-write-textures')
    if (t.kind === 'subgroup_matrix') need('subgroup-matrix')
    if (t.kind === 'buffer') need('buffer-view')
  }
  const place = (p: Place): void => {
    if (p.root.kind === 'view') need('buffer-view')
    type(p.type)
  }
  const expr = (e: Expr): void => {
    type(e.type)
    if (e.kind === 'op') need(OPS[e.op]?.feature)
    if (e.kind !== 'builtin') return
    const { feature }: BuiltinRow = BUILTINS[e.name]
    need(feature)
    if (feature === 'subgroup-id') need('subgroups')
  }
  const stmt = (s: Stmt): void => {
    if (s.kind === 'var') type(s.variable.type)
    if ((s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') && s.place) place(s.place)
    if (s.kind !== 'effect') return
    const { feature }: EffectRow = EFFECTS[s.op]
    need(feature)
    if (s.result) type(s.result.type)
  }
  const body = (block: Block): void => {
    forEachStmt(block, stmt)
    forEachExpr(block, expr)
  }

  if (kernel.subgroupSize !== null) found.add('subgroup-size-control').add('subgroups')
  const { bindings, params, overrides, constants, variables, functions } = kernel
  for (const x of [bindings, params, overrides, constants, variables].flat()) type(x.type)
  for (const f of functions) {
    for (const p of f.params) type(p.type)
    if (f.result !== null) type(f.result)
    body(f.body)
  }
  body(kernel.body)
  return found
}
