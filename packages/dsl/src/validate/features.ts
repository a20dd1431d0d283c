import { type Block, type Expr, forEachExpr, forEachStmt, type Kernel, type Stmt } from '../ir'
import { BUILTINS, type BuiltinRow, EFFECTS, type EffectRow, type FeatureName, PURE, type Row } from '../ops'
import { isValue, scalarOf, type Type } from '../types'

/** The first use of a feature, for messages. */
export interface Use {
  readonly what: string
  /** What about it needs the feature, as the rest of `which …`, where it is not the thing itself. */
  readonly which?: string
  readonly at: number
}

const OPS: Readonly<Record<string, Row>> = PURE

/** The features that a kernel needs of a device or compiler as it stands, before any profile lowers something. */
export function featuresOf(kernel: Kernel): ReadonlyMap<FeatureName, Use> {
  const found = new Map<FeatureName, Use>()
  const need = (feature: FeatureName | undefined, what: string, at = -1, which?: string): void => {
    if (feature && !found.has(feature)) found.set(feature, { what, at, ...(which && { which }) })
  }
  /** `holder`: what is of that type. */
  const type = (t: Type, holder: string, at?: number): void => {
    if (isValue(t) ? scalarOf(t) === 'f16' : t.kind === 'subgroup_matrix' && t.of === 'f16')
      need('f16', holder, at, 'holds f16')
    if (isValue(t)) return
    if (t.kind === 'array' || t.kind === 'ptr') type(t.of, holder, at)
    if (t.kind === 'struct') for (const f of t.fields) type(f.type, holder, at)
    if (t.kind === 'ptr' && t.space !== 'function' && t.space !== 'private') need('pointer-parameters', holder)
    if (t.kind === 'texture' && t.format !== undefined && t.access !== 'write')
      need('read-write-textures', holder, at, 'is read and storage')
    if (t.kind === 'subgroup_matrix') need('subgroup-matrix', holder, at)
    if (t.kind === 'buffer') need('buffer-view', holder, at, 'is seen through views')
  }
  const expr = (e: Expr): void => {
    type(e.type, 'a value', 'at' in e ? e.at : -1)
    if (e.kind === 'op') need(OPS[e.op]?.feature, e.op, e.at)
    if (e.kind !== 'builtin') return
    const { feature }: BuiltinRow = BUILTINS[e.name]
    const what = `the built-in value ${e.name}`
    need(feature, what)
    if (feature === 'subgroup-id') need('subgroups', what)
  }
  const stmt = (s: Stmt): void => {
    if (s.kind === 'var') type(s.variable.type, `variable '${s.variable.name}'`, s.at)
    if ((s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') && s.place) {
      if (s.place.root.kind === 'view') need('buffer-view', 'a view of a buffer', s.at)
      type(s.place.type, 'a value', s.at)
    }
    if (s.kind !== 'effect') return
    const { feature }: EffectRow = EFFECTS[s.op]
    need(feature, s.op, s.at)
    if (s.result) type(s.result.type, 'a value', s.at)
  }
  const body = (block: Block): void => {
    forEachStmt(block, stmt)
    forEachExpr(block, expr)
  }

  if (kernel.subgroupSize !== null)
    for (const feature of ['subgroup-size-control', 'subgroups'] as const) need(feature, 'a required subgroup size')
  for (const x of kernel.bindings) type(x.type, `${x.kind === 'texture' ? 'texture' : 'binding'} '${x.name}'`)
  for (const x of kernel.params) type(x.type, `param '${x.name}'`)
  for (const x of kernel.variables) type(x.type, `variable '${x.name}'`)
  for (const x of [...kernel.overrides, ...kernel.constants]) type(x.type, `constant '${x.name}'`)
  for (const f of kernel.functions) {
    for (const p of f.params) type(p.type, `a pointer parameter of '${f.name}'`)
    if (f.result !== null) type(f.result, `the result of '${f.name}'`)
    body(f.body)
  }
  body(kernel.body)
  return found
}
