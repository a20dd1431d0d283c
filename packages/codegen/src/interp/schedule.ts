import { BUILTINS, type Expr, operands, placeOperands, type Stmt } from '@weft/dsl/ir'
import type { Plan } from './plan'
import { forEachStep, type Item, mapSteps, type Segment, type Step } from './steps'
import type { Uniformity } from './uniform'
import { forEach, placeOf, type Unit, variableOf } from './unit'

/**
 * Gathers loose items into segments. What is uniform by construction – values made of params, workgroup ids and
 * read-only memory, variables that only hold such values – is computed once for the workgroup; it depends on nothing
 * that an invocation does, so it may go before the segment that is open.
 */
export interface Schedule {
  readonly steps: readonly Step[]
  readonly segments: readonly Segment[]
  readonly masks: number
  readonly once: Once
}

/** Results and variables that exist once for the workgroup. */
export interface Once {
  readonly results: ReadonlySet<number>
  readonly variables: ReadonlySet<number>
}

export function scheduleOf(unit: Unit, plan: Plan, uniform: Uniformity): Schedule {
  const once = findOnce(unit, plan.steps, uniform)
  const segments: Segment[] = []
  const steps = gather(plan.steps, once, segments)
  return { steps, segments, masks: plan.masks, once }
}

/** Whether `e` can be computed without knowing the invocation. */
export function isOnce(e: Expr, results: ReadonlySet<number>): boolean {
  if (e.kind === 'result') return results.has(e.id)
  if (e.kind === 'builtin') return BUILTINS[e.name].uniform === 'workgroup'
  return operands(e).every((o) => isOnce(o, results))
}

/** The statement of an item that every invocation does in the same way at the same time, else null. */
function commonStmt(s: Step): Stmt | null {
  return s.kind === 'loose' && s.region.mask === null && s.per === 'invocation' && s.item.kind === 'stmt'
    ? s.item.stmt
    : null
}

const accessed = (s: Stmt): number | null => (s.kind === 'var' ? s.variable.id : variableOf(placeOf(s)))

function findOnce(unit: Unit, steps: readonly Step[], uniform: Uniformity): Once {
  const variables = candidates(unit, steps, uniform)
  for (;;) {
    const results = new Set<number>()
    let dropped = false
    forEachStep(steps, (step) => {
      if (step.kind === 'range') results.add(step.stmt.index.id)
      const s = commonStmt(step)
      if (!s) return
      if (s.kind === 'let' && isOnce(s.value, results)) results.add(s.result.id)
      if (isOnceLoad(s, unit, results, variables) && 'result' in s && s.result) results.add(s.result.id)
      const value = s.kind === 'store' ? s.value : s.kind === 'var' ? s.variable.init : null
      const id = accessed(s)
      if (value && id !== null && variables.has(id) && !isOnce(value, results)) dropped = variables.delete(id)
    })
    if (!dropped) return { results, variables }
  }
}

/** Variables held in lanes that are uniform and only accessed by the workgroup as a whole. */
function candidates(unit: Unit, steps: readonly Step[], uniform: Uniformity): Set<number> {
  const nested = new Map<number, number>()
  const count = (s: Stmt, by: number): void => {
    const id = accessed(s)
    if (id !== null) nested.set(id, (nested.get(id) ?? 0) + by)
  }
  forEach(unit.body, unit.calls, (s) => count(s, 1))
  forEachStep(steps, (step) => {
    const s = commonStmt(step)
    if (s) count(s, -1)
  })
  const isCandidate = (id: number): boolean =>
    unit.variables.get(id)?.held === 'lanes' && uniform.variables.has(id) && nested.get(id) === 0
  return new Set([...unit.variables.keys()].filter(isCandidate))
}

function isOnceLoad(s: Stmt, unit: Unit, results: ReadonlySet<number>, variables: ReadonlySet<number>): boolean {
  const isUniformLoad = s.kind === 'effect' && s.op === 'workgroupUniformLoad'
  if ((s.kind !== 'load' && !isUniformLoad) || !s.place) return false
  if (!placeOperands(s.place).every((e) => isOnce(e, results))) return false
  const { root } = s.place
  if (isUniformLoad) return true
  if (root.kind === 'variable') return variables.has(root.id)
  if (root.kind === 'pointer') return false
  const binding = unit.kernel.bindings.find((b) => b.name === root.name)
  return (
    binding !== undefined && binding.kind !== 'texture' && (binding.kind === 'uniform' || binding.access === 'read')
  )
}

function isOnceItem(step: Step, once: Once): boolean {
  const s = commonStmt(step)
  if (!s) return false
  const id = accessed(s)
  if ((s.kind === 'var' || s.kind === 'store') && id !== null) return once.variables.has(id)
  return 'result' in s && s.result !== null && s.kind !== 'call' && once.results.has(s.result.id)
}

function gather(steps: readonly Step[], once: Once, segments: Segment[]): readonly Step[] {
  const out: Step[] = []
  let open: { id: number; region: Segment['region']; per: Segment['per']; items: Item[] } | null = null
  const before = (step: Step): void => {
    out.splice(open === null ? out.length : out.length - 1, 0, step)
  }
  for (const step of steps) {
    if (step.kind === 'clear') before(step)
    else if (step.kind === 'loose' && isOnceItem(step, once)) before({ kind: 'once', item: step.item })
    else if (step.kind === 'loose') {
      if (open === null || open.region !== step.region || open.per !== step.per) {
        open = { id: segments.length, region: step.region, per: step.per, items: [] }
        const segment: Segment = { kind: 'segment', ...open, items: open.items }
        segments.push(segment)
        out.push(segment)
      }
      open.items.push(step.item)
    } else {
      open = null
      out.push(mapSteps(step, (inner) => gather(inner, once, segments)))
    }
  }
  return out
}
