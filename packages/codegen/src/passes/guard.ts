import { forEachExpr, type Expr, type HostExpr, type Kernel, type Let, type Result, type Stmt } from '@weft/dsl/ir'
import { convertTo, lanesOf, opOf, splatConst } from './nodes'
import { freshIds } from './rewrite'

/**
 * The guard of linear launches. A rule of one dimension may give more workgroups than a dimension of a dispatch can
 * have; the runtime then folds them into two or three, near-square, and the last rows have some too many. The surplus
 * leaves at once: by its number, which is the same in a whole workgroup, so that barriers may follow.
 *
 * Only kernels that ask how many workgroups there are can be folded, so only they get it.
 */
export function guard(kernel: Kernel): Kernel {
  const { launch } = kernel
  if (launch?.dimensions !== 1 || !countsWorkgroups(kernel)) return kernel
  const [count] = launch.workgroups
  if (count === undefined) return kernel
  const fresh = freshIds(kernel)
  const index = linearWorkgroupIndex(-1)
  const result: Result = Object.freeze({ kind: 'result', type: 'u32', id: fresh() })
  const name: Let = { kind: 'let', at: -1, name: 'workgroup_index', value: index, result }
  const leave: Stmt = {
    kind: 'if', at: -1, test: opOf(-1, 'ge', result, hostExpr(count, kernel)), then: [{ kind: 'return', at: -1, value: null }], else: [],
  }
  return { ...kernel, body: [name, leave, ...kernel.body] }
}

function countsWorkgroups(kernel: Kernel): boolean {
  let found = false
  const see = (e: Expr): void => {
    if (e.kind === 'builtin' && (e.name === 'num_workgroups' || e.name === 'workgroup_index' || e.name === 'global_invocation_index')) found = true
  }
  forEachExpr(kernel.body, see)
  for (const f of kernel.functions) forEachExpr(f.body, see)
  return found
}

const ID: Expr = Object.freeze({ kind: 'builtin', type: 'vec3u', name: 'workgroup_id' })
const COUNT: Expr = Object.freeze({ kind: 'builtin', type: 'vec3u', name: 'num_workgroups' })

/** The number of the workgroup, in the form in which the builder makes it. */
export function linearWorkgroupIndex(at: number): Expr {
  const id = (i: number): Expr => lanesOf(at, ID, [i])
  const count = (i: number): Expr => lanesOf(at, COUNT, [i])
  return opOf(at, 'add', opOf(at, 'mul', opOf(at, 'add', opOf(at, 'mul', id(2), count(1)), id(1)), count(0)), id(0))
}

/** A launch rule as an expression of the kernel, in u32. */
export function hostExpr(e: HostExpr, kernel: Kernel): Expr {
  if (typeof e === 'number') return splatConst('u32', e)
  switch (e.kind) {
    case 'param': {
      const type = kernel.params.find((p) => p.name === e.name)?.type ?? 'u32'
      return convertTo(-1, 'u32', { kind: 'param', type, name: e.name })
    }
    case 'override': {
      const type = kernel.overrides.find((o) => o.name === e.name)?.type ?? 'u32'
      return convertTo(-1, 'u32', { kind: 'override', type, name: e.name })
    }
    case 'length': {
      const type = kernel.bindings.find((b) => b.name === e.binding)?.type ?? 'u32'
      return { kind: 'length', at: -1, type: 'u32', of: { kind: 'place', type, root: { kind: 'binding', name: e.binding }, steps: [] } }
    }
    case 'ceilDiv': {
      const a = hostExpr(e.a, kernel)
      const b = hostExpr(e.b, kernel)
      return opOf(-1, 'div', opOf(-1, 'add', a, opOf(-1, 'sub', b, splatConst('u32', 1))), b)
    }
    default:
      return opOf(-1, e.kind, hostExpr(e.a, kernel), hostExpr(e.b, kernel))
  }
}
