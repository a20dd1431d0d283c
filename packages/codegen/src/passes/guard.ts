import {
  type Block,
  EFFECTS,
  type Expr,
  forEachExpr,
  type HostExpr,
  type Kernel,
  type Let,
  type Result,
  type Stmt,
} from '@weft/dsl/ir'
import { freshIds } from './map'
import { convertTo, lanesOf, opOf, splatConst } from './nodes'
import { sameExpr } from './same'

/**
 * The guard of linear launches. A rule of one dimension may give more workgroups than a dimension of a dispatch can
 * have; the runtime then folds them into two or three, near-square, and the last rows have some too many. The surplus
 * leaves at once: by its number, which is the same in a whole workgroup, so that barriers may follow.
 *
 * Only kernels that ask how many workgroups there are can be folded, so only they get it; and not those whose own
 * tests keep the surplus from writing anything.
 */
export function guard(kernel: Kernel): Kernel {
  const { launch } = kernel
  if (!launch?.folds || !countsWorkgroups(kernel)) return kernel
  const [count] = launch.workgroups
  if (count === undefined || isGuarded(kernel, count)) return kernel
  const fresh = freshIds(kernel)
  const result: Result = Object.freeze({ kind: 'result', type: 'u32', id: fresh() })
  const name: Let = { kind: 'let', at: -1, name: 'workgroup_index', value: linearWorkgroupIndex(-1), result }
  const leave: Stmt = {
    kind: 'if',
    at: -1,
    test: opOf(-1, 'ge', result, hostExpr(count, kernel)),
    then: [{ kind: 'return', at: -1, value: null }],
    else: [],
  }
  return { ...kernel, body: [name, leave, ...kernel.body] }
}

function countsWorkgroups(kernel: Kernel): boolean {
  let found = false
  const see = (e: Expr): void => {
    if (
      e.kind === 'builtin' &&
      (e.name === 'num_workgroups' || e.name === 'workgroup_index' || e.name === 'global_invocation_index')
    )
      found = true
  }
  forEachExpr(kernel.body, see)
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
      return {
        kind: 'length',
        at: -1,
        type: 'u32',
        of: { kind: 'place', type, root: { kind: 'binding', name: e.binding }, steps: [] },
      }
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

// What the author's own tests exclude.

/** Whether everything that others can see is done only where the linear index of the invocation is in range. */
function isGuarded(kernel: Kernel, count: HostExpr): boolean {
  const [x, y, z] = kernel.workgroupSize
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number') return false
  const size = x * y * z
  const group = linearWorkgroupIndex(-1)
  const local: Expr = { kind: 'builtin', type: 'u32', name: 'local_invocation_index' }
  const invocation = opOf(-1, 'add', opOf(-1, 'mul', group, splatConst('u32', size)), local)
  const bounds: readonly [Expr, Expr][] =
    typeof count !== 'number' && count.kind === 'ceilDiv' && count.b === size
      ? [
          [invocation, hostExpr(count.a, kernel)],
          [group, hostExpr(count, kernel)],
        ]
      : [[group, hostExpr(count, kernel)]]
  const lets = new Map<number, Expr>()
  const same = (a: Expr, b: Expr): boolean => sameExpr(a, b, lets)
  const inRange = (test: Expr): boolean => {
    if (test.kind !== 'op') return false
    const [a, b] = test.args as [Expr, Expr]
    if (test.op === 'and') return inRange(a) || inRange(b)
    return bounds.some(
      ([index, end]) =>
        (test.op === 'lt' && same(a, index) && same(b, end)) || (test.op === 'gt' && same(b, index) && same(a, end)),
    )
  }
  const outOfRange = (test: Expr): boolean => {
    if (test.kind !== 'op') return false
    const [a, b] = test.args as [Expr, Expr]
    if (test.op === 'or') return outOfRange(a) || outOfRange(b)
    if (test.op === 'not') return inRange(a)
    return bounds.some(
      ([index, end]) =>
        (test.op === 'ge' && same(a, index) && same(b, end)) || (test.op === 'le' && same(b, index) && same(a, end)),
    )
  }
  const locals = new Set<number>()
  for (const v of kernel.variables) locals.add(v.id)
  const quiet = (b: Block): boolean => {
    for (const s of b) {
      switch (s.kind) {
        case 'let':
          lets.set(s.result.id, s.value)
          break
        case 'var':
          locals.add(s.variable.id)
          break
        case 'store':
          if (s.place.root.kind !== 'variable' || !locals.has(s.place.root.id)) return false
          break
        case 'effect': {
          const { memory, family } = EFFECTS[s.op]
          if (family !== 'barrier' && memory !== 'none' && memory !== 'read' && !(s.place?.root.kind === 'variable'))
            return false
          break
        }
        case 'call':
          return false
        case 'if':
          if (!inRange(s.test) && !quiet(s.then)) return false
          if (outOfRange(s.test) && s.then.at(-1)?.kind === 'return') return quiet(s.then)
          if (!quiet(s.else)) return false
          break
        case 'switch':
          if (!s.cases.every((c) => quiet(c.body)) || !quiet(s.default)) return false
          break
        case 'range':
          if (!quiet(s.body)) return false
          break
        case 'loop':
          if (!quiet(s.header) || !quiet(s.body) || !quiet(s.continuing)) return false
          break
        default:
      }
    }
    return true
  }
  return quiet(kernel.body)
}
