/** Statements from genes: declarations, assignments, control flow, barriers, atomics. */
import { d, i32, u32 } from '@weft/dsl'
import { laneCount, scalarOf } from '@weft/dsl/ir'
import { expression, index, token } from './expressions.js'
import type { StmtGene } from './gene.js'
import { call, type FuzzType, type Loose, loose, type Named, type Place, TYPES, within } from './scope.js'

/** Gives the place after the statement, where more may be visible. */
type Statement = (p: Place, g: StmtGene) => Place

export const Mixed = d.struct({ a: d.u32, v: d.vec2f, list: d.arrayOf(d.i32, 3) }).$name('Mixed')

const expr = (g: StmtGene, i = 0): StmtGene['exprs'][number] => g.exprs[i % g.exprs.length] as StmtGene['exprs'][number]
const typeOf = (g: StmtGene): FuzzType => TYPES[g.leaf % TYPES.length] as FuzzType
const declared = (p: Place, name: Named): Place => within(p, { names: [...p.names, name] })
const inside = (p: Place, more: Partial<Place>, genes: readonly StmtGene[]): void => void block(within(p, more), genes)

export function block(place: Place, genes: readonly StmtGene[]): Place {
  let current = place
  for (const g of genes) current = (STATEMENTS[g.pick % STATEMENTS.length] as Statement)(current, g)
  return current
}

const variable = (type: FuzzType, ref: Loose): Named => ({ type, read: () => ref, set: (v) => ref.set(v) })

const declare: Statement = (p, g) => {
  const type = typeOf(g)
  const value = expression(p, expr(g), type)
  if (g.leaf % 3 === 0) {
    const named = loose(p.k.let(p.name('value'), value as never))
    return declared(p, { type, read: () => named })
  }
  // without a first value, half of the time: it is zero
  const ref = loose(p.k.var(p.name('v'), g.leaf % 3 === 1 ? (value as never) : (token(type) as never)))
  if (g.leaf % 3 === 2) ref.set(value)
  return declared(p, variable(type, ref))
}

const assign: Statement = (p, g) => {
  const settable = p.names.filter((n) => n.set)
  const target = settable[g.leaf % Math.max(1, settable.length)]
  if (!target?.set) return declare(p, g)
  const { type } = target
  const integer = scalarOf(type) === 'u32' || scalarOf(type) === 'i32'
  if (integer && laneCount(type) === 1 && g.pick % 2) {
    const ops = ['add', 'sub', 'mul', 'bitXor', 'bitOr'] as const
    target.set(call(target.read(), ops[g.leaf % ops.length] as string, expression(p, expr(g), type)))
  } else target.set(expression(p, expr(g), type))
  return p
}

/** One lane of a vector variable. */
const assignLane: Statement = (p, g) => {
  const vectors = p.names.filter((n) => n.set && laneCount(n.type) > 1 && 'set' in n.read())
  const target = vectors[g.leaf % Math.max(1, vectors.length)]
  if (!target) return assign(p, g)
  const lane = g.leaf % laneCount(target.type)
  const value = expression(p, expr(g), scalarOf(target.type) as FuzzType)
  loose(target.read().at(lane)).set(value)
  return p
}

/** A condition, and whether it is the same for the whole workgroup. */
function condition(p: Place, g: StmtGene): { readonly test: Loose; readonly uniform: boolean } {
  if (p.memory && p.uniform && g.leaf % 3 === 0)
    return { test: call(call(p.memory.uniformValue(), 'rem', 3), 'lt', (g.leaf % 4) as never), uniform: true }
  return { test: expression(p, expr(g), 'bool'), uniform: false }
}

const branch: Statement = (p, g) => {
  const { test, uniform } = condition(p, g)
  const more = { uniform: p.uniform && uniform }
  const otherwise = g.other.length > 0 ? () => inside(p, more, g.other) : undefined
  if (otherwise) p.k.if(test as never, () => inside(p, more, g.body), otherwise)
  else p.k.if(test as never, () => inside(p, more, g.body))
  return p
}

const MOST_ROUNDS = 64

const range: Statement = (p, g) => {
  if (p.rounds * 4 > MOST_ROUNDS) return assign(p, g)
  const fixed = g.leaf % 2 === 0
  const uniform = p.uniform && fixed && g.leaf % 4 === 0
  // without jumps, a uniform loop keeps its flow uniform
  const more: Partial<Place> = { uniform, around: uniform ? 'none' : 'loop', inLoop: !uniform, rounds: p.rounds * 4 }
  const end = fixed ? u32(1 + (g.leaf % 4)) : call(expression(p, expr(g), 'u32'), 'rem', 5)
  const body = (i: unknown): void =>
    inside(declared(p, { type: g.leaf % 5 === 0 ? 'i32' : 'u32', read: () => loose(i) }), more, g.body)
  if (g.leaf % 5 === 0)
    p.k.range(
      p.name('i'),
      i32(3) as never,
      (fixed ? i32(-1) : call(loose(i32(end as never)), 'neg')) as never,
      -1,
      body as never,
    )
  else
    p.k.range(p.name('i'), u32(0) as never, end as never, u32(1 + (g.leaf % 2)) as never, body as never, {
      // written out where that is short, in groups where the end is not known
      unroll: fixed ? g.leaf % 7 === 0 && g.body.every((s) => s.body.length === 0) : 1 + (g.leaf % 3),
    })
  return p
}

const whileLoop: Statement = (p, g) => {
  if (p.rounds * 4 > MOST_ROUNDS) return assign(p, g)
  const left = loose(p.k.var(p.name('left'), u32(g.leaf % 4)))
  p.k.while(
    () => {
      const going = call(left, 'gt', 0)
      return (g.leaf % 2 ? going : call(going, 'and', expression(p, expr(g), 'bool'))) as never
    },
    () => {
      left.set(call(left, 'sub', 1))
      inside(p, { uniform: false, around: 'loop', inLoop: true, rounds: p.rounds * 4 }, g.body)
    },
  )
  return p
}

const loopWithContinuing: Statement = (p, g) => {
  if (p.rounds * 4 > MOST_ROUNDS) return assign(p, g)
  const count = loose(p.k.var(p.name('count'), u32(0)))
  p.k.loop(
    () => inside(p, { uniform: false, around: 'loop', inLoop: true, rounds: p.rounds * 4 }, g.body),
    () => {
      count.set(call(count, 'add', 1))
      // at the end of the block variables declared in the body may not have been reached: only what was there before is used
      return call(call(count, 'ge', 1 + (g.leaf % 4)), 'or', expression(p, expr(g), 'bool')) as never
    },
  )
  return p
}

const switchOn: Statement = (p, g) => {
  const signed = g.leaf % 2 === 0
  const selector = signed
    ? call(expression(p, expr(g), 'i32'), 'rem', 3)
    : call(expression(p, expr(g), 'u32'), 'rem', 4)
  const more: Partial<Place> = { uniform: false, around: 'switch' }
  p.k.switch(selector as never, (s) => {
    s.case(signed ? -1 : 0, () => inside(p, more, g.body.slice(0, 2)))
    s.case(signed ? [1, 2] : [1, 3], () => inside(p, more, g.body.slice(2)))
    if (g.other.length > 0) s.default(() => inside(p, more, g.other))
  })
  return p
}

const jump: Statement = (p, g) => {
  const kinds = [
    ...(p.around === 'none' ? [] : ['break']),
    ...(p.inLoop ? ['continue'] : []),
    ...(p.inFunction ? ['return'] : []),
  ]
  const kind = kinds[g.leaf % Math.max(1, kinds.length)]
  if (kind === undefined) return assign(p, g)
  p.k.if(expression(p, expr(g), 'bool') as never, () => {
    if (kind === 'break') p.k.break()
    else if (kind === 'continue') p.k.continue()
    else p.k.return(expression(p, expr(g, 1), 'u32') as never)
  })
  return p
}

const ARRAY_OF: Readonly<Partial<Record<FuzzType, unknown>>> = {
  u32: d.arrayOf(d.u32, 4),
  i32: d.arrayOf(d.i32, 4),
  f32: d.arrayOf(d.f32, 4),
  vec2u: d.arrayOf(d.vec2u, 4),
}

const array: Statement = (p, g) => {
  const types = Object.keys(ARRAY_OF) as FuzzType[]
  if (p.arrays.length === 0 || g.leaf % 4 === 0) {
    const type = types[g.leaf % types.length] as FuzzType
    const ref = loose(p.k.var(p.name('a'), ARRAY_OF[type] as never))
    ref.at(g.leaf % 4).set(expression(p, expr(g), type))
    return within(p, { arrays: [...p.arrays, { type, ref }] })
  }
  const { type, ref } = p.arrays[g.leaf % p.arrays.length] as Place['arrays'][number]
  const at = index(p, expr(g, 1), 4)
  ref.at(at).set(expression(p, expr(g), type))
  return p
}

const struct: Statement = (p, g) => {
  const known = p.structs[g.leaf % Math.max(1, p.structs.length)]
  if (!known || g.leaf % 4 === 0) {
    const ref = loose(p.k.var(p.name('s'), Mixed))
    if (known && g.leaf % 8 === 0) ref.set(known)
    return within(p, { structs: [...p.structs, ref] })
  }
  const fields = known as unknown as { a: Loose; v: Loose; list: Loose }
  if (g.leaf % 3 === 0) fields.a.set(expression(p, expr(g), 'u32'))
  else if (g.leaf % 3 === 1) fields.v.set(expression(p, expr(g), 'vec2f'))
  else fields.list.at(index(p, expr(g, 1), 3)).set(expression(p, expr(g), 'i32'))
  return declared(p, { type: 'u32', read: () => (known as unknown as { a: Loose }).a })
}

/** Each invocation writes its own cell, all wait, each reads another's, all wait. */
const exchange: Statement = (p, g) => {
  const tile = p.memory?.tiles[g.leaf % p.memory.tiles.length]
  if (!p.memory || !tile || !p.uniform) return assign(p, g)
  const { k, memory: m } = p
  tile.ref.at(m.localIndex).set(expression(p, expr(g), tile.type))
  k.workgroupBarrier()
  const other = call(call(m.localIndex, 'add', 1 + (g.leaf % 7)), 'rem', m.size)
  const seen = loose(k.let(p.name('seen'), tile.ref.at(other) as never))
  k.workgroupBarrier()
  return declared(p, { type: tile.type, read: () => seen })
}

const count: Statement = (p, g) => {
  const counter = p.memory?.counters[g.leaf % p.memory.counters.length]
  if (!counter) return assign(p, g)
  call(counter.ref, counter.op, expression(p, expr(g), 'u32'))
  return p
}

/** Often used kinds stand twice. */
const STATEMENTS: readonly Statement[] = [
  declare,
  assign,
  branch,
  range,
  assign,
  declare,
  exchange,
  whileLoop,
  loopWithContinuing,
  switchOn,
  jump,
  array,
  struct,
  count,
  assignLane,
  exchange,
  array,
]
