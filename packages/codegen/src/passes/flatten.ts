import {
  type ArrayType,
  type Block,
  type Expr,
  forEachStmt,
  isPlace,
  type Kernel,
  type Place,
  type Step,
} from '@weft/dsl/ir'
import type { Graph } from './graph'
import type { Node } from './node'
import { convertTo, opOf, splatConst } from './nodes'
import { bodiesOf } from './walk'

/**
 * A workgroup array of arrays becomes one array, so that neighbours have a sum in common: where `part[j][piece][row]` and
 * `part[j][piece][row + 1u]` each make an address of three indices, `part[at]` and `part[at + 1u]` make one. What does not
 * change in a loop is added up first, constants last.
 */
export interface Flat {
  readonly type: ArrayType
  /** Elements from one to the next of each index. */
  readonly strides: readonly number[]
}

/** The arrays that can be flattened, by the id of their variable: nothing mentions a row of them as a whole. */
export function flatArrays(kernel: Kernel): ReadonlyMap<number, Flat> {
  const found = new Map<number, Flat>()
  for (const { id, space, type } of kernel.variables) {
    const flat = space === 'workgroup' && typeof type === 'object' && type.kind === 'array' ? flatOf(type) : null
    if (flat) found.set(id, flat)
  }
  if (found.size > 0) for (const body of bodiesOf(kernel)) leaveOutRows(body, found)
  return found
}

function flatOf(type: ArrayType): Flat | null {
  const counts: number[] = []
  let of: ArrayType['of'] = type
  while (typeof of === 'object' && of.kind === 'array' && typeof of.count === 'number') {
    counts.push(of.count)
    of = of.of
  }
  if (counts.length < 2 || (typeof of === 'object' && of.kind === 'array')) return null
  const strides = counts.map((_, i) => counts.slice(i + 1).reduce((a, b) => a * b, 1))
  return { type: { kind: 'array', of, count: (counts[0] as number) * (strides[0] as number) }, strides }
}

function leaveOutRows(body: Block, found: Map<number, Flat>): void {
  const see = (place: Place | null): void => {
    if (place?.root.kind !== 'variable') return
    const flat = found.get(place.root.id)
    if (flat && place.steps.length < flat.strides.length) found.delete(place.root.id)
  }
  forEachStmt(body, (s) => {
    if (s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') see(s.place)
    else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) see(a)
  })
}

/** The steps of a place in such an array. */
export function flatSteps(steps: readonly Step[], { type, strides }: Flat, graph: Graph): readonly Step[] {
  const terms: Node[] = []
  let constant = 0
  for (let i = 0; i < strides.length; i++) {
    const stride = strides[i] as number
    let e = (steps[i] as Extract<Step, { kind: 'index' }>).index as Node
    const [x, c] = e.kind === 'op' && e.op === 'add' && e.type === 'u32' ? (e.args as [Node, Node]) : [e, e]
    if (c.kind === 'const') {
      const part = stride * (c.lanes[0] as number)
      // out of range of its own dimension, so of the whole: it is refused then
      constant += x === c && i > 0 && part >= (strides[i - 1] as number) ? (type.count as number) : part
      if (x === c) continue
      e = x
    }
    e = graph.made(convertTo(e.at, 'u32', e))
    terms.push(stride === 1 ? e : graph.made(opOf(e.at, 'mul', e, stride)))
  }
  terms.sort((a, b) => a.depth - b.depth)
  const add = (a: Expr, b: Expr | number): Node => graph.made(opOf(-1, 'add', a, b))
  const [first, ...others] = terms
  const sum = first && others.reduce((a, b) => add(a, b), first)
  const index = !sum
    ? graph.made(splatConst('u32', constant))
    : constant % 2 ** 32 === 0
      ? sum
      : add(sum, constant % 2 ** 32)
  return [{ kind: 'index', index, type: type.of }, ...steps.slice(strides.length)]
}
