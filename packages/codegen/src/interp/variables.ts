import type { Place, Result, Step, Type, Variable } from '@weft/dsl/ir'
import { evaluate, zeros } from './expressions'
import { type Frame, fromKept, toKept } from './frame'
import { addressOf, loadLanes, storeLanes } from './memory'
import { define, invocation } from './program'
import { bytesOf, elementsOf, type Lane, lanesOf, memberLanes } from './shape'
import type { Storage } from './unit'

/** Variables that are held in JavaScript variables, one for each lane, and kept in arrays where they outlive a segment. */

/** The names of the lanes of a variable, brought here if they are kept. */
function laneNames(frame: Frame, storage: Storage, writes: boolean): readonly string[] {
  const { program } = frame
  const lanes = lanesOf(storage.type)
  const names = lanes.map((_, i) => `v${storage.id}_${i}`)
  if (program.schedule.once.variables.has(storage.id)) {
    for (const name of names) program.locals.add(name)
    return names
  }
  if (!program.spills.variables.has(storage.id)) return names
  const known = frame.variables.get(storage.id)
  if (known === undefined) {
    names.forEach((name, i) => {
      const kept = `${frame.use(program.keptVariable(storage, i))}[${invocation(frame)}]`
      frame.head.push(`let ${name} = ${fromKept(kept, (lanes[i] as Lane).scalar)};`)
    })
  }
  if (writes && !known) {
    names.forEach((name, i) => {
      const kept = `${program.keptVariable(storage, i)}[${invocation(frame)}]`
      frame.tail.push(`${kept} = ${toKept(name, (lanes[i] as Lane).scalar)};`)
    })
  }
  frame.variables.set(storage.id, writes || (known ?? false))
  return names
}

/** The lanes of a variable that constant steps lead to. */
function lanesAt(type: Type, steps: readonly Step[]): readonly [start: number, count: number] {
  let start = 0
  let current = type
  for (const step of steps) {
    if (step.kind === 'member') {
      start += memberLanes(current, step.name)[0]
      current = step.type
    } else {
      const { count, of } = elementsOf(current)
      const index = step.index.kind === 'const' ? (step.index.lanes[0] ?? 0) >>> 0 : 0
      start += Math.min(index, (count ?? 1) - 1) * lanesOf(of).length
      current = of
    }
  }
  return [start, lanesOf(current).length]
}

const heldInLanes = (frame: Frame, place: Place): Storage | null => {
  if (place.root.kind !== 'variable') return null
  const storage = frame.program.storage(place.root.id)
  return storage.held === 'lanes' ? storage : null
}

/** The lanes at a place, wherever it lies. They may be names of variables: copy them before anything changes. */
export function read(frame: Frame, place: Place): readonly string[] {
  const storage = heldInLanes(frame, place)
  if (!storage) return loadLanes(frame, place)
  const [start, count] = lanesAt(storage.type, place.steps)
  return laneNames(frame, storage, false).slice(start, start + count)
}

/** What a load gives. Of a variable in lanes that is used once it is no copy, as long as nothing changes it. */
export function load(frame: Frame, place: Place, result: Result): void {
  const { program } = frame
  const lanes = read(frame, place)
  const storage = heldInLanes(frame, place)
  const isCopied = frame.level === 'workgroup' || program.isOnce(result.id) || program.isKept(result.id)
  if (storage && !isCopied && program.uses.get(result) === 1) frame.alias(storage.id, result.id, lanes)
  else define(frame, result, lanes)
}

export function write(frame: Frame, place: Place, lanes: readonly string[]): void {
  const storage = heldInLanes(frame, place)
  if (!storage) {
    storeLanes(frame, place, lanes)
    return
  }
  const [start, count] = lanesAt(storage.type, place.steps)
  const names = laneNames(frame, storage, true).slice(start, start + count)
  if (outOfRange(storage.type, place.steps)) return
  frame.settle(storage.id)
  const isMixed = names.length > 1 && lanes.some((lane) => lane.includes(`v${storage.id}_`))
  const values = isMixed ? lanes.map((lane) => frame.atom(lane)) : lanes
  for (const [i, name] of names.entries()) frame.line(`${name} = ${values[i]};`)
}

function outOfRange(type: Type, steps: readonly Step[]): boolean {
  let current = type
  return steps.some((step) => {
    const count = step.kind === 'index' ? elementsOf(current).count : null
    current = step.type
    return (
      step.kind === 'index' &&
      step.index.kind === 'const' &&
      count !== null &&
      (step.index.lanes[0] ?? 0) >>> 0 >= count
    )
  })
}

/** A variable comes into being: with its initial value, or zeros. */
export function declare(frame: Frame, variable: Variable): void {
  const { program } = frame
  const storage = program.storage(variable.id)
  const lanes = variable.init ? evaluate(frame, variable.init) : null
  if (storage.held === 'memory') {
    declareMemory(frame, variable, lanes)
    return
  }
  const values = lanes ?? zeros(storage.type)
  const isLocal = !program.spills.variables.has(storage.id) && !program.schedule.once.variables.has(storage.id)
  const names = laneNames(frame, storage, true)
  frame.settle(storage.id)
  for (const [i, name] of names.entries()) frame.line(`${isLocal ? 'let ' : ''}${name} = ${values[i]};`)
}

function declareMemory(frame: Frame, variable: Variable, lanes: readonly string[] | null): void {
  const { type } = frame.program.storage(variable.id)
  const place: Place = { kind: 'place', type, root: { kind: 'variable', id: variable.id }, steps: [] }
  if (lanes) {
    storeLanes(frame, place, lanes)
    return
  }
  zero(frame, place, variable.id)
}

/** Zeros the memory of a variable, padding included. */
function zero(frame: Frame, place: Place, id: number): void {
  const view = addressOf(frame, place, 'read').view('u')
  const words = Math.ceil(bytesOf(place.type) / 16) * 4
  const at = invocation(frame)
  const each = frame.program.spills.variables.has(id)
  frame.line(each ? `${view}.fill(0, ${at} * ${words}, (${at} + 1) * ${words});` : `${view}.fill(0);`)
}
