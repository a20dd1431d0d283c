import { checkKeys, keysOf } from '../args'
import { broadcastStrides, type Shape, sizeOf, type View } from './shape'

/**
 * What the operations compute, in float64: the mathematical function, without the clamps that keep f32 in range. Values of
 * integers are exact; those of bools are 0 and 1.
 */

type Function = (...values: number[]) => number

/** The error function: its series near 0, and the continued fraction of its complement elsewhere (Abramowitz and Stegun, 7.1.6 and 7.1.14). */
export function erf(x: number): number {
  const size = Math.abs(x)
  if (size > 3) return Math.sign(x) * (1 - complement(size))
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/** 1 - erf(x) for x > 0, without the cancellation. */
function complement(x: number): number {
  let fraction = 0
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction)
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction)
}

/** The distribution function of the standard normal distribution. */
const phi = (x: number): number => (x < -2 ? complement(-x * Math.SQRT1_2) / 2 : (1 + erf(x * Math.SQRT1_2)) / 2)

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))
const inner = (x: number): number => Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)
const gelu = (x: number): number => (x / 2) * (1 + Math.tanh(inner(x)))
const roundEven = (x: number): number => {
  const nearest = Math.round(x)
  return nearest - x === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest
}
const hard = (x: number): number => Math.min(Math.max(x + 3, 0), 6) / 6
const geluSlope = (x: number): number => {
  const t = Math.tanh(inner(x))
  return (1 + t) / 2 + (x / 2) * (1 - t * t) * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x)
}
const siluSlope = (x: number): number => sigmoid(x) * (1 + x * (1 - sigmoid(x)))

/** By the names of the operations. Params come after the inputs, in the order of the declaration. */
export const elementwiseFunctions: Readonly<Record<string, Function>> = {
  neg: (x) => -x!,
  abs: (x) => Math.abs(x!),
  sign: (x) => Math.sign(x!),
  floor: (x) => Math.floor(x!),
  ceil: (x) => Math.ceil(x!),
  round: (x) => roundEven(x!),
  trunc: (x) => Math.trunc(x!),
  exp: (x) => Math.exp(x!),
  exp2: (x) => 2 ** x!,
  log: (x) => Math.log(x!),
  log2: (x) => Math.log2(x!),
  sqrt: (x) => Math.sqrt(x!),
  rsqrt: (x) => 1 / Math.sqrt(x!),
  reciprocal: (x) => 1 / x!,
  square: (x) => x! * x!,
  cube: (x) => x! ** 3,
  sin: (x) => Math.sin(x!),
  cos: (x) => Math.cos(x!),
  tanh: (x) => Math.tanh(x!),
  erf: (x) => erf(x!),
  sigmoid: (x) => sigmoid(x!),
  relu: (x) => Math.max(x!, 0),
  relu_square: (x) => Math.max(x!, 0) ** 2,
  gelu: (x) => gelu(x!),
  gelu_erf: (x) => x! * phi(x!),
  silu: (x) => x! * sigmoid(x!),
  softplus: (x) => Math.max(x!, 0) + Math.log1p(Math.exp(-Math.abs(x!))),
  hardsigmoid: (x) => hard(x!),
  hardswish: (x) => x! * hard(x!),
  leaky_relu: (x, slope) => (x! >= 0 ? x! : x! * slope!),
  elu: (x, alpha) => (x! > 0 ? x! : alpha! * Math.expm1(x!)),
  clamp: (x, low, high) => Math.min(Math.max(x!, low!), high!),
  add_scalar: (x, value) => x! + value!,
  mul_scalar: (x, value) => x! * value!,
  pow_scalar: (x, exponent) => x! ** exponent!,
  affine: (x, scale, shift) => scale! * x! + shift!,
  relu_backward: (x, dy) => (x! > 0 ? dy! : 0),
  gelu_backward: (x, dy) => dy! * geluSlope(x!),
  gelu_erf_backward: (x, dy) => dy! * (phi(x!) + (x! * Math.exp((-x! * x!) / 2)) / Math.sqrt(2 * Math.PI)),
  silu_backward: (x, dy) => dy! * siluSlope(x!),
  tanh_backward: (y, dy) => dy! * (1 - y! * y!),
  sigmoid_backward: (y, dy) => dy! * y! * (1 - y!),
  softplus_backward: (x, dy) => dy! * sigmoid(x!),
  add: (x, y) => x! + y!,
  sub: (x, y) => x! - y!,
  mul: (x, y) => x! * y!,
  div: (x, y) => x! / y!,
  floor_div: (x, y) => Math.floor(x! / y!),
  minimum: (x, y) => Math.min(x!, y!),
  maximum: (x, y) => Math.max(x!, y!),
  pow: (x, y) => x! ** y!,
  bitwise_and: (x, y) => x! & y!,
  bitwise_or: (x, y) => x! | y!,
  bitwise_xor: (x, y) => x! ^ y!,
  bitwise_not: (x) => ~x!,
  eq: (x, y) => Number(x === y),
  ne: (x, y) => Number(x !== y),
  lt: (x, y) => Number(x! < y!),
  le: (x, y) => Number(x! <= y!),
  gt: (x, y) => Number(x! > y!),
  ge: (x, y) => Number(x! >= y!),
  logical_and: (x, y) => Number(x !== 0 && y !== 0),
  logical_or: (x, y) => Number(x !== 0 || y !== 0),
  logical_xor: (x, y) => Number((x !== 0) !== (y !== 0)),
  logical_not: (x) => Number(x === 0),
  where: (test, a, b) => (test !== 0 ? a! : b!),
  swiglu: (x, y) => x! * sigmoid(x!) * y!,
  geglu: (x, y) => gelu(x!) * y!,
  reglu: (x, y) => Math.max(x!, 0) * y!,
}

/** The two results of the backward of a gated linear unit: dx and dy, of the gate x, the value y and the gradient. */
export const gatedGradients: Readonly<Record<string, (x: number, y: number, dz: number) => readonly [number, number]>> =
  {
    swiglu_backward: (x, y, dz) => [dz * y * siluSlope(x), dz * x * sigmoid(x)],
    geglu_backward: (x, y, dz) => [dz * y * geluSlope(x), dz * gelu(x)],
    reglu_backward: (x, y, dz) => [x > 0 ? dz * y : 0, dz * Math.max(x, 0)],
  }

export interface ReferenceInput extends View {
  readonly data: ArrayLike<number>
}
const INPUT_KEYS = keysOf<ReferenceInput>({ data: true, shape: true, strides: true, offset: true })

/**
 * `f` of the elements of `inputs`, broadcast to `shape`, in float64.
 *
 * @throws RangeError when an input does not broadcast
 */
export function elementwiseReference(
  f: Function,
  inputs: readonly ReferenceInput[],
  shape: Shape,
  params: readonly number[] = [],
): Float64Array {
  for (const [i, input] of inputs.entries()) checkKeys(`elementwiseReference: inputs[${i}]`, input, INPUT_KEYS)
  const strides = inputs.map((input) => broadcastStrides('elementwise', input, shape))
  return Float64Array.from({ length: sizeOf(shape) }, (_, index) => {
    const coordinates: number[] = []
    let rest = index
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      coordinates[axis] = rest % shape[axis]!
      rest = Math.floor(rest / shape[axis]!)
    }
    const values = inputs.map(
      ({ data, offset = 0 }, i) => data[coordinates.reduce((at, c, axis) => at + c * strides[i]![axis]!, offset)]!,
    )
    return f(...values, ...params)
  })
}
