import { BUILTINS, forEachExpr, forEachStmt, withOperands, type Block, type Builtin, type BuiltinName, type Expr, type Extent, type Func, type FuncParam, type Kernel } from '@weft/dsl/ir'
import { linearWorkgroupIndex } from '../guard'
import { lanesOf, opOf, splatConst } from '../nodes'
import { mapStmt } from '../rewrite'

/**
 * `workgroup_index` and `global_invocation_index` need a language feature, and Tint takes the former for a value that
 * differs within a workgroup: both are computed, always.
 */
export function lowerBuiltins(e: Expr, kernel: Kernel): Expr {
  if (e.kind !== 'builtin') return e
  if (e.name === 'workgroup_index') return linearWorkgroupIndex(-1)
  if (e.name !== 'global_invocation_index') return e
  const id: Builtin = { kind: 'builtin', type: 'vec3u', name: 'global_invocation_id' }
  const count: Builtin = { kind: 'builtin', type: 'vec3u', name: 'num_workgroups' }
  const width = (i: number): Expr => opOf(-1, 'mul', lanesOf(-1, count, [i]), extent(kernel.workgroupSize[i] as Extent, kernel))
  const at = (i: number): Expr => lanesOf(-1, id, [i])
  return opOf(-1, 'add', opOf(-1, 'mul', opOf(-1, 'add', opOf(-1, 'mul', at(2), width(1)), at(1)), width(0)), at(0))
}

function extent(x: Extent, kernel: Kernel): Expr {
  if (typeof x === 'number') return splatConst('u32', x)
  const type = kernel.overrides.find((o) => o.name === x.override)?.type ?? 'u32'
  const value: Expr = { kind: 'override', type, name: x.override }
  return type === 'u32' ? value : { kind: 'convert', at: -1, type: 'u32', arg: value }
}

/** Built-in values are parameters of the entry point only: functions that use them get them as arguments. */
export function passBuiltins(kernel: Kernel): Kernel {
  if (kernel.functions.length === 0) return kernel
  const needs = new Map<string, readonly BuiltinName[]>()
  for (const f of kernel.functions) {
    const names = new Set<BuiltinName>()
    forEachExpr(f.body, (e) => e.kind === 'builtin' && names.add(e.name))
    forEachStmt(f.body, (s) => s.kind === 'call' && needs.get(s.func)?.forEach((n) => names.add(n)))
    // in the order of the table, whatever the order of their use
    if (names.size > 0) needs.set(f.name, (Object.keys(BUILTINS) as BuiltinName[]).filter((n) => names.has(n)))
  }
  if (needs.size === 0) return kernel
  const given = (name: BuiltinName, within: Func | null): Expr =>
    within ? { kind: 'argument', type: BUILTINS[name].type, name } : { kind: 'builtin', type: BUILTINS[name].type, name }
  const body = (b: Block, within: Func | null): Block => {
    const done = new Map<Expr, Expr>()
    const go = (e: Expr): Expr => {
      const known = done.get(e)
      if (known) return known
      const next = e.kind === 'builtin' ? given(e.name, within) : withOperands(e, go)
      done.set(e, next)
      return next
    }
    const block = (inner: Block): Block =>
      inner.map((s) => {
        const next = within ? mapStmt(s, go, block) : mapStmt(s, (e) => e, block)
        const extra = next.kind === 'call' ? needs.get(next.func) : undefined
        return next.kind === 'call' && extra ? { ...next, args: [...next.args, ...extra.map((n) => given(n, within))] } : next
      })
    return block(b)
  }
  return {
    ...kernel,
    body: body(kernel.body, null),
    functions: kernel.functions.map((f) => {
      const extra = needs.get(f.name)
      if (!extra) return f
      const params: FuncParam[] = extra.map((name) => ({ name, type: BUILTINS[name].type }))
      return { ...f, params: [...f.params, ...params], body: body(f.body, f) }
    }),
  }
}
