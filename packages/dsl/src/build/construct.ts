import type { Expr as Node } from '../ir'
import { factsOf, isMatrix, isValueName, laneCount, type ValueName, vectorName, withScalar } from '../types'
import { convert, counted, operation } from './apply'
import { fail } from './fail'
import { type Handle, homeOf, isHandle, read, STATE } from './handle'
import { constant, constantHandle, constantOf, literal } from './lift'

/** The constructor `type(…parts)`. */
export function construct(type: ValueName, parts: readonly unknown[]): Handle {
  const { scalar, cols } = factsOf(type)
  const first = parts.length === 0 ? (scalar === 'bool' ? false : 0) : parts[0]
  if (parts.length === 1 && isHandle(first)) {
    const given = first[STATE].type
    if (given === type) return first
    // otherwise `first` is a part of a `type`, and not a whole one
    if (isValueName(given) && laneCount(given) === laneCount(type) && withScalar(given, scalar) === type)
      return convert('convert', type, first, type)
  }
  if (!parts.some(isHandle)) {
    if (parts.length < (cols > 1 ? 1 : 2)) return constantHandle(constant(type, first))
    if (parts.length === laneCount(type))
      return constantHandle(
        constantOf(
          type,
          parts.map((part) => literal(scalar, part)),
        ),
      )
  }
  const home = homeOf(parts)
  const { session } = home
  const args = parts.map((part): Node => (isHandle(part) ? read(part, session) : constant(scalar, part)))
  checkParts(type, args)
  return operation({ kind: 'construct', at: session.at(), type, args }, home, type)
}

/** Vectors take scalars and shorter vectors, or one scalar for all lanes; matrices take scalars or columns. */
function checkParts(type: ValueName, args: readonly Node[]): void {
  const { scalar, rows, cols } = factsOf(type)
  const column = vectorName(scalar, rows)
  const part = args.length === cols ? column : scalar
  let lanes = 0
  for (const { type: given } of args) {
    const fits =
      isValueName(given) && (cols > 1 ? given === part : factsOf(given).scalar === scalar && !isMatrix(given))
    lanes += fits ? laneCount(given) : Number.NaN
  }
  if (lanes === laneCount(type) || (lanes === 1 && cols === 1)) return
  fail(
    'no-overload',
    `${type}(${args.map((a) => (isValueName(a.type) ? a.type : 'a composed type')).join(', ')}) does not exist`,
    cols > 1
      ? `it takes ${cols} columns of type ${column}, or ${laneCount(type)} scalars`
      : `its parts must be ${scalar} and together have ${counted(rows, 'lane')}; convert them first, ${scalar}(x)`,
  )
}
