import type { Expr as Node } from '../ir'
import { factsOf, isMatrix, isValueName, laneCount, type ValueName, vectorName, withScalar } from '../types'
import { convert, operation } from './apply'
import { counted, type Handle, homeOf, isHandle, noForm, read, STATE } from './handle'
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
  checkParts(type, parts, args)
  return operation({ kind: 'construct', at: session.at(), type, args }, home, type)
}

/** Vectors take scalars and shorter vectors, or one scalar for all lanes; matrices take scalars or columns. */
function checkParts(type: ValueName, parts: readonly unknown[], args: readonly Node[]): void {
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
  noForm(
    type,
    parts,
    cols > 1
      ? `it takes ${cols} columns of type ${column}, or ${laneCount(type)} scalars`
      : `its parts must be ${scalar} and together have ${counted(rows, 'lane')}; convert them first, ${scalar}(x)`,
  )
}
