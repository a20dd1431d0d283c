import { type Expr, loopTests, operands, type Place, placeOperands, type Stmt, statementOperands } from '@weft/dsl/ir'
import type { Schedule } from './schedule'
import { forEachStep, type Item, type Step } from './steps'
import { nestedBlocks, placeOf, type Unit, variableOf } from './unit'

/**
 * What outlives a segment: results and variables that more than one of them (or the control flow around them)
 * mentions are kept in arrays, one entry for each invocation.
 */
export interface Spills {
  readonly results: ReadonlySet<number>
  readonly variables: ReadonlySet<number>
}

const OUTSIDE = -1

export function spillsOf(unit: Unit, schedule: Schedule): Spills {
  const results = new Map<number, Set<number>>()
  const variables = new Map<number, Set<number>>()
  const note = (map: Map<number, Set<number>>, id: number, where: number): void => {
    const places = map.get(id) ?? new Set()
    places.add(where)
    map.set(id, places)
  }
  const visitor = new Mentions(
    unit,
    (id, w) => note(results, id, w),
    (id, w) => note(variables, id, w),
  )
  forEachStep(schedule.steps, (step) => visitor.step(step))
  const far = (map: Map<number, Set<number>>): Set<number> =>
    new Set([...map].filter(([, where]) => where.size > 1 || where.has(OUTSIDE)).map(([id]) => id))
  return { results: far(results), variables: far(variables) }
}

class Mentions {
  private seen = new Set<Expr>()

  constructor(
    private readonly unit: Unit,
    private readonly result: (id: number, where: number) => void,
    private readonly variable: (id: number, where: number) => void,
  ) {}

  step(step: Step): void {
    this.seen = new Set()
    if (step.kind === 'segment') {
      for (const item of step.items) this.item(item, step.id)
      if (step.region.returns) this.result(step.region.returns.id, step.id)
    }
    if (step.kind === 'once') this.item(step.item, OUTSIDE)
    if (step.kind === 'if') this.expr(step.test, OUTSIDE)
    if (step.kind === 'range') for (const e of statementOperands(step.stmt)) this.expr(e, OUTSIDE)
    if (step.kind === 'loop') for (const e of loopTests(step.stmt)) this.expr(e, OUTSIDE)
    if (step.kind === 'exchange') {
      for (const r of step.args) this.result(r.id, OUTSIDE)
      if (step.effect.result) this.result(step.effect.result.id, OUTSIDE)
    }
  }

  private item(item: Item, where: number): void {
    if (item.kind === 'stmt') {
      this.stmt(item.stmt, where)
      return
    }
    if (item.kind !== 'set') {
      this.expr(item.test, where)
      return
    }
    this.result(item.result.id, where)
    this.expr(item.value, where)
  }

  private stmt(s: Stmt, where: number): void {
    if (s.kind === 'var') this.variable(s.variable.id, where)
    if (s.kind === 'range') this.result(s.index.id, where)
    if ('result' in s && s.result) this.result(s.result.id, where)
    if (s.kind === 'effect' && s.exchanged) this.result(s.exchanged.id, where)
    this.place(placeOf(s), where)
    for (const e of [...statementOperands(s), ...loopTests(s)]) this.expr(e, where)
    for (const block of nestedBlocks(s, this.unit.calls)) for (const inner of block) this.stmt(inner, where)
  }

  private place(place: Place | null, where: number): void {
    const id = variableOf(place)
    if (id !== null) this.variable(id, where)
    if (place) for (const e of placeOperands(place)) this.expr(e, where)
  }

  private expr(e: Expr, where: number): void {
    if (e.kind === 'result') {
      this.result(e.id, where)
      return
    }
    if (this.seen.has(e)) return
    this.seen.add(e)
    for (const o of operands(e)) this.expr(o, where)
  }
}
