import {
  type Block,
  type Expr,
  type FeatureName,
  featuresOf,
  forEachExpr,
  forEachStmt,
  type StructType,
  type Type,
} from '@weft/dsl/ir'
import type { Working } from '../passes/graph'

/** What the head of a module depends on. */
export interface Survey {
  readonly features: ReadonlySet<FeatureName>
  /** Members before what holds them, otherwise in order of appearance. */
  readonly structs: readonly StructType[]
}

export function survey(kernel: Working): Survey {
  if (!kernel.graph.special) return { features: new Set(), structs: [] }
  const structs = new Map<string, StructType>()
  const seen = new Set<Type>()

  const type = (t: Type): void => {
    if (typeof t === 'string' || seen.has(t)) return
    seen.add(t)
    if (t.kind === 'array' || t.kind === 'ptr') type(t.of)
    else if (t.kind === 'struct') {
      for (const f of t.fields) type(f.type)
      if (!structs.has(t.name)) structs.set(t.name, t)
    }
  }
  const expr = (e: Expr): void => type(e.type)
  const block = (body: Block): void => {
    forEachExpr(body, expr)
    forEachStmt(body, (s) => {
      if (s.kind === 'var') type(s.variable.type)
      else if ((s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') && s.place?.root.kind === 'view')
        type(s.place.root.type)
    })
  }

  for (const b of kernel.bindings) type(b.type)
  for (const p of kernel.params) type(p.type)
  for (const c of kernel.constants) type(c.type)
  for (const v of kernel.variables) type(v.type)
  for (const f of kernel.functions) {
    for (const p of f.params) type(p.type)
    if (f.result) type(f.result)
    block(f.body)
  }
  block(kernel.body)
  return { features: featuresOf(kernel), structs: [...structs.values()] }
}
