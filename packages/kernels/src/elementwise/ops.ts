import { bitcast, type Expr, f32, fn, i32, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { elementwise } from './elementwise'
import { filled, floats, scaled, typed } from './forms'
import {
  elu,
  erf,
  floorDiv,
  gelu,
  geluDerivative,
  geluErf,
  geluErfDerivative,
  hardsigmoid,
  power,
  sigmoid,
  silu,
  siluDerivative,
  softplus,
  tanh,
} from './functions'

/**
 * The operations that ship, a line each: name, formula, function. To add one is to add a line here and its twin in
 * reference.ts; dtypes and layouts follow.
 */

const { max, min, select } = fn
type F = Expr<'f32'>

/** y = f(x). */
export const unary: readonly KernelSource[] = [
  ...floats('neg', '-x', (x) => x.neg()),
  ...floats('abs', '|x|', (x) => fn.abs(x)),
  ...floats('sign', '-1, 0 or 1', (x) => fn.sign(x)),
  ...floats('floor', '⌊x⌋', (x) => fn.floor(x)),
  ...floats('ceil', '⌈x⌉', (x) => fn.ceil(x)),
  ...floats('round', 'the nearest integer, of two the even one', (x) => fn.round(x)),
  ...floats('trunc', 'x without its fraction', (x) => fn.trunc(x)),
  ...floats('exp', 'eˣ', (x) => fn.exp(x)),
  ...floats('exp2', '2ˣ', (x) => fn.exp2(x)),
  ...floats('log', 'ln x', (x) => fn.log(x)),
  ...floats('log2', 'log₂ x', (x) => fn.log2(x)),
  ...floats('sqrt', '√x', (x) => fn.sqrt(x)),
  ...floats('rsqrt', '1 / √x', (x) => fn.inverseSqrt(x)),
  ...floats('reciprocal', '1 / x', (x) => f32(1).div(x)),
  ...floats('square', 'x²', (x) => x.mul(x)),
  ...floats('cube', 'x³', (x) => x.mul(x).mul(x)),
  ...floats('sin', 'sin x', (x) => fn.sin(x)),
  ...floats('cos', 'cos x', (x) => fn.cos(x)),
  ...floats('tanh', 'tanh x', tanh),
  ...floats('erf', 'the error function (Abramowitz and Stegun, 7.1.26)', erf),
  ...floats('sigmoid', '1 / (1 + e⁻ˣ)', sigmoid),
  ...floats('relu', 'max(x, 0)', (x) => max(x, 0)),
  ...floats('relu_square', 'max(x, 0)²', (x) => max(x, 0).mul(max(x, 0))),
  ...floats('gelu', 'x · Φ(x), by tanh (Hendrycks and Gimpel, 2016)', gelu),
  ...floats('gelu_erf', 'x · Φ(x), by the error function', geluErf),
  ...floats('silu', 'x / (1 + e⁻ˣ)', silu),
  ...floats('softplus', 'ln(1 + eˣ)', softplus),
  ...floats('hardsigmoid', 'min(max(x + 3, 0), 6) / 6', hardsigmoid),
  ...floats('hardswish', 'x · min(max(x + 3, 0), 6) / 6', (x) => x.mul(hardsigmoid(x))),
  ...scaled('leaky_relu', 'x, or slope · x below 0', { slope: 'f32' }, (x, { slope }) =>
    select(x.mul(slope), x, x.ge(0)),
  ),
  ...scaled('elu', 'x, or alpha · (eˣ - 1) below 0', { alpha: 'f32' }, (x, { alpha }) => elu(x, alpha)),
  ...scaled('clamp', 'min(max(x, low), high)', { low: 'f32', high: 'f32' }, (x, { low, high }) =>
    min(max(x, low), high),
  ),
  ...scaled('add_scalar', 'x + value', { value: 'f32' }, (x, { value }) => x.add(value)),
  ...scaled('mul_scalar', 'x · value', { value: 'f32' }, (x, { value }) => x.mul(value)),
  ...scaled('pow_scalar', 'xᵖ', { exponent: 'f32' }, (x, { exponent }) => power(x, exponent)),
  ...scaled('affine', 'scale · x + shift', { scale: 'f32', shift: 'f32' }, (x, { scale, shift }) =>
    x.mul(scale).add(shift),
  ),
  ...typed('neg', '-x', 'i32', 'i32', (x) => x.neg()),
  ...typed('abs', '|x|', 'i32', 'i32', (x) => fn.abs(x)),
]

/** dx = f(x, dy), the derivatives of activations; of tanh and sigmoid by their results y. */
export const derivatives: readonly KernelSource[] = [
  ...floats('relu_backward', 'dy where x > 0, else 0', (x, dy) => select(f32(0), dy, x.gt(0)), { strided: false }),
  ...floats('gelu_backward', 'dy · gelu′(x)', (x, dy) => dy.mul(geluDerivative(x)), { strided: false }),
  ...floats('gelu_erf_backward', 'dy · gelu′(x), by the error function', (x, dy) => dy.mul(geluErfDerivative(x)), {
    strided: false,
  }),
  ...floats('silu_backward', 'dy · silu′(x)', (x, dy) => dy.mul(siluDerivative(x)), { strided: false }),
  ...floats('tanh_backward', 'dy · (1 - y²), of the result', (y, dy) => dy.mul(f32(1).sub(y.mul(y))), {
    strided: false,
  }),
  ...floats('sigmoid_backward', 'dy · y · (1 - y), of the result', (y, dy) => dy.mul(y).mul(f32(1).sub(y)), {
    strided: false,
  }),
  ...floats('softplus_backward', 'dy / (1 + e⁻ˣ)', (x, dy) => dy.mul(sigmoid(x)), { strided: false }),
]

/** z = f(x, y), also broadcast. */
export const binary: readonly KernelSource[] = [
  ...floats('add', 'x + y', (x, y) => x.add(y)),
  ...floats('sub', 'x - y', (x, y) => x.sub(y)),
  ...floats('mul', 'x · y', (x, y) => x.mul(y)),
  ...floats('div', 'x / y', (x, y) => x.div(y)),
  ...floats('floor_div', '⌊x / y⌋', floorDiv),
  ...floats('minimum', 'the lesser', (x, y) => min(x, y)),
  ...floats('maximum', 'the greater', (x, y) => max(x, y)),
  ...floats('pow', 'xʸ', power),
  ...typed('add', 'x + y', 'i32', 'i32', (x, y) => x.add(y)),
  ...typed('sub', 'x - y', 'i32', 'i32', (x, y) => x.sub(y)),
  ...typed('mul', 'x · y', 'i32', 'i32', (x, y) => x.mul(y)),
  ...typed('div', 'x / y, towards 0', 'i32', 'i32', (x, y) => x.div(y)),
  ...typed('minimum', 'the lesser', 'i32', 'i32', (x, y) => min(x, y)),
  ...typed('maximum', 'the greater', 'i32', 'i32', (x, y) => max(x, y)),
  ...typed('bitwise_and', 'x & y', 'i32', 'i32', (x, y) => x.bitAnd(y)),
  ...typed('bitwise_or', 'x | y', 'i32', 'i32', (x, y) => x.bitOr(y)),
  ...typed('bitwise_xor', 'x ^ y', 'i32', 'i32', (x, y) => x.bitXor(y)),
  ...typed('bitwise_not', '~x', 'i32', 'i32', (x) => x.bitNot()),
]

/** A bool of two values, also broadcast; of bools; and the choice by one. */
export const logical: readonly KernelSource[] = [
  ...(['f32', 'f16', 'i32'] as const).flatMap((element) => [
    ...typed('eq', 'x = y', element, 'bool', (x, y) => x.eq(y as never)),
    ...typed('ne', 'x ≠ y', element, 'bool', (x, y) => x.ne(y as never)),
    ...typed('lt', 'x < y', element, 'bool', (x, y) => x.lt(y as never)),
    ...typed('le', 'x ≤ y', element, 'bool', (x, y) => x.le(y as never)),
    ...typed('gt', 'x > y', element, 'bool', (x, y) => x.gt(y as never)),
    ...typed('ge', 'x ≥ y', element, 'bool', (x, y) => x.ge(y as never)),
  ]),
  ...typed('logical_and', 'x and y', 'bool', 'bool', (x, y) => x.and(y)),
  ...typed('logical_or', 'x or y', 'bool', 'bool', (x, y) => x.or(y)),
  ...typed('logical_xor', 'x or y, not both', 'bool', 'bool', (x, y) => x.ne(y)),
  ...typed('logical_not', 'not x', 'bool', 'bool', (x) => x.not()),
  ...(['f32', 'f16', 'i32'] as const).flatMap((element) =>
    (['flat', 'strided'] as const).map((layout) =>
      elementwise(
        `where${element === 'f32' ? '' : `_${element}`}${layout === 'flat' ? '' : '_strided'}`,
        { in: ['bool', element, element], out: element, layout, doc: 'y where x holds, else z' },
        (test, a, b) => select(b as F, a as F, test) as never,
      ),
    ),
  ),
]

/** Between dtypes: floats to integers towards 0, clamped to what those hold; NaN gives 0. */
export const casts: readonly KernelSource[] = [
  elementwise('cast_f32_f16', { in: ['f32'], out: 'f16', doc: 'f16(x), to nearest' }, (x) => x),
  elementwise('cast_f16_f32', { in: ['f16'], out: 'f32', doc: 'f32(x)' }, (x) => x),
  elementwise('cast_f32_i32', { in: ['f32'], out: 'i32', doc: 'i32(x)' }, (x) => integer(x)),
  elementwise('cast_f16_i32', { in: ['f16'], out: 'i32', doc: 'i32(x)' }, (x) => integer(x)),
  elementwise('cast_i32_f32', { in: ['i32'], out: 'f32', doc: 'f32(x), to nearest' }, (x) => f32(x)),
  elementwise('cast_i32_f16', { in: ['i32'], out: 'f16', doc: 'f16(x), to nearest' }, (x) => f32(x)),
  elementwise('cast_f32_bool', { in: ['f32'], out: 'bool', doc: 'x ≠ 0' }, (x) => x.ne(0)),
  elementwise('cast_bool_f32', { in: ['bool'], out: 'f32', doc: '1 or 0' }, (x) => f32(x)),
  elementwise('cast_i32_bool', { in: ['i32'], out: 'bool', doc: 'x ≠ 0' }, (x) => x.ne(0)),
  elementwise('cast_bool_i32', { in: ['bool'], out: 'i32', doc: '1 or 0' }, (x) => i32(x)),
]

/** The conversion of WGSL clamps, except that what NaN gives is left to the device. */
const integer = (x: F): Expr<'i32'> => select(i32(0), i32(x), bitcast(u32, x).bitAnd(0x7fff_ffff).le(0x7f80_0000))

/** Outputs without inputs. */
export const fills: readonly KernelSource[] = [
  ...filled('fill', 'value', { value: 'f32' }, ({ value }) => value),
  elementwise('fill_i32', { in: [], out: 'i32', params: { value: 'i32' }, doc: 'value' }, ({ value }) => value),
  ...filled('arange', 'start + i · step', { start: 'f32', step: 'f32' }, ({ start, step, index }) =>
    fn.fma(f32(index), step, start),
  ),
  elementwise(
    'arange_i32',
    { in: [], out: 'i32', params: { start: 'i32', step: 'i32' }, doc: 'start + i · step' },
    ({ start, step, index }) => start.add(i32(index).mul(step)),
  ),
]

/** Gated linear units (Shazeer, 2020), forward and backward. */
export const gated: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((element) => {
  const suffix = element === 'f32' ? '' : `_${element}`
  const unit = (name: string, doc: string, f: (x: F) => F, derivative: (x: F) => F) => [
    elementwise(
      `${name}${suffix}`,
      { in: [element, element], out: element, doc: `${doc}(x) · y, x the gate` },
      (x, y) => f(x as F).mul(y as F) as never,
    ),
    elementwise(
      `${name}_backward${suffix}`,
      {
        in: [element, element, element],
        out: [element, element],
        doc: `dx = z · y · ${doc}′(x), dy = z · ${doc}(x), z the gradient`,
      },
      (x, y, dz) => {
        const gradient = dz as F
        return [gradient.mul(y as F).mul(derivative(x as F)), gradient.mul(f(x as F))]
      },
    ),
  ]
  return [
    ...unit('swiglu', 'silu', silu, siluDerivative),
    ...unit('geglu', 'gelu', gelu, geluDerivative),
    ...unit(
      'reglu',
      'relu',
      (x) => max(x, 0),
      (x) => select(f32(0), f32(1), x.gt(0)),
    ),
  ]
})
