import {
  type Bitcast,
  type Cases,
  type Construct,
  type Convert,
  type Expr,
  type Index,
  type Result,
  scalarOf,
  type Type,
} from '@weft/dsl/ir'
import { builtin } from './builtins'
import { bitcasted, converted } from './convert'
import { type Frame, fromKept, isAtom, literal } from './frame'
import { clampedIndex, elementCount } from './indices'
import { atoms, opLanes, repeatsLanes } from './ops'
import { invocation } from './program'
import { elementsOf, type Lane, lanesOf, memberLanes } from './shape'

/**
 * Expressions become lists of JavaScript expressions, one for each scalar of the value: a vec4f is four numbers.
 * Bools are JavaScript bools. A node with several uses gets constants, once for each block that it is needed in.
 */

type Lanes = readonly string[]

/** Code longer than this gets a name, so that no expression nests without bound. */
const LONGEST = 600

export function evaluate(frame: Frame, e: Expr): Lanes {
  if (e.kind === 'const') return e.lanes.map((x) => literal(x, scalarOf(e.type)))
  if (e.kind === 'result') return resultLanes(frame, e)
  const known = frame.cached(e)
  if (known) return known
  const lanes = (LANES[e.kind] as (e: Expr, frame: Frame) => Lanes)(e, frame)
  const shared = (frame.program.uses.get(e) ?? 0) > 1 || lanes.some((lane) => lane.length > LONGEST)
  if (!shared) return lanes
  const named = atoms(frame, lanes)
  frame.cache(e, named)
  return named
}

/** The lanes of an expression as names or numbers, for code that mentions them several times. */
export const evaluateAtoms = (frame: Frame, e: Expr): Lanes => atoms(frame, evaluate(frame, e))

const LANES: Cases<Expr, Lanes, [Frame]> = {
  const: (e) => e.lanes.map((x) => literal(x, scalarOf(e.type))),
  builtin: (e, frame) => builtin(frame, e.name),
  param: (e, frame) => lanesOf(e.type).map((_, i) => frame.use(frame.program.param(e.name, i))),
  override: (e, frame) => [literal(frame.program.unit.overrides[e.name] ?? 0, scalarOf(e.type))],
  constant: (e, frame) => evaluate(frame, frame.program.constant(e.name)),
  argument: (e) => {
    throw new RangeError(`argument '${e.name}' outside of its function`)
  },
  result: (e, frame) => resultLanes(frame, e),
  op: (e, frame) =>
    opLanes(
      frame,
      e,
      e.args.map((a) => (repeatsLanes(e) ? evaluateAtoms(frame, a) : evaluate(frame, a))),
    ),
  construct: (e, frame) => construct(frame, e),
  convert: (e, frame) => convert(frame, e),
  bitcast: (e, frame) => bitcast(frame, e),
  swizzle: (e, frame) => {
    const repeats = new Set(e.lanes).size < e.lanes.length
    const lanes = repeats ? evaluateAtoms(frame, e.of) : evaluate(frame, e.of)
    return e.lanes.map((i) => lanes[i] as string)
  },
  index: (e, frame) => index(frame, e),
  member: (e, frame) => {
    const [start, count] = memberLanes(e.of.type, e.name)
    return evaluate(frame, e.of).slice(start, start + count)
  },
  length: (e, frame) => [elementCount(frame, e.of)],
}

function resultLanes(frame: Frame, r: Result): Lanes {
  const known = frame.known(r.id)
  if (known) return known
  const { program } = frame
  const lanes = lanesOf(r.type)
  if (program.isOnce(r.id)) return lanes.map((_, i) => frame.shared(`r${r.id}_${i}`))
  if (!program.isKept(r.id)) throw new RangeError(`result ${r.id} is not known here`)
  const kept = lanes.map(({ scalar }, i) =>
    fromKept(`${frame.use(program.keptResult(r, i))}[${invocation(frame)}]`, scalar),
  )
  if (frame.level === 'workgroup') return kept.map((code) => `(${code})`)
  const names = kept.map((code, i) => {
    frame.head.push(`const r${r.id}_${i} = ${code};`)
    return `r${r.id}_${i}`
  })
  frame.results.set(r.id, names)
  return names
}

export const zeros = (type: Type): Lanes => lanesOf(type).map(({ scalar }) => (scalar === 'bool' ? 'false' : '0'))

function construct(frame: Frame, e: Construct): Lanes {
  if (e.args.length === 0) return zeros(e.type)
  const count = lanesOf(e.type).length
  const [only] = e.args
  if (e.args.length === 1 && only && lanesOf(only.type).length === 1 && count > 1 && typeof e.type === 'string') {
    return new Array<string>(count).fill(evaluateAtoms(frame, only)[0] as string)
  }
  return e.args.flatMap((a) => evaluate(frame, a))
}

function convert(frame: Frame, e: Convert): Lanes {
  const to = scalarOf(e.type)
  const from = lanesOf(e.arg.type)[0] as Lane
  return evaluate(frame, e.arg).map((x) => converted(frame, to, from.scalar, x))
}

function bitcast(frame: Frame, e: Bitcast): Lanes {
  const { arg } = e
  if (typeof arg.type !== 'string') throw new RangeError('only values can be bitcast')
  return bitcasted(frame, e.type, arg.type, evaluate(frame, arg))
}

function index(frame: Frame, e: Index): Lanes {
  const { count } = elementsOf(e.of.type)
  const width = lanesOf(e.type).length
  const last = (count ?? 1) - 1
  if (e.index.kind === 'const') {
    const i = Math.min((e.index.lanes[0] ?? 0) >>> 0, last)
    return evaluate(frame, e.of).slice(i * width, (i + 1) * width)
  }
  const i = frame.atom(clampedIndex(frame, e.index, String(last + 1)))
  if (typeof e.of.type === 'string') return chosen(evaluateAtoms(frame, e.of), i, width)
  return tabled(frame, e, i, width)
}

/** One of a few lanes by a chain of comparisons. */
function chosen(lanes: Lanes, i: string, width: number): Lanes {
  const count = lanes.length / width
  return Array.from({ length: width }, (_, k) => {
    let code = lanes[(count - 1) * width + k] as string
    for (let n = count - 2; n >= 0; n--) code = `(${i} === ${n} ? ${lanes[n * width + k]} : ${code})`
    return code
  })
}

/** An element of an array value, by way of a table: a constant one, or one that is filled here. */
function tabled(frame: Frame, e: Index, i: string, width: number): Lanes {
  const { program } = frame
  const lanes = evaluate(frame, e.of)
  const scalars = lanesOf(e.type)
  const isConstant = lanes.every((lane) => isAtom(lane) && !/^[a-z_$]\w*$/i.test(lane.replace(/^(true|false)$/, '0')))
  const name = e.of.kind === 'constant' ? `q_${e.of.name}` : program.name('q')
  const constant = `Float64Array.of(${lanes.map((lane) => `+${lane}`).join(', ')})`
  const table = frame.use(program.declare(name, isConstant ? constant : `new Float64Array(${lanes.length})`))
  if (!isConstant) for (const [k, lane] of lanes.entries()) frame.line(`${table}[${k}] = +${lane};`)
  return scalars.map(({ scalar }, k) => {
    const code = `${table}[${width === 1 ? i : `${i} * ${width} + ${k}`}]`
    return frame.atom(
      scalar === 'bool'
        ? `${code} !== 0`
        : scalar === 'i32'
          ? `${code} | 0`
          : scalar === 'u32'
            ? `${code} >>> 0`
            : code,
    )
  })
}
