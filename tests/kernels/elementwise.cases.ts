import type { KernelSource } from '@weft/dsl/ir'
import { f16FromBits } from '@weft/dsl/ir'
import { binary, casts, derivatives, fills, gated, logical, unary } from '@weft/kernels/source'
import {
  elementwiseFunctions,
  elementwiseReference,
  gatedGradients,
} from '../../packages/kernels/src/elementwise/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase, Tolerance } from '../parity/case.js'
import { f16s, unset } from '../parity/data.js'
import { expError, U } from './bounds.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

interface Domain {
  readonly lo?: number
  readonly hi?: number
  /** Absolute and relative error in f32, and why; exact when left out. */
  readonly abs?: number
  readonly rel?: number
  readonly because?: string
}

/** The specification's bounds of the built-in functions on these domains (WGSL, accuracy of floating point expressions). */
const tanhError = { abs: 2e-5, because: 'tanh is within 1e-5' }
const sigmoidError = { rel: expError(8) + 8 * U, because: 'exp, a sum, and a division of 2.5 ULP' }
const rounded = { rel: 4 * U, because: 'one or two roundings, and that of the reference' }

export const DOMAINS: Readonly<Record<string, Domain>> = {
  exp: { lo: -8, hi: 8, rel: expError(8), because: 'exp is within 3 + 2 |x| ULP' },
  exp2: { lo: -8, hi: 8, rel: expError(8), because: 'exp2 is within 3 + 2 |x| ULP' },
  log: { lo: 0.01, hi: 9, abs: 2 ** -21, rel: 8 * U, because: 'log is within 2⁻²¹ near 1, 3 ULP elsewhere' },
  log2: { lo: 0.01, hi: 9, abs: 2 ** -21, rel: 8 * U, because: 'log2 is within 2⁻²¹ near 1, 3 ULP elsewhere' },
  sqrt: { lo: 0, hi: 9, rel: 12 * U, because: 'sqrt inherits from 1 / inverseSqrt: 2 + 2.5 ULP' },
  rsqrt: { lo: 0.1, hi: 9, rel: 6 * U, because: 'inverseSqrt is within 2 ULP' },
  reciprocal: { lo: 0.1, hi: 9, rel: 6 * U, because: 'division is within 2.5 ULP' },
  square: rounded,
  cube: rounded,
  sin: { lo: -3.1, hi: 3.1, abs: 2 ** -11, because: 'sin is within 2⁻¹¹ on [-π, π]' },
  cos: { lo: -3.1, hi: 3.1, abs: 2 ** -11, because: 'cos is within 2⁻¹¹ on [-π, π]' },
  tanh: tanhError,
  erf: { abs: 1e-6, because: 'the formula is within 1.5e-7, exp and the sums within 5e-7' },
  sigmoid: sigmoidError,
  relu_square: rounded,
  gelu: { abs: 8 * 2e-5, because: '|x| ≤ 8 times half of tanh, within 1e-5' },
  gelu_erf: { abs: 8e-6, because: '|x| ≤ 8 times erf, within 1e-6' },
  silu: sigmoidError,
  softplus: { abs: 2 ** -20, rel: 8 * U, because: 'log is within 2⁻²¹ near 1' },
  hardsigmoid: { abs: U, rel: 8 * U, because: 'a sum and a division of 2.5 ULP' },
  hardswish: { abs: 8 * U, rel: 10 * U, because: 'a sum, a division of 2.5 ULP and a product' },
  leaky_relu: rounded,
  elu: { abs: 1e-5, rel: 8 * U, because: 'exp within 3 + 2 |x| ULP of at most 1, and its series' },
  add_scalar: { abs: 2 * U, rel: 2 * U, because: 'a sum, rounded once' },
  mul_scalar: rounded,
  pow_scalar: { lo: 0.1, hi: 4, rel: 4e-6, because: 'exp2 of 1.5 · log2 x, |log2 x| ≤ 3.4' },
  affine: { abs: 16 * U, rel: 4 * U, because: 'a product and a sum of at most 13' },
  gelu_backward: { lo: -4, hi: 4, abs: 4e-4, because: 'tanh within 1e-5, times |x|² terms of at most 16' },
  gelu_erf_backward: { lo: -4, hi: 4, abs: 2e-5, because: 'erf within 1e-6 and exp, times |dy| ≤ 4' },
  silu_backward: {
    lo: -4,
    hi: 4,
    abs: 1e-5,
    rel: 2 * expError(4),
    because: 'a sigmoid, products and sums of at most 20',
  },
  tanh_backward: { lo: -1, hi: 1, abs: 4 * U, rel: 8 * U, because: 'products and a difference of at most 1' },
  sigmoid_backward: { lo: 0, hi: 1, abs: 4 * U, rel: 8 * U, because: 'products and a difference of at most 1' },
  softplus_backward: { ...sigmoidError, abs: 1e-7 },
  add: { abs: 2 * U, rel: 2 * U, because: 'a sum, rounded once' },
  sub: { abs: 2 * U, rel: 2 * U, because: 'a difference, rounded once' },
  mul: rounded,
  div: { rel: 6 * U, because: 'division is within 2.5 ULP' },
  floor_div: {},
  pow: { lo: 0.2, hi: 3, rel: 2e-5, because: 'exp2 of y · log2 x, |y · log2 x| ≤ 7' },
  swiglu: { rel: expError(8) + 10 * U, because: 'a sigmoid and two products' },
  geglu: { abs: 64 * 2e-5, because: '|x y| ≤ 64 times half of tanh, within 1e-5' },
  reglu: rounded,
  swiglu_backward: { lo: -3, hi: 3, abs: 5e-5, because: 'a sigmoid, products of at most 27' },
  geglu_backward: { lo: -3, hi: 3, abs: 27 * 1e-4, because: 'tanh within 1e-5, times products of at most 27' },
  reglu_backward: rounded,
}

const PARAMS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  leaky_relu: { slope: 0.125 },
  elu: { alpha: 1.5 },
  clamp: { low: -1.5, high: 2.25 },
  add_scalar: { value: 0.75 },
  mul_scalar: { value: -1.25 },
  pow_scalar: { exponent: 1.5 },
  affine: { scale: 1.5, shift: -0.5 },
}

type Scalar = 'f32' | 'f16' | 'i32' | 'bool'

/** Names are `operation[_type][_strided]`. */
function parsed(name: string): { op: string; type: Scalar; strided: boolean } {
  const strided = name.endsWith('_strided')
  const base = strided ? name.slice(0, -'_strided'.length) : name
  const [, op = base, suffix] = /^(.+)_(f16|i32|bool)$/.exec(base) ?? []
  const type = base.startsWith('logical_') ? 'bool' : ((suffix ?? 'f32') as Scalar)
  return { op, type, strided }
}

/** `n` values of a type, as they lie in memory and as numbers. */
function values(
  seed: number,
  n: number,
  type: Scalar,
  { lo = -8, hi = 8 }: Domain,
): { data: BufferData; numbers: number[] } {
  if (type === 'i32') {
    const data = Int32Array.from(integers(seed, n, 41), (v) => v - 20)
    return { data, numbers: [...data] }
  }
  if (type === 'bool') {
    const data = Uint32Array.from(integers(seed, n, 4), (v) => [0, 1, 0, 7][v] as number)
    return { data, numbers: [...data] }
  }
  // eighths, so that equal values and halves between integers occur, and f16 holds them
  const data = uniform(seed, n, lo, hi).map((v, i) => (i % 3 === 0 ? Math.fround(v) : Math.round(v * 8) / 8))
  if (type === 'f32') return { data, numbers: [...data] }
  const bits = f16s(...data, ...(n % 2 === 1 ? [0] : []))
  return { data: bits, numbers: Array.from(bits.subarray(0, n), (b) => f16FromBits(b)) }
}

const emptyWords = (n: number): Uint32Array => new Uint32Array(unset(n + 5).buffer)

const outputOf = (type: Scalar, n: number): BufferData =>
  type === 'f16' ? emptyHalfOutput(n) : type === 'f32' ? emptyOutput(n) : emptyWords(n)

function expected(type: Scalar, of: ArrayLike<number>): BufferData {
  if (type === 'f16') return filledHalf(of)
  if (type === 'f32') return filled(of)
  const all = emptyWords(of.length)
  all.set(Uint32Array.from(of, (v) => v >>> 0))
  return all
}

function toleranceOf(op: string, type: Scalar): { tolerance?: Tolerance } {
  const { abs = 0, rel = 0, because } = DOMAINS[op] ?? {}
  if (type !== 'f32' && type !== 'f16') return {}
  if (because === undefined && type === 'f32') return {}
  const make = type === 'f16' ? nearHalf : near
  return { tolerance: make(abs, because ?? 'exact', rel) }
}

const resultType = (kernel: KernelSource, at = -1): Scalar => {
  const binding = kernel
    .ir()
    .bindings.filter((b) => b.access !== 'read')
    .at(at)
  const text = JSON.stringify(binding?.type)
  return text.includes('"f16"') || wordsOf(kernel).length > 0
    ? 'f16'
    : text.includes('"f32"')
      ? 'f32'
      : text.includes('"i32"')
        ? 'i32'
        : 'bool'
}

/** Bindings of words of two f16: all of them, where a kernel of f16 has nothing else. */
const wordsOf = (kernel: KernelSource): string[] => {
  const { bindings } = kernel.ir()
  const words = /_f16(_|$)/.test(kernel.name) && bindings.every(({ type }) => JSON.stringify(type).includes('"u32"'))
  return words ? bindings.map(({ name }) => name) : []
}

const inputsOf = (kernel: KernelSource): string[] =>
  kernel.ir().bindings.flatMap((b) => (b.access === 'read' ? [b.name] : []))

/** The values of the inputs of an operation; the first of `where` is a bool. */
const given = (op: string, type: Scalar, names: readonly string[], n: (i: number) => number) =>
  names.map((_, i) => values(i + 1, n(i), op === 'where' && i === 0 ? 'bool' : type, DOMAINS[op] ?? {}))

/** floor_div by 0 is what the device makes of it. */
const avoidZero = (op: string, list: ReturnType<typeof given>): void => {
  if (op !== 'div' && op !== 'floor_div') return
  const [, divisor] = list
  divisor?.numbers.forEach((v, i) => {
    if (v !== 0) return
    divisor.numbers[i] = 2
    divisor.data[i] = divisor.data instanceof Uint16Array ? (f16s(2)[0] as number) : 2
  })
}

/** x / y of i32 goes towards 0. */
const functionOf = (op: string, type: Scalar) =>
  op === 'div' && type === 'i32'
    ? (x = 0, y = 1) => Math.trunc(x / y)
    : (elementwiseFunctions[op] as (...v: number[]) => number)

function flatCase(kernel: KernelSource, n: number): ParityCase {
  const { op, type } = parsed(kernel.name)
  const names = inputsOf(kernel)
  const inputs = given(op, type, names, () => n)
  avoidZero(op, inputs)
  const params = PARAMS[op] ?? {}
  const out = resultType(kernel)
  const wanted = elementwiseReference(
    functionOf(op, type),
    inputs.map(({ numbers }) => ({ data: numbers, shape: [n] })),
    [n],
    Object.values(params),
  )
  return {
    name: `${kernel.name}, n = ${n}`,
    kernel,
    params: { n, ...params },
    bindings: { ...Object.fromEntries(inputs.map(({ data }, i) => [names[i], data])), out: outputOf(out, n) },
    expect: { out: expected(out, wanted) },
    halves: wordsOf(kernel),
    ...toleranceOf(op, out),
  }
}

/** A column, a reversed row, a plane that is read transposed: broadcast to 3 × 2 × 5. */
function stridedCase(kernel: KernelSource): ParityCase {
  const { op, type } = parsed(kernel.name)
  const names = inputsOf(kernel)
  const shape = [3, 2, 5]
  const views = [
    { size: 4, strides: [1, 0, 0], offset: 1 },
    { size: 5, strides: [0, 0, -1], offset: 4 },
    { size: 30, strides: [1, 3, 6], offset: 0 },
  ]
  const used = names.map((_, i) => views[(i + (names.length === 2 ? 0 : 0)) % 3]!)
  const inputs = given(op, type, names, (i) => used[i]!.size)
  avoidZero(op, inputs)
  const out = resultType(kernel)
  const wanted = elementwiseReference(
    functionOf(op, type),
    inputs.map(({ numbers }, i) => ({ data: numbers, shape, strides: used[i]!.strides, offset: used[i]!.offset })),
    shape,
  )
  const pad = (list: readonly number[], by: number) => [by, by, by, ...list]
  return {
    name: `${kernel.name}, broadcast to 3×2×5`,
    kernel,
    params: {
      n: 30,
      shape: pad(shape, 1),
      ...Object.fromEntries(
        names.flatMap((name, i) => [
          [`${name}_offset`, used[i]!.offset],
          [`${name}_strides`, pad(used[i]!.strides, 0)],
        ]),
      ),
    },
    bindings: { ...Object.fromEntries(inputs.map(({ data }, i) => [names[i], data])), out: outputOf(out, 30) },
    expect: { out: expected(out, wanted) },
    ...toleranceOf(op, out),
  }
}

function gatedBackwardCase(kernel: KernelSource, n: number): ParityCase {
  const { op, type } = parsed(kernel.name)
  const names = inputsOf(kernel)
  const inputs = given(op, type, names, () => n)
  const gradient = gatedGradients[op]!
  const results = Array.from({ length: n }, (_, i) =>
    gradient(inputs[0]!.numbers[i]!, inputs[1]!.numbers[i]!, inputs[2]!.numbers[i]!),
  )
  return {
    name: `${kernel.name}, n = ${n}`,
    kernel,
    params: { n },
    bindings: {
      ...Object.fromEntries(inputs.map(({ data }, i) => [names[i], data])),
      out0: outputOf(type, n),
      out1: outputOf(type, n),
    },
    expect: {
      out0: expected(
        type,
        results.map(([dx]) => dx),
      ),
      out1: expected(
        type,
        results.map(([, dy]) => dy),
      ),
    },
    halves: wordsOf(kernel),
    ...toleranceOf(op, type),
  }
}

function castCase(kernel: KernelSource): ParityCase {
  const [, from, to] = /^cast_(\w+?)_(\w+)$/.exec(kernel.name) as unknown as [string, Scalar, Scalar]
  const n = 7
  const floats = [-2.75, 0, 0.5, 1.5, 2049, -65504, 3]
  const input: BufferData =
    from === 'f32'
      ? Float32Array.from(floats)
      : from === 'f16'
        ? f16s(...floats, 0)
        : from === 'i32'
          ? Int32Array.of(-3, 0, 1, 2049, -65504, 16777217, 5)
          : Uint32Array.of(0, 1, 7, 0, 0x8000_0000, 1, 0)
  const numbers = input instanceof Uint16Array ? Array.from(input, (b) => f16FromBits(b)) : [...input]
  const exact = numbers
    .slice(0, n)
    .map((v) =>
      to === 'i32'
        ? from === 'bool'
          ? Number(v !== 0)
          : Math.trunc(v)
        : to === 'bool' || from === 'bool'
          ? Number(v !== 0)
          : v,
    )
  return {
    name: `${kernel.name}`,
    kernel,
    params: { n },
    bindings: { x: input, out: outputOf(to, n) },
    expect: { out: expected(to, to === 'f16' ? exact.map((v) => Math.max(-65504, Math.min(65504, v))) : exact) },
    // WGSL leaves open which neighbour a conversion to f16, or of a large integer, rounds to, and what is beyond f16
    ...(to === 'f16' ? { tolerance: near(0, 'a conversion to f16 gives a neighbour', 2 ** -10) } : {}),
    ...(from === 'i32' && to === 'f32'
      ? { tolerance: near(0, 'a conversion to f32 gives a neighbour', 2 ** -23) }
      : {}),
  }
}

function fillCase(kernel: KernelSource, n: number): ParityCase {
  const { op, type } = parsed(kernel.name)
  const params: Record<string, number> =
    op === 'fill'
      ? { value: type === 'i32' ? -7 : 0.375 }
      : type === 'i32'
        ? { start: 3, step: -2 }
        : { start: 0.5, step: 0.25 }
  const wanted = Array.from({ length: n }, (_, i) => (op === 'fill' ? params.value! : params.start! + i * params.step!))
  return {
    name: `${kernel.name}, n = ${n}`,
    kernel,
    params: { n, ...params },
    bindings: { out: outputOf(type, n) },
    expect: { out: expected(type, wanted) },
    halves: wordsOf(kernel),
  }
}

/** The same, with the first input for the output. */
const inPlace = ({ name, bindings: { x, ...others }, ...rest }: ParityCase): ParityCase => {
  const both = (others.out as Uint16Array).slice()
  both.set((x as Uint16Array).subarray(0, Number(rest.params?.n)))
  return { ...rest, name: `${name}, in place`, bindings: { ...others, out: both }, alias: ['x', 'out'] }
}

/** What f16 does not hold becomes ∞ where a word of two is made, as where one is converted. */
function infiniteCase(kernel: KernelSource): ParityCase {
  const [x, y] = [
    [-Infinity, Infinity, 65504, -65504, 1, -Infinity],
    [1, -1, 65504, -65504, Infinity, 65504],
  ] as const
  const sums = x.map((v, i) =>
    Math.abs(v + (y[i] as number)) > 65504 ? Math.sign(v + (y[i] as number)) * Infinity : 0,
  )
  return {
    name: `${kernel.name}, past what f16 holds`,
    kernel,
    params: { n: x.length },
    bindings: { x: f16s(...x), y: f16s(...y), out: emptyHalfOutput(x.length) },
    expect: { out: filledHalf(sums) },
    halves: wordsOf(kernel),
  }
}

const named = (list: readonly KernelSource[], name: string): KernelSource =>
  list.find((kernel) => kernel.name === name) as KernelSource

const isStrided = ({ name }: KernelSource): boolean => name.endsWith('_strided')
const isBackward = ({ name }: KernelSource): boolean => /_backward/.test(name)

const cases: readonly ParityCase[] = [
  ...[...unary, ...derivatives, ...binary, ...logical].map((kernel) =>
    isStrided(kernel) ? stridedCase(kernel) : flatCase(kernel, 67),
  ),
  ...gated.map((kernel) => (isBackward(kernel) ? gatedBackwardCase(kernel, 67) : flatCase(kernel, 67))),
  ...casts.filter(({ name }) => name !== 'cast_i32_f16').map(castCase),
  ...fills.map((kernel) => fillCase(kernel, 301)),
  // all that an invocation reads at once, and less: of f32 five elements, of f16 eight words
  ...[1, 255, 256, 257, 1281].map((n) => flatCase(named(binary, 'add'), n)),
  ...[1, 2, 4095, 4097].map((n) => flatCase(named(binary, 'add_f16'), n)),
  inPlace(flatCase(named(binary, 'add_f16'), 4097)),
  inPlace(flatCase(named(unary, 'neg_f16'), 7)),
  gatedBackwardCase(named(gated, 'swiglu_backward_f16'), 4097),
  infiniteCase(named(binary, 'add_f16')),
]

export const elementwiseCases: readonly ParityCase[] = cases.map(shipped)
