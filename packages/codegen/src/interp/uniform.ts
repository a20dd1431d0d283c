import { type Block, BUILTINS, type Expr, operands, type Place, placeOperands, type Stmt } from '@weft/dsl/ir'
import { ROOT, type Targets, targetsIn } from './sync'
import { nestedBlocks, type Unit, variableOf } from './unit'

/**
 * Which values are the same in all invocations of a workgroup, by a simple and conservative analysis: everything is
 * assumed uniform until a reason against it is found, and that until nothing changes.
 */
export interface Uniformity {
  isUniform(e: Expr): boolean
  /** Whether all invocations that are in the loop, switch or function (null: the kernel) leave it together. */
  leavesTogether(s: Stmt | null): boolean
  readonly variables: ReadonlySet<number>
}

export function uniformity(unit: Unit): Uniformity {
  const analysis = new Analysis(unit)
  do {
    analysis.start()
    analysis.block(unit.body, ROOT, analysis.scattered.has(null))
  } while (analysis.changed)
  const variables = new Set([...unit.variables.keys()].filter((id) => analysis.isUniformVariable(id)))
  return {
    isUniform: (e) => analysis.uniform(e),
    leavesTogether: (s) => !analysis.scattered.has(s),
    variables,
  }
}

class Analysis {
  changed = false
  readonly scattered = new Set<Stmt | null>()
  private readonly divergentResults = new Set<number>()
  private readonly divergentVariables = new Set<number>()
  private memo = new Map<Expr, boolean>()

  constructor(private readonly unit: Unit) {
    for (const v of unit.variables.values()) if (v.space === 'workgroup') this.divergentVariables.add(v.id)
  }

  /** Begins a round: what it remembers may be outdated by its end, but then there is another one. */
  start(): void {
    this.changed = false
    this.memo = new Map()
  }

  isUniformVariable = (id: number): boolean => !this.divergentVariables.has(id)

  uniform(e: Expr): boolean {
    if (e.kind === 'result') return !this.divergentResults.has(e.id)
    if (e.kind === 'builtin') return BUILTINS[e.name].uniform === 'workgroup'
    const known = this.memo.get(e)
    if (known !== undefined) return known
    const result = operands(e).every((o) => this.uniform(o))
    this.memo.set(e, result)
    return result
  }

  block(block: Block, targets: Targets, divergent: boolean): void {
    for (const s of block) this.statement(s, targets, divergent)
  }

  private spoil<T>(set: Set<T>, item: T): void {
    if (set.has(item)) return
    set.add(item)
    this.changed = true
  }

  private result(s: Stmt, isUniform: boolean): void {
    if (isUniform) return
    if (s.kind === 'range') this.spoil(this.divergentResults, s.index.id)
    if ('result' in s && s.result) this.spoil(this.divergentResults, s.result.id)
    if (s.kind === 'effect' && s.exchanged) this.spoil(this.divergentResults, s.exchanged.id)
  }

  private statement(s: Stmt, targets: Targets, divergent: boolean): void {
    switch (s.kind) {
      case 'let':
        this.result(s, this.uniform(s.value))
        return
      case 'load':
        this.result(s, this.uniformPlace(s.place))
        return
      case 'var':
        if (s.variable.init && !this.uniform(s.variable.init)) this.spoil(this.divergentVariables, s.variable.id)
        return
      case 'store': {
        const id = variableOf(s.place)
        const same = !divergent && this.uniform(s.value) && placeOperands(s.place).every((e) => this.uniform(e))
        if (id !== null && !same) this.spoil(this.divergentVariables, id)
        return
      }
      case 'effect':
        this.result(s, s.op === 'workgroupUniformLoad')
        return
      case 'break':
      case 'continue':
      case 'return':
        if (divergent) this.spoil(this.scattered, targets[s.kind])
        return
      default:
        this.nested(s, targets, divergent)
        return
    }
  }

  private nested(s: Stmt, targets: Targets, divergent: boolean): void {
    const inner = targetsIn(s, targets)
    const away = divergent || !this.stays(s)
    for (const block of nestedBlocks(s, this.unit.calls)) this.block(block, inner, away)
    if (s.kind === 'call') this.result(s, !away && this.returnsUniform(s))
  }

  /** Whether all invocations take the same way through a statement with blocks. */
  private stays(s: Stmt): boolean {
    if (this.scattered.has(s) || this.scattered.has(null)) return false
    switch (s.kind) {
      case 'if':
        return this.uniform(s.test)
      case 'switch':
        return this.uniform(s.selector)
      case 'range': {
        const same = [s.start, s.end, s.step].every((e) => this.uniform(e))
        this.result(s, same)
        return same
      }
      case 'loop': {
        const same = [s.test, s.breakIf].every((e) => e === null || this.uniform(e))
        if (!same) this.spoil(this.scattered, s as Stmt)
        return same
      }
      default:
        return true
    }
  }

  private returnsUniform(call: Stmt): boolean {
    let same = true
    const look = (block: Block): void => {
      for (const s of block) {
        if (s.kind === 'return' && s.value && !this.uniform(s.value)) same = false
        if (s.kind !== 'call') for (const inner of nestedBlocks(s, this.unit.calls)) look(inner)
      }
    }
    for (const block of nestedBlocks(call, this.unit.calls)) look(block)
    return same
  }

  private uniformPlace(place: Place): boolean {
    if (!placeOperands(place).every((e) => this.uniform(e))) return false
    const { root } = place
    if (root.kind === 'variable') return this.isUniformVariable(root.id)
    if (root.kind === 'pointer') return false
    const binding = this.unit.kernel.bindings.find((b) => b.name === root.name)
    return (
      binding !== undefined && binding.kind !== 'texture' && (binding.kind === 'uniform' || binding.access === 'read')
    )
  }
}
