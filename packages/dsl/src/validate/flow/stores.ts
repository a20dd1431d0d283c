import type { Expr, Place } from '../../ir'
import { BUILTINS, type BuiltinRow } from '../../ops'
import { countOf, rootType, spaceOf } from '../places'
import type { Flow } from './flow'
import { LIMITED } from './greatest'

/**
 * A store to storage whose index nothing limits. An index out of bounds is moved into the array by the engines, where
 * it overwrites the element of another invocation: a race that no test of the expected values sees. Limited is an
 * index whose parts that differ between invocations or come from data are limited: by a loop, by a test, by `min`,
 * `clamp`, `%` or `&`, by the launch rule.
 */
export function checkStore({ root, steps }: Place, at: number, how: 'stored' | 'changed', f: Flow): void {
  const { context, func, ranges } = f
  if (context.kernel.guards === 'off') return
  if (root.kind === 'variable') checkShared(root.id, steps, at, f)
  if (root.kind === 'variable' || spaceOf(root, func, context) !== 'storage') return
  let type = rootType(root, func, context)
  for (const step of steps) {
    if (step.kind === 'index' && type && ranges.of(step.index) === Infinity) {
      const count = countOf(type)
      if (count === null || ranges.within(step.index) >= count)
        context.report(
          'unguarded-store',
          `'${root.name}' is ${how} at an index that nothing limits: it depends on ${describe(ranges.culprit(step.index), f)}`,
          at,
          'test it, as k.if(i.lt(n), …), or use k.guardedStore',
        )
    }
    type = step.type
  }
}

/**
 * A store to workgroup memory at an id that runs beyond the array: what is stored there lands on its last element, or
 * nowhere. Of other indices nothing is known; most come from data that an earlier phase has limited.
 */
function checkShared(id: number, steps: Place['steps'], at: number, { context, ranges }: Flow): void {
  const variable = context.variables.get(id)
  if (variable?.space !== 'workgroup') return
  let { type } = variable
  for (const step of steps) {
    const count = countOf(type)
    if (step.kind === 'index' && count !== null && count < LIMITED && ranges.of(step.index) === Infinity) {
      const most = ranges.within(step.index)
      if (most >= count && most < LIMITED)
        context.report(
          'unguarded-store',
          `'${variable.name}' has ${count} elements and is stored at indices up to ${most}`,
          at,
          `make it as large as the workgroup, or test the index: k.if(i.lt(${count}), …)`,
        )
    }
    type = step.type
  }
}

function describe(e: Expr, { context, ranges }: Flow): string {
  const id = e.kind === 'swizzle' ? ranges.resolve(e.of) : e
  if (id.kind === 'builtin') {
    const lanes = e.kind === 'swizzle' ? `.${e.lanes.map((lane) => 'xyzw'[lane]).join('')}` : ''
    const { bounded }: BuiltinRow = BUILTINS[id.name]
    return `${id.name}${lanes}${bounded ? ', and the kernel has no launch rule' : ''}`
  }
  if (e.kind === 'argument') return `the argument '${e.name}'`
  const by = e.kind === 'result' ? context.makers[e.id] : undefined
  switch (by?.kind) {
    case 'load': {
      const { root } = by.place
      const variable = root.kind === 'variable' ? context.variables.get(root.id) : undefined
      return variable?.space === 'function' ? `the variable '${variable.name}'` : 'a value loaded from memory'
    }
    case 'effect':
      return `the result of '${by.op}'`
    case 'call':
      return `the result of '${by.func}'`
    case 'range':
      return `the start of the range '${by.name}', which counts down`
    default:
      return 'a value'
  }
}
