import type { Expr as Node } from '../ir'
import {
  factsOf,
  isMatrix,
  isScalar,
  isValueName,
  laneCount,
  scalarOf,
  type ValueName,
  vectorName,
  withScalar,
} from '../types'
import { operation } from './apply'
import { fail } from './context'
import { exprState, Handle, isHandle, NOBODY, ownerOf } from './handle'
import { constant, literal } from './lift'
import { read } from './read'

/** The constructor `type(…parts)`. */
export function construct(type: ValueName, parts: readonly unknown[]): Handle {
  const owner = ownerOf(parts)
  const scalar = scalarOf(type)
  const done = (node: Node): Handle =>
    node.kind === 'const' ? new Handle(exprState(node, NOBODY, 0)) : operation(node, owner, type)
  if (parts.length === 0) return done(constant(type, scalar === 'bool' ? false : 0))
  if (parts.length === 1 && isHandle(parts[0])) {
    const single = convert(type, parts[0])
    if (single) return single
  }
  if (parts.every((p) => typeof p === 'number' || typeof p === 'boolean')) {
    const lanes = parts.map((p) => literal(scalar, p))
    if (lanes.length === laneCount(type)) return done(Object.freeze({ kind: 'const', type, lanes }))
    if (lanes.length === 1 && !isMatrix(type)) return done(constant(type, parts[0]))
  }
  const args = parts.map((p): Node => (isHandle(p) ? read(p, owner.session) : constant(scalar, p)))
  checkParts(type, args)
  return done(Object.freeze({ kind: 'construct', at: owner.session?.at() ?? -1, type, args }))
}

/** The same value, or its conversion lane by lane; null where `from` is a part of a `type` rather than a whole one. */
function convert(type: ValueName, from: Handle): Handle | null {
  const given = from.type
  if (given === type) return from
  if (!isValueName(given) || laneCount(given) !== laneCount(type) || withScalar(given, scalarOf(type)) !== type)
    return null
  const owner = ownerOf([from])
  return operation(
    Object.freeze({ kind: 'convert', at: owner.session?.at() ?? -1, type, arg: read(from, owner.session) }),
    owner,
    type,
  )
}

function checkParts(type: ValueName, args: readonly Node[]): void {
  const scalar = scalarOf(type)
  const { rows, cols } = factsOf(type)
  const given = args.map((a) => (typeof a.type === 'string' ? a.type : null))
  const total = given.reduce(
    (n, g) => n + (g === null || isMatrix(g) || scalarOf(g) !== scalar ? Number.NaN : laneCount(g)),
    0,
  )
  const columns = cols === 1 || given.every((g) => g !== null && (isScalar(g) || g === vectorName(scalar, rows)))
  const splats = args.length === 1 && total === 1 && cols === 1
  if ((total !== laneCount(type) || !columns) && !splats) {
    fail(
      'no-overload',
      `${type}(${given.map((g) => g ?? 'a composed type').join(', ')}) does not exist`,
      constructorNote(type),
    )
  }
}

const constructorNote = (type: ValueName): string =>
  isScalar(type)
    ? `${type}(x) converts one scalar`
    : isMatrix(type)
      ? `it takes ${factsOf(type).cols} columns of type ${vectorName(scalarOf(type), factsOf(type).rows)}, or ${laneCount(type)} scalars`
      : `its parts must be ${scalarOf(type)} and together have ${laneCount(type)} lanes; convert them first, ${scalarOf(type)}(x)`
