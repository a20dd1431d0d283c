/**
 * Value types, spelled as WGSL's predeclared aliases (`f32`, `vec4f`, `mat2x3h`, `vec2<bool>`): strings, so that
 * they can be compared with `===`, used as keys of lookup tables, and read on hover. TypeGPU's `.type` is the
 * same spelling.
 */

export const SCALARS = ['bool', 'f16', 'f32', 'i32', 'u32'] as const
export type ScalarName = (typeof SCALARS)[number]

export type VectorName =
  | 'vec2<bool>' | 'vec3<bool>' | 'vec4<bool>'
  | 'vec2f' | 'vec3f' | 'vec4f'
  | 'vec2h' | 'vec3h' | 'vec4h'
  | 'vec2i' | 'vec3i' | 'vec4i'
  | 'vec2u' | 'vec3u' | 'vec4u'

export type MatrixName =
  | 'mat2x2f' | 'mat2x3f' | 'mat2x4f' | 'mat3x2f' | 'mat3x3f' | 'mat3x4f' | 'mat4x2f' | 'mat4x3f' | 'mat4x4f'
  | 'mat2x2h' | 'mat2x3h' | 'mat2x4h' | 'mat3x2h' | 'mat3x3h' | 'mat3x4h' | 'mat4x2h' | 'mat4x3h' | 'mat4x4h'

/** Every type whose values are plain numbers or bools in fixed lanes. */
export type ValueName = ScalarName | VectorName | MatrixName

/** What is known of a value type. `cols` is 1 except for matrices; `rows` is the number of lanes of a column. */
export interface ValueFacts {
  readonly name: ValueName
  readonly scalar: ScalarName
  readonly rows: 1 | 2 | 3 | 4
  readonly cols: 1 | 2 | 3 | 4
}

const SUFFIX: Record<ScalarName, string> = { bool: '<bool>', f16: 'h', f32: 'f', i32: 'i', u32: 'u' }
const LANES = [2, 3, 4] as const

export const vectorName = (scalar: ScalarName, rows: number): ValueName =>
  (rows === 1 ? scalar : `vec${rows}${SUFFIX[scalar]}`) as ValueName

export const matrixName = (scalar: ScalarName, cols: number, rows: number): ValueName =>
  `mat${cols}x${rows}${SUFFIX[scalar]}` as ValueName

const facts = new Map<string, ValueFacts>()
const add = (name: ValueName, scalar: ScalarName, rows: ValueFacts['rows'], cols: ValueFacts['cols']): void => {
  facts.set(name, Object.freeze({ name, scalar, rows, cols }))
}
for (const scalar of SCALARS) {
  add(scalar, scalar, 1, 1)
  for (const rows of LANES) add(vectorName(scalar, rows), scalar, rows, 1)
}
for (const scalar of ['f32', 'f16'] as const) {
  for (const cols of LANES) for (const rows of LANES) add(matrixName(scalar, cols, rows), scalar, rows, cols)
}

/** The facts of a value type. */
export function factsOf(name: ValueName): ValueFacts {
  const found = facts.get(name)
  if (!found) throw new RangeError(`'${String(name)}' is not a value type`)
  return found
}

export const isValueName = (name: unknown): name is ValueName => typeof name === 'string' && facts.has(name)

/** All value types, in one fixed order: scalars each followed by its vectors, then matrices. */
export const VALUE_NAMES: readonly ValueName[] = [...facts.keys()] as ValueName[]

/** The number of scalar lanes of a value: 1, 2…4, or columns × rows. */
export const laneCount = (name: ValueName): number => {
  const { rows, cols } = factsOf(name)
  return rows * cols
}

/** The same shape with another scalar: `withScalar('vec3f', 'bool')` is `vec3<bool>`. */
export const withScalar = (name: ValueName, scalar: ScalarName): ValueName => {
  const { rows, cols } = factsOf(name)
  return cols === 1 ? vectorName(scalar, rows) : matrixName(scalar, cols, rows)
}

export const scalarOf = (name: ValueName): ScalarName => factsOf(name).scalar
export const isScalar = (name: ValueName): name is ScalarName => laneCount(name) === 1
export const isVector = (name: ValueName): name is VectorName => factsOf(name).cols === 1 && factsOf(name).rows > 1
export const isMatrix = (name: ValueName): name is MatrixName => factsOf(name).cols > 1
export const isFloat = (name: ValueName): boolean => {
  const scalar = scalarOf(name)
  return scalar === 'f32' || scalar === 'f16'
}
export const isInt = (name: ValueName): boolean => {
  const scalar = scalarOf(name)
  return scalar === 'i32' || scalar === 'u32'
}
