import { type Builder, d, type Expr, func, i32, inout, type KernelSource, kernel, u32, type VarRef } from '@weft/dsl'
import { type Block, type Effect, type Kernel, type Stmt, withParts } from '@weft/dsl/ir'

/** Random programs of nested control flow, and a transformation that makes the interpreter run them in lockstep. */

export const INVOCATIONS = 12

export type Random = (n: number) => number

export const random = (seed: number): Random => {
  let state = seed * 2654435761 + 1
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 10) % n
  }
}

type Var = VarRef<'u32'>

interface Context {
  readonly k: Builder
  readonly rnd: Random
  readonly vars: readonly Var[]
  readonly loops: number
  readonly inSwitch: boolean
  readonly names: { next: number }
  readonly call: (x: Expr<'u32'>) => Expr<'u32'>
  readonly list: { at(i: Expr<'u32'>): Var }
}

export function program(seed: number): KernelSource {
  const rnd = random(seed)
  const helper = func('helper(x)', [u32], (x, k) => {
    k.if(x.rem(3).eq(rnd(3)), () => k.return(x.add(1)))
    const v = k.var('hv', x)
    k.range('hi', x.rem(4), (i) => {
      k.if(i.eq(2), () => k.return(v))
      v.mulAssign(i.add(3))
    })
    return v
  })
  return kernel(
    'program',
    { workgroupSize: [INVOCATIONS], guards: 'off', bindings: { y: inout(d.arrayOf(d.u32)) } },
    ({ y }, k) => {
      const vars = [0, 1, 2].map((n) => k.var(`v${n}`, k.localIndex.mul(n).add(n)))
      const array = k.var('list', d.arrayOf(d.u32, 4))
      const list = { at: (i: Expr<'u32'>) => array.at(i.rem(4)) }
      const context: Context = {
        k,
        rnd,
        vars,
        loops: 0,
        inSwitch: false,
        names: { next: 0 },
        call: (x) => helper(x),
        list,
      }
      statements(context, 3)
      vars.forEach((v, n) => {
        y.at(k.localIndex.mul(8).add(n)).set(v)
      })
      k.range('out', 4, (i) => y.at(k.localIndex.mul(8).add(i).add(3)).set(array.at(i)))
    },
  )
}

const pick = <T>(c: Context, list: readonly T[]): T => list[c.rnd(list.length)] as T
const name = (c: Context): string => `n${c.names.next++}`
const value = (c: Context): Expr<'u32'> => {
  const v: Expr<'u32'> = pick(c, c.vars)
  return pick(c, [
    () => v.add(c.rnd(5)),
    () => v.mul(3).bitXor(c.k.localIndex),
    () => c.call(v),
    () => c.list.at(v),
    () => u32(i32(v).shr(1)),
    () => v.rem(7),
  ])()
}
const test = (c: Context): Expr<'bool'> =>
  pick(c, [() => value(c).rem(2).eq(0), () => value(c).rem(5).lt(3), () => c.k.localIndex.lt(c.rnd(INVOCATIONS))])()

function statements(c: Context, depth: number): void {
  const count = 1 + c.rnd(4)
  for (let n = 0; n < count; n++) statement(c, depth)
}

function statement(c: Context, depth: number): void {
  const { k } = c
  const deeper =
    (inner: Partial<Context> = {}) =>
    () =>
      statements({ ...c, ...inner }, depth - 1)
  const loop: Partial<Context> = { loops: c.loops + 1, inSwitch: false }
  const simple = [() => pick(c, c.vars).set(value(c)), () => c.list.at(value(c)).set(value(c)), () => jump(c)]
  const nested = [
    () => k.if(test(c), deeper(), deeper()),
    () => k.if(test(c), deeper(), deeper()),
    () => k.range(name(c), value(c).rem(4), deeper(loop)),
    () => k.range(name(c), c.rnd(4), deeper(loop)),
    () => choice(c, deeper({ inSwitch: true })),
    () => counted(c, deeper(loop)),
    () => whileLoop(c, deeper(loop)),
  ]
  pick(c, depth > 0 ? [...simple, ...nested] : simple)()
}

function choice(c: Context, body: () => void): void {
  c.k.switch(value(c).rem(5), (s) => {
    s.case([0, 3], body)
    s.case(1, body)
    s.default(body)
  })
}

function counted(c: Context, body: () => void): void {
  const i = c.k.var(name(c), u32(0))
  c.k.loop(body, () => {
    i.addAssign(1)
    return i.ge(value(c).rem(4))
  })
}

function whileLoop(c: Context, body: () => void): void {
  const i = c.k.var(name(c), u32(0))
  c.k.while(
    () => i.lt(value(c).rem(4)),
    () => {
      i.addAssign(1)
      body()
    },
  )
}

/** Jumps stand in an `if`, so that something may follow. */
function jump(c: Context): void {
  const { k } = c
  const out = [() => k.return()]
  const jumps = c.loops > 0 ? [() => k.break(), () => k.continue(), ...out] : c.inSwitch ? [() => k.break()] : out
  if (c.loops > 0 || c.inSwitch || c.rnd(4) === 0) k.if(test(c), pick(c, jumps), () => {})
}

/** The same kernel with a subgroup operation, whose result nobody uses, after every statement of every block. */
export function inLockstep(kernel: Kernel, every: (n: number) => boolean): Kernel {
  let id = 1_000_000
  let n = 0
  const elect = (): Effect => ({
    kind: 'effect',
    at: 0,
    op: 'subgroupElect',
    place: null,
    args: [],
    result: { kind: 'result', type: 'bool', id: id++ },
    exchanged: null,
    majorness: null,
  })
  const ends = (s: Stmt): boolean => s.kind === 'break' || s.kind === 'continue' || s.kind === 'return'
  const block = (b: Block): Block =>
    b.flatMap((s) => {
      const inner = withParts(s, (e) => e, block)
      return ends(s) || !every(n++) ? [inner] : [inner, elect()]
    })
  return {
    ...kernel,
    body: block(kernel.body),
    functions: kernel.functions.map((f) => ({ ...f, body: block(f.body) })),
  }
}
