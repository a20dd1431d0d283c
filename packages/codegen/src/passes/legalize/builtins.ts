import type { Builtin, Expr, Extent, Kernel } from '@weft/dsl/ir'
import { linearWorkgroupIndex } from '../guard'
import { lanesOf, opOf, splatConst } from '../nodes'

/**
 * `workgroup_index` and `global_invocation_index` need a language feature, and Tint takes the former for a value that
 * differs within a workgroup: both are computed, always.
 */
export function lowerBuiltin(e: Builtin, kernel: Kernel): Expr {
  if (e.name === 'workgroup_index') return linearWorkgroupIndex(-1)
  if (e.name !== 'global_invocation_index') return e
  const id: Builtin = { kind: 'builtin', type: 'vec3u', name: 'global_invocation_id' }
  const count: Builtin = { kind: 'builtin', type: 'vec3u', name: 'num_workgroups' }
  const width = (i: number): Expr =>
    opOf(-1, 'mul', lanesOf(-1, count, [i]), extent(kernel.workgroupSize[i] as Extent, kernel))
  const at = (i: number): Expr => lanesOf(-1, id, [i])
  return opOf(-1, 'add', opOf(-1, 'mul', opOf(-1, 'add', opOf(-1, 'mul', at(2), width(1)), at(1)), width(0)), at(0))
}

function extent(x: Extent, kernel: Kernel): Expr {
  if (typeof x === 'number') return splatConst('u32', x)
  const type = kernel.overrides.find((o) => o.name === x.override)?.type ?? 'u32'
  const value: Expr = { kind: 'override', type, name: x.override }
  return type === 'u32' ? value : { kind: 'convert', at: -1, type: 'u32', arg: value }
}
