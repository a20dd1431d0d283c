import type { Effect, Expr } from '@weft/dsl/ir'
import { evaluateAtoms } from './expressions'
import type { Frame } from './frame'
import { addressOf, elements, guarded } from './memory'
import { define } from './program'
import { familyOf } from './sync'
import { texture } from './textures'
import { read } from './variables'

/** Effects of one invocation: atomics and textures. Barriers and subgroup operations are steps of the workgroup. */
export function effect(frame: Frame, s: Effect): void {
  const family = familyOf(s.op)
  if (family === 'atomic') {
    atomic(frame, s)
    return
  }
  if (family === 'texture') {
    texture(frame, s)
    return
  }
  if (s.op === 'workgroupUniformLoad' && s.place && s.result) {
    define(frame, s.result, read(frame, s.place))
    return
  }
  throw new RangeError(`'${s.op}' is no effect of one invocation`)
}

const least = (a: string, b: string): string => `(${b} < ${a} ? ${b} : ${a})`
const greatest = (a: string, b: string): string => `(${a} < ${b} ? ${b} : ${a})`

/** The new value from the old one and the operand; the typed array wraps it. */
const UPDATE: Readonly<Record<string, (old: string, x: string) => string>> = {
  atomicAdd: (old, x) => `${old} + ${x}`,
  atomicSub: (old, x) => `${old} - ${x}`,
  atomicMax: greatest,
  atomicMin: least,
  atomicAnd: (old, x) => `${old} & ${x}`,
  atomicOr: (old, x) => `${old} | ${x}`,
  atomicXor: (old, x) => `${old} ^ ${x}`,
  atomicExchange: (_, x) => x,
}

/** Out of range, an atomic changes nothing and gives 0. */
function atomic(frame: Frame, s: Effect): void {
  if (!s.place) throw new RangeError(`'${s.op}' needs a place`)
  if (s.op === 'atomicLoad') {
    if (s.result) define(frame, s.result, read(frame, s.place))
    return
  }
  const args = s.args.map((a: Expr) => evaluateAtoms(frame, a)[0] as string)
  const address = addressOf(frame, s.place, 'write')
  const old = frame.program.name('a')
  const swapped = frame.program.name('a')
  if (s.result) frame.line(`let ${old} = 0;`)
  if (s.exchanged) frame.line(`let ${swapped} = false;`)
  guarded(frame, address, () => {
    const [cell] = elements(frame, address, s.place?.type ?? 'u32')
    if (!cell) return
    const before = s.result ? old : frame.atom(cell.code)
    if (s.result) frame.line(`${old} = ${cell.code};`)
    change(frame, s, cell.code, before, args, swapped)
  })
  if (s.result) define(frame, s.result, [old])
  if (s.exchanged) define(frame, s.exchanged, [swapped])
}

function change(frame: Frame, s: Effect, cell: string, old: string, args: readonly string[], swapped: string): void {
  const [x = '0', y = '0'] = args
  if (s.op === 'atomicStore') {
    frame.line(`${cell} = ${x};`)
    return
  }
  const update = UPDATE[s.op]
  if (update) {
    frame.line(`${cell} = ${update(old, x)};`)
    return
  }
  if (s.op !== 'atomicCompareExchangeWeak') throw new RangeError(`unknown atomic '${s.op}'`)
  frame.line(`if (${old} === ${x}) { ${cell} = ${y};${s.exchanged ? ` ${swapped} = true;` : ''} }`)
}
