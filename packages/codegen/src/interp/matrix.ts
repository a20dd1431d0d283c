import {
  type Effect,
  type Expr,
  type Place,
  type Stmt,
  type SubgroupMatrixType,
  scalarBytes,
  spell,
  type Type,
} from '@weft/dsl/ir'
import { evaluate } from './expressions'
import type { Frame } from './frame'
import * as M from './matrix-math'
import { addressOf } from './memory'
import type { BoundPart } from './program'
import { elementsOf } from './shape'
import type { Item } from './steps'

/**
 * Statements on subgroup matrices, done once for each subgroup by its first invocation that takes part. A matrix is
 * held whole, in columns: for each result and variable an array with one matrix for each subgroup.
 */
export function matrixItem(frame: Frame, item: Item): void {
  if (item.kind === 'set') {
    copyTo(frame, resultAt(frame, item.result.id, item.result.type), item.value)
    return
  }
  if (item.kind === 'stmt') {
    statement(frame, item.stmt)
    return
  }
  throw new RangeError('a subgroup has no mask of its own')
}

/** A matrix in memory: code of its array and of where it begins. */
interface Held {
  readonly array: string
  readonly at: string
}

function statement(frame: Frame, s: Stmt): void {
  switch (s.kind) {
    case 'let':
      copyTo(frame, resultAt(frame, s.result.id, s.result.type), s.value)
      return
    case 'var': {
      const { variable } = s
      const whole = variableAt(frame, {
        kind: 'place',
        type: variable.type,
        root: { kind: 'variable', id: variable.id },
        steps: [],
      })
      if (variable.init) {
        copyTo(frame, whole, variable.init)
        return
      }
      frame.line(`${whole.array}.fill(0, ${whole.at}, ${whole.at} + ${lengthOf(variable.type)});`)
      return
    }
    case 'load':
      copy(frame, resultAt(frame, s.result.id, s.result.type), variableAt(frame, s.place), lengthOf(s.result.type))
      return
    case 'store':
      copyTo(frame, variableAt(frame, s.place), s.value)
      return
    case 'effect':
      effect(frame, s)
      return
    default:
      throw new RangeError(`a ${s.kind} is no statement on a matrix`)
  }
}

export function lengthOf(type: Type): number {
  if (typeof type !== 'string' && type.kind === 'subgroup_matrix') return type.cols * type.rows
  if (typeof type !== 'string' && type.kind === 'array') return (type.count as number) * lengthOf(type.of)
  throw new RangeError(`${spell(type)} is no matrix`)
}

function held(frame: Frame, name: string, type: Type): Held {
  const length = lengthOf(type)
  const array = frame.use(frame.program.declare(name, `new Float64Array(${length * frame.program.unit.subgroups})`))
  return { array, at: `sg * ${length}` }
}

const resultAt = (frame: Frame, id: number, type: Type): Held => held(frame, `M${id}`, type)

function variableAt(frame: Frame, place: Place): Held {
  if (place.root.kind !== 'variable') throw new RangeError('a matrix lies in a variable')
  const { id, type } = frame.program.storage(place.root.id)
  const base = held(frame, `W${id}`, type)
  let at = base.at
  let current = type
  for (const step of place.steps) {
    if (step.kind !== 'index' || typeof current === 'string' || current.kind !== 'array')
      throw new RangeError('only arrays of matrices have elements')
    const count = current.count as number
    current = current.of
    at = `${at} + Math.min(${evaluate(frame, step.index)[0]} >>> 0, ${count - 1}) * ${lengthOf(current)}`
  }
  return { array: base.array, at: frame.atom(at) }
}

/** Puts the value of an expression into a matrix. */
function copyTo(frame: Frame, to: Held, value: Expr): void {
  const length = lengthOf(value.type)
  if (value.kind !== 'construct') {
    copy(frame, to, matrixOf(frame, value), length)
    return
  }
  const type = value.type
  if (typeof type !== 'string' && type.kind === 'array') {
    const each = lengthOf(type.of)
    if (value.args.length === 0) frame.line(`${to.array}.fill(0, ${to.at}, ${to.at} + ${length});`)
    for (const [i, arg] of value.args.entries()) copyTo(frame, { array: to.array, at: `${to.at} + ${i * each}` }, arg)
    return
  }
  const [scalar] = value.args
  frame.line(`${to.array}.fill(${scalar ? evaluate(frame, scalar)[0] : '0'}, ${to.at}, ${to.at} + ${length});`)
}

const copy = (frame: Frame, to: Held, from: Held, length: number): void =>
  frame.line(
    `${frame.program.helper('copyMatrix', M.copy)}(${to.array}, ${to.at}, ${from.array}, ${from.at}, ${length});`,
  )

/** Where the value of an expression lies. */
function matrixOf(frame: Frame, e: Expr): Held {
  if (e.kind === 'result') return resultAt(frame, e.id, e.type)
  if (e.kind === 'construct') {
    const temporary = held(frame, frame.program.name('X'), e.type)
    copyTo(frame, temporary, e)
    return temporary
  }
  if (e.kind === 'index' && e.index.kind === 'const') {
    const whole = matrixOf(frame, e.of)
    return { array: whole.array, at: `${whole.at} + ${(e.index.lanes[0] ?? 0) * lengthOf(e.type)}` }
  }
  throw new RangeError(`a ${e.kind} is no matrix`)
}

const matrixType = (type: Type): SubgroupMatrixType => {
  if (typeof type !== 'string' && type.kind === 'subgroup_matrix') return type
  throw new RangeError(`${spell(type)} is no matrix`)
}

const PARTS: { readonly [K in SubgroupMatrixType['of']]: BoundPart } = {
  bool: 'u',
  f16: 'h',
  f32: 'f',
  i32: 'i',
  u32: 'u',
  i8: 's',
  u8: 'c',
}
const bytesOf = (of: SubgroupMatrixType['of']): number => (of === 'i8' || of === 'u8' ? 1 : scalarBytes(of))

function effect(frame: Frame, s: Effect): void {
  if (s.op === 'subgroupMatrixLoad' || s.op === 'subgroupMatrixStore') {
    transfer(frame, s)
    return
  }
  if (!s.result) return
  const type = matrixType(s.result.type)
  const out = resultAt(frame, s.result.id, type)
  const [a, b, c] = s.args
  if (!a || !b) throw new RangeError(`'${s.op}' lacks arguments`)
  const left = matrixOf(frame, a)
  if (s.op === 'subgroupMatrixMultiply' || s.op === 'subgroupMatrixMultiplyAccumulate') {
    const inner = matrixType(a.type).cols
    const right = matrixOf(frame, b)
    if (c) copyTo(frame, out, c)
    else frame.line(`${out.array}.fill(0, ${out.at}, ${out.at} + ${lengthOf(type)});`)
    const name = frame.program.helper(`multiply_${type.of}`, M.multiply(type.of))
    frame.line(
      `${name}(${out.array}, ${out.at}, ${left.array}, ${left.at}, ${right.array}, ${right.at}, ${type.rows}, ${type.cols}, ${inner});`,
    )
    return
  }
  const name = frame.program.helper(`${s.op}_${type.of}`, M.scalar(s.op, type.of))
  frame.line(
    `${name}(${out.array}, ${out.at}, ${left.array}, ${left.at}, ${lengthOf(type)}, ${evaluate(frame, b)[0]});`,
  )
}

/** Loads or stores a matrix: elements outside of the array are zeros, and are not written. */
function transfer(frame: Frame, s: Effect): void {
  if (!s.place) throw new RangeError(`'${s.op}' needs a place`)
  const isLoad = s.op === 'subgroupMatrixLoad'
  const [offset, second, third] = s.args as [Expr, Expr, Expr | undefined]
  const type = matrixType(isLoad ? (s.result?.type ?? 'f32') : second.type)
  if (isLoad && !s.result) return
  const matrix = isLoad && s.result ? resultAt(frame, s.result.id, type) : matrixOf(frame, second)
  const address = addressOf(frame, s.place, 'read')
  const bytes = bytesOf(type.of)
  const base = [String(address.offset), ...address.terms.map((t) => `${t.code} * ${t.bytes}`)].join(' + ')
  const view = address.view(PARTS[type.of])
  const { count, stride } = elementsOf(address.type)
  const start = frame.atom(`(${base}) / ${bytes}`)
  const limit = count === null ? `${view}.length` : `${start} + ${(count * stride) / bytes}`
  // offset and stride count elements of the array, which may hold several components each
  const components = (e: Expr): string =>
    stride === bytes ? String(evaluate(frame, e)[0]) : `(${evaluate(frame, e)[0]}) * ${stride / bytes}`
  const step = components(isLoad ? second : (third as Expr))
  const strides = s.majorness === 'col' ? `1, ${step}` : `${step}, 1`
  const name = isLoad
    ? frame.program.helper(`load_${type.of}`, M.load(type.of))
    : frame.program.helper(`store_${type.of}`, M.store(type.of))
  frame.line(
    `${name}(${matrix.array}, ${matrix.at}, ${type.rows}, ${type.cols}, ${view}, ${start} + ${components(offset)}, ${limit}, ${strides});`,
  )
}
