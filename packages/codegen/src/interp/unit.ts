import {
  type Block,
  blocksOf,
  type Call,
  type Extent,
  isPlace,
  type Kernel,
  operands,
  type Place,
  type Result,
  type Stmt,
  statementOperands,
  type Type,
  type Variable,
} from '@weft/dsl/ir'
import { type Expansion, expandCalls } from './expand'
import { isMatrixType, lanesOf, withCounts } from './shape'

/** A kernel with everything fixed that is known before it is given buffers. */
export interface Unit {
  readonly kernel: Kernel
  readonly overrides: Readonly<Record<string, number>>
  readonly size: readonly [number, number, number]
  /** Invocations of a workgroup. */
  readonly count: number
  readonly subgroupSize: number
  readonly subgroups: number
  readonly body: Block
  readonly calls: ReadonlyMap<Call, Expansion>
  readonly variables: ReadonlyMap<number, Storage>
  readonly fresh: (type: Type) => Result
}

/**
 * How a variable is held. `lanes`: as JavaScript variables, when all its indices are constants. `memory`: bytes for
 * each invocation. `shared`: bytes for the workgroup. `matrix`: the elements of subgroup matrices, for each subgroup.
 */
export interface Storage {
  readonly id: number
  readonly name: string
  readonly type: Type
  readonly held: 'lanes' | 'memory' | 'shared' | 'matrix'
  readonly space: Variable['space']
}

/** The most lanes that a variable may have to be held in JavaScript variables. */
const MOST_LANES = 64

export function unitOf(kernel: Kernel, overrides: Readonly<Record<string, number>>, subgroupSize: number): Unit {
  const extent = (e: Extent): number => (typeof e === 'number' ? e : (overrides[e.override] ?? 0))
  const size = kernel.workgroupSize.map(extent) as [number, number, number]
  const count = size[0] * size[1] * size[2]
  const { body, calls, fresh } = expandCalls(kernel)
  const privates = kernel.variables.filter((v) => v.space === 'private')
  const start: Stmt[] = privates.map((variable) => ({ kind: 'var', at: -1, variable }))
  const whole = [...start, ...body]
  const subgroups = Math.ceil(count / subgroupSize)
  const unit = { kernel, overrides, size, count, subgroupSize, subgroups, body: whole, calls, fresh }
  return { ...unit, variables: storages(unit) }
}

/** The blocks nested in a statement, those of the function that it calls included. */
export function nestedBlocks(s: Stmt, calls: Unit['calls']): readonly Block[] {
  if (s.kind !== 'call') return blocksOf(s)
  const expansion = calls.get(s)
  return expansion ? [expansion.params, expansion.body] : []
}

/** Visits all statements, those of called functions included. */
export function forEach(block: Block, calls: Unit['calls'], visit: (s: Stmt) => void): void {
  for (const s of block) {
    visit(s)
    for (const inner of nestedBlocks(s, calls)) forEach(inner, calls, visit)
  }
}

export const placeOf = (s: Stmt): Place | null =>
  s.kind === 'load' || s.kind === 'store' || s.kind === 'effect' ? s.place : null

/** The variable that a place is in, or null. */
export const variableOf = (place: Place | null): number | null =>
  place?.root.kind === 'variable' ? place.root.id : null

function storages(unit: Omit<Unit, 'variables'>): ReadonlyMap<number, Storage> {
  const variables = new Map<number, Variable>(unit.kernel.variables.map((v) => [v.id, v]))
  const indexed = new Set<number>()
  forEach(unit.body, unit.calls, (s) => {
    if (s.kind === 'var') variables.set(s.variable.id, s.variable)
    const place = placeOf(s)
    const id = variableOf(place)
    if (place && id !== null && isDynamic(place)) indexed.add(id)
  })
  return new Map([...variables.values()].map((v) => [v.id, storage(v, indexed.has(v.id), unit.overrides)]))
}

const isDynamic = (place: Place): boolean => place.steps.some((s) => s.kind === 'index' && s.index.kind !== 'const')

function storage(v: Variable, indexed: boolean, overrides: Unit['overrides']): Storage {
  const type = withCounts(v.type, overrides)
  const { id, name, space } = v
  if (isMatrixType(type)) return { id, name, type, space, held: 'matrix' }
  if (space === 'workgroup') return { id, name, type, space, held: 'shared' }
  return { id, name, type, space, held: indexed || lanesOf(type).length > MOST_LANES ? 'memory' : 'lanes' }
}

/** How often each expression is an operand: of statements or of other expressions. */
export function countUses(unit: Pick<Unit, 'body' | 'calls'>): ReadonlyMap<object, number> {
  const uses = new Map<object, number>()
  const use = (e: Parameters<typeof operands>[0]): void => {
    const before = uses.get(e) ?? 0
    uses.set(e, before + 1)
    if (before === 0) for (const o of operands(e)) use(o)
  }
  forEach(unit.body, unit.calls, (s) => {
    if (s.kind === 'call') {
      for (const a of s.args) if (!isPlace(a)) use(a)
      return
    }
    for (const e of statementOperands(s)) use(e)
    if (s.kind === 'loop') for (const e of [s.test, s.breakIf]) if (e) use(e)
  })
  return uses
}
