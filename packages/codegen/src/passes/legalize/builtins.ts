import type { Builtin, Expr, Kernel } from '@weft/dsl/ir'
import { hostExpr, linear, linearWorkgroupIndex } from '../launch'
import { opOf } from '../nodes'

/**
 * `workgroup_index` and `global_invocation_index` need a language feature, and Tint takes the former for a value that
 * differs within a workgroup: both are computed, always.
 */
export function lowerBuiltin(e: Builtin, kernel: Kernel): Expr {
  if (e.name === 'workgroup_index') return linearWorkgroupIndex()
  if (e.name !== 'global_invocation_index') return e
  const [width, height] = kernel.workgroupSize.map((size) =>
    hostExpr(typeof size === 'number' ? size : { kind: 'override', name: size.override }, kernel),
  ) as [Expr, Expr]
  return linear('global_invocation_id', (count, i) => opOf(-1, 'mul', count, i === 0 ? width : height))
}
