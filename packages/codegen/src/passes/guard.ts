import {
  type Block,
  blocksOf,
  EFFECTS,
  type Expr,
  forEachExpr,
  type HostExpr,
  type Kernel,
  type LaunchRule,
} from '@weft/dsl/ir'
import { countExpr } from './count'
import { Graph } from './graph'
import { hostExpr, linearWorkgroupIndex } from './launch'
import type { Node } from './node'
import { opOf } from './nodes'
import type { Rewriting } from './rewrite'

/**
 * The guard of linear launches. A rule of one dimension may give more workgroups than a dimension of a dispatch can
 * have; the runtime then folds them into two or three, near-square, and the last rows have some too many. The surplus
 * leaves at once: by its number, which is the same in a whole workgroup, so that barriers may follow.
 *
 * Only kernels that ask how many workgroups there are can be folded, so only they get it; and not those whose own
 * tests keep the surplus from writing anything.
 */
export function guard(walk: Rewriting): void {
  const { kernel } = walk
  const count = surplusFrom(kernel)
  if (count === null) walk.kernel = { ...kernel, launch: launchOf([kernel]) }
  if (!count) return
  const result = { kind: 'result', type: 'u32', id: -1 } as const // which no result of the builder has
  const test = opOf(-1, 'ge', result, count)
  walk.kernel = {
    ...kernel,
    body: [
      { kind: 'let', at: -1, name: 'workgroup_index', value: linearWorkgroupIndex(), result },
      { kind: 'if', at: -1, test, then: [{ kind: 'return', at: -1, value: null }], else: [] },
      ...kernel.body,
    ],
  }
}

/** The launch rule of variants; not folded where one of them cannot tell the surplus from the rest. */
export function launchOf(variants: readonly Kernel[]): LaunchRule | null {
  const launch = variants[0]?.launch ?? null
  return launch && variants.some((kernel) => surplusFrom(kernel) === null) ? { ...launch, folds: false } : launch
}

/** The number from which on workgroups are surplus, if they are to leave; null where the kernel cannot compute it. */
function surplusFrom(kernel: Kernel): Expr | null | undefined {
  const count = kernel.launch?.folds ? kernel.launch.workgroups[0] : undefined
  if (count === undefined || !countsWorkgroups(kernel) || isGuarded(kernel, count)) return undefined
  return countExpr(count, kernel)
}

function countsWorkgroups(kernel: Kernel): boolean {
  let found = false
  forEachExpr(kernel.body, (e) => {
    if (e.kind === 'builtin' && COUNTING.has(e.name)) found = true
  })
  return found
}

const COUNTING = new Set<string>(['num_workgroups', 'workgroup_index', 'global_invocation_index'])

// What the author's own tests exclude.

/** Whether everything that others can see is done only where the linear index of the invocation is in range. */
function isGuarded(kernel: Kernel, count: HostExpr): boolean {
  const [x, y, z] = kernel.workgroupSize
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number') return false
  const size = x * y * z
  const group = linearWorkgroupIndex()
  // in which equal expressions are one node; a name of a `let` stands for its value
  const graph = new Graph(kernel, [], true, false)
  const inside = new Set<Expr>()
  const outside = new Set<Expr>()
  const within = (index: Expr, end: Expr): void => {
    inside.add(graph.expr(opOf(-1, 'lt', index, end))).add(graph.expr(opOf(-1, 'gt', end, index)))
    outside.add(graph.expr(opOf(-1, 'ge', index, end))).add(graph.expr(opOf(-1, 'le', end, index)))
  }
  within(group, hostExpr(count, kernel))
  if (typeof count !== 'number' && count.kind === 'ceilDiv' && count.b === size) {
    const local: Expr = { kind: 'builtin', type: 'u32', name: 'local_invocation_index' }
    within(opOf(-1, 'add', opOf(-1, 'mul', group, size), local), hostExpr(count.a, kernel))
  }
  const holds = (e: Node, tests: ReadonlySet<Expr>, op: 'and' | 'or'): boolean =>
    tests.has(e) || (e.kind === 'op' && e.op === op && e.args.some((a) => holds(a as Node, tests, op)))
  const isIn = (e: Node): boolean => holds(e, inside, 'and')
  const isOut = (e: Node): boolean =>
    e.kind === 'op' && e.op === 'not' ? isIn(e.args[0] as Node) : holds(e, outside, 'or')

  const locals = new Set(kernel.variables.map((v) => v.id))
  const quiet = (block: Block): boolean => {
    for (const s of block) {
      if (s.kind === 'let') graph.results[s.result.id] = graph.expr(s.value)
      else if (s.kind === 'var') locals.add(s.variable.id)
      else if (s.kind === 'store') {
        if (s.place.root.kind !== 'variable' || !locals.has(s.place.root.id)) return false
      } else if (s.kind === 'effect') {
        const { memory, family } = EFFECTS[s.op]
        if (family !== 'barrier' && memory !== 'none' && memory !== 'read' && s.place?.root.kind !== 'variable')
          return false
      } else if (s.kind === 'call') return false
      else if (s.kind === 'if') {
        const test = graph.expr(s.test)
        if (!isIn(test) && !quiet(s.then)) return false
        if (isOut(test) && s.then.at(-1)?.kind === 'return') return quiet(s.then)
        if (!quiet(s.else)) return false
      } else if (!blocksOf(s).every(quiet)) return false
    }
    return true
  }
  return quiet(kernel.body)
}
