import type { Expr, PureName, Range, Stmt, ValueName } from '@weft/dsl/ir'
import type { Body } from './body'
import type { Node } from './node'
import { convertTo, opOf, splatConst } from './nodes'
import type { Rounds } from './unroll'

/**
 * Ranges that count their rounds and make their index of the round. Engines prove an index that goes by 1 between
 * constants, and that such a loop ends; any other gets a counter of 64 bits from Tint, and then no driver writes it out
 * or has the loads of more than one round under way.
 */
export function counting(s: Range, start: Expr, { count, by }: Rounds, body: Body): Range {
  const { type } = s.index
  const value = (round: Node): Expr => opOf(s.at, 'add', start, opOf(s.at, 'mul', round, by))
  return rounds(body, s, 'round', type as ValueName, splatConst(type as ValueName, count), (round, out) => {
    body.graph.facts.results[round.id] = { low: 0, high: count - 1 }
    indexed(s, value(round), body, out)
    out.push(...body.block(s.body))
  })
}

/** A range whose number of rounds is not known: so many at a time, as a loop that drivers write out, the rest one by one. */
export function grouped(s: Range, by: number, body: Body, out: Stmt[]): void {
  const { graph, loops } = body
  const { at, name } = s
  const size = s.unroll as number
  const [start, end, step] = [body.expr(s.start), body.expr(s.end), body.expr(s.step)]
  const of = (op: PureName, a: Expr, b: Expr | number): Expr => opOf(at, op, a, b)
  const distance = by > 0 ? of('sub', of('max', end, start), start) : of('sub', start, of('min', end, start))
  const length = graph.made(convertTo(at, 'u32', distance))
  const all = of('add', of('div', length, Math.abs(by)), of('min', of('rem', length, Math.abs(by)), 1))
  const groups = body.fresh('u32')
  out.push({ kind: 'let', at, name: `${name}_groups`, value: graph.made(of('div', all, size)), result: groups })

  const indexOf = (round: Expr): Expr =>
    of('add', start, of('mul', convertTo(at, s.index.type as ValueName, round), by))
  loops.within(out, () => [
    rounds(body, s, 'group', 'u32', groups, (group, inner) =>
      loops.within(inner, () => [
        rounds(body, s, 'round', 'u32', splatConst('u32', size), (round, inmost) => {
          graph.facts.results[round.id] = { low: 0, high: size - 1 }
          indexed(s, indexOf(of('add', of('mul', group, size), round)), body, inmost)
          graph.round(() => inmost.push(...body.block(s.body)))
        }),
      ]),
    ),
  ])
  const first = graph.made(indexOf(of('mul', groups, size)))
  loops.within(out, () => {
    const rest = { ...s, start: first, end, step, index: body.result(s.index), unroll: false }
    const inner: Stmt[] = []
    graph.round(() => inner.push(...body.block(s.body)))
    return [{ ...rest, body: inner }]
  })
}

/** A range from 0 by 1, in the place of another. */
function rounds(
  { graph, fresh }: Body,
  s: Range,
  part: string,
  type: ValueName,
  end: Expr,
  fill: (index: Node, out: Stmt[]) => void,
): Range {
  const index = fresh(type)
  const body: Stmt[] = []
  fill(index as Node, body)
  const [start, step] = [0, 1].map((n) => graph.made(splatConst(type, n))) as [Node, Node]
  return { ...s, name: `${s.name}_${part}`, index, start, end: graph.made(end), step, body, unroll: false }
}

/** Says what the index of a range is in this round. */
function indexed(s: Range, index: Expr, body: Body, out: Stmt[]): void {
  const value = body.graph.made(index)
  const result = body.result(s.index)
  body.graph.facts.results[result.id] = value
  out.push({ kind: 'let', at: s.at, name: s.name, value, result })
}
