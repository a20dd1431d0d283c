import type { BuiltinName, Expr, HostExpr, Kernel } from '@weft/dsl/ir'
import { convertTo, lanesOf, opOf, splatConst } from './nodes'

/** What a launch says, as expressions of the kernel. */

const vec3 = (name: BuiltinName): Expr => ({ kind: 'builtin', type: 'vec3u', name })

/** (z · height + y) · width + x of a vector of the launch, in the form in which the builder makes it. */
export function linear(name: BuiltinName, size: (workgroups: Expr, dimension: 0 | 1) => Expr): Expr {
  const lane = (i: number): Expr => lanesOf(-1, vec3(name), [i])
  const extent = (i: 0 | 1): Expr => size(lanesOf(-1, vec3('num_workgroups'), [i]), i)
  const row = opOf(-1, 'add', opOf(-1, 'mul', lane(2), extent(1)), lane(1))
  return opOf(-1, 'add', opOf(-1, 'mul', row, extent(0)), lane(0))
}

/** The number of the workgroup. */
export const linearWorkgroupIndex = (): Expr => linear('workgroup_id', (workgroups) => workgroups)

/** A launch rule as an expression of the kernel, in u32. */
export function hostExpr(e: HostExpr, kernel: Kernel): Expr {
  if (typeof e === 'number') return splatConst('u32', e)
  switch (e.kind) {
    case 'param':
    case 'override': {
      const declared: readonly { name: string; type: unknown }[] = e.kind === 'param' ? kernel.params : kernel.overrides
      const type = declared.find((d) => d.name === e.name)?.type ?? 'u32'
      return convertTo(-1, 'u32', { kind: e.kind, type, name: e.name } as Expr)
    }
    case 'length': {
      const type = kernel.bindings.find((b) => b.name === e.binding)?.type ?? 'u32'
      const root = { kind: 'binding', name: e.binding } as const
      return { kind: 'length', at: -1, type: 'u32', of: { kind: 'place', type, root, steps: [] } }
    }
    case 'ceilDiv': {
      const b = hostExpr(e.b, kernel)
      return opOf(-1, 'div', opOf(-1, 'add', hostExpr(e.a, kernel), opOf(-1, 'sub', b, 1)), b)
    }
    default:
      return opOf(-1, e.kind, hostExpr(e.a, kernel), hostExpr(e.b, kernel))
  }
}
