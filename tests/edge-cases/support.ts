/** Small kernels for one question each: what comes out of these expressions? And what text, or which refusal? */
import { compile, type CompileOptions } from '@weft/codegen'
import { bool, d, f16, f32, i32, input, kernel, output, u32, type AnyExpr, type Builder, type Expr, type Token, type ValueName } from '@weft/dsl'
import { type Code, f16Bits, f16FromBits, factsOf, type KernelSource, laneCount, roundF16, scalarOf, strideOf, WeftError } from '@weft/dsl/ir'
import { expect } from 'vitest'
import type { BufferData, ParityCase } from '../parity/case.js'

/** Values that no compiler knows: elements of input buffers. */
export interface Inputs {
  readonly f32?: readonly number[]
  readonly f16?: readonly number[]
  readonly i32?: readonly number[]
  readonly u32?: readonly number[]
}

type Scalars = { readonly [S in keyof Inputs & string]-?: (index: number) => Expr<S> }
export interface Run extends Scalars {
  readonly k: Builder
  /** True, and unknown to the compilers. */
  readonly yes: Expr<'bool'>
}

const TOKENS = { f32, f16, i32, u32 } as const
const ARRAYS = { f32: (v: readonly number[]) => Float32Array.from(v), f16: (v: readonly number[]) => Uint16Array.from(v, (x) => f16Bits(roundF16(x))), i32: (v: readonly number[]) => Int32Array.from(v), u32: (v: readonly number[]) => Uint32Array.from(v) }

/** The memory of `values` (lane after lane) as an array of `type`; bools are stored as u32. */
export function memory(type: ValueName, values: readonly number[]): BufferData {
  const scalar = scalarOf(type) as keyof typeof ARRAYS | 'bool'
  const { rows } = factsOf(type)
  const pad = rows === 3 ? 4 : rows
  const padded = rows === pad ? values : Array.from({ length: (values.length / rows) * pad }, (_, i) => (i % pad < rows ? (values[Math.floor(i / pad) * rows + (i % pad)] as number) : 0))
  return ARRAYS[scalar === 'bool' ? 'u32' : scalar](padded)
}

export type More = Partial<Pick<ParityCase, 'tolerance' | 'not' | 'tintOnly'>> & { readonly inputs?: Inputs }

const named = (name: string): string => name.replace(/\W+/g, '_').replace(/^_+|_+$/g, '').replace(/^(\d)/, 'k$1').slice(0, 40)

/**
 * A case of one invocation: the values that `body` gives are stored one after the other, and are `expected` (lane after
 * lane; bools as 0 and 1).
 */
export function computes<T extends ValueName>(
  name: string, type: Token<T>, expected: readonly number[], body: (run: Run) => readonly (Expr<T> | number)[], more: More = {},
): ParityCase {
  const { inputs = {}, ...rest } = more
  const given = { ...inputs, u32: [1, ...(inputs.u32 ?? [])] }
  const stored: ValueName = type.type === 'bool' ? 'u32' : type.type
  const source = kernel(named(name), {
    workgroupSize: [1],
    bindings: {
      ...Object.fromEntries(Object.keys(given).map((s) => [`in_${s}`, input(d.arrayOf(TOKENS[s as keyof typeof TOKENS] as unknown as typeof d.f32))])),
      out: output(d.arrayOf((stored === type.type ? type : u32) as unknown as typeof d.f32)),
    },
    guards: 'off',
  }, (view, k) => {
    const views = view as unknown as Record<string, { at(i: number): AnyExpr }>
    const read = (scalar: string, offset = 0) => (i: number) => views[`in_${scalar}`]?.at(i + offset)
    const run = { k, f32: read('f32'), f16: read('f16'), i32: read('i32'), u32: read('u32', 1), get yes() { return (read('u32')(0) as Expr<'u32'>).ne(0) } }
    const out = (view as unknown as { out: { at(i: number): { set(v: unknown): void } } }).out
    body(run as unknown as Run).forEach((value, i) => { out.at(i).set(type.type === 'bool' && typeof value === 'object' ? u32(value) : value) })
  })
  const count = expected.length / laneCount(type.type)
  const data = memory(type.type, expected)
  const bytes = strideOf(stored) * count
  return {
    name,
    kernel: source,
    bindings: {
      ...Object.fromEntries(Object.entries(given).map(([s, v]) => [`in_${s}`, ARRAYS[s as keyof typeof ARRAYS](v)])),
      out: new Uint8Array(bytes).fill(0xa5),
    },
    workgroups: [1],
    expect: { out: data },
    ...rest,
  }
}

/** Like `computes` for bools. */
export const decides = (name: string, expected: readonly boolean[], body: (run: Run) => readonly Expr<'bool'>[], more: More = {}): ParityCase =>
  computes(name, bool, expected.map(Number), body, more)

/** The WGSL of a kernel that stores these values, each read from the inputs. */
export const textOf = <T extends ValueName>(type: Token<T>, body: (run: Run) => readonly (Expr<T> | number)[], options: CompileOptions = {}): string =>
  wgslOf(computes('text', type, [], body, { inputs: { f32: [0], i32: [0], u32: [0], ...(type.type.endsWith('h') || type.type === 'f16' ? { f16: [0] } : {}) } }).kernel, options)

/** The WGSL of the first variant, or of the one with this id. */
export function wgslOf(source: KernelSource, options: CompileOptions & { readonly id?: string } = {}): string {
  const { id, ...rest } = options
  const { variants } = compile(source, rest)
  const found = id === undefined ? variants[0] : variants.find((v) => v.id === id)
  return found?.wgsl ?? ''
}

/** What is thrown, which must be a WeftError. */
export function faultIn(body: () => unknown): WeftError {
  try {
    body()
  } catch (error) {
    if (error instanceof WeftError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Expects `body` to fail with `code`, at a line of the file of the test, and to say `says`. */
export function refuses(body: () => unknown, code: Code, says: string | RegExp, from = 'tests/edge-cases/'): void {
  const error = faultIn(body)
  expect(error.code, error.message).toBe(code)
  expect(error.message).toMatch(says)
  expect(`${error.position?.file}`, error.message).toMatch(new RegExp(`${from}[\\w-]+(\\.test)?\\.ts$`))
}

export interface Trial {
  /** An f32 that differs between invocations, as i32 and as u32. */
  readonly x: Expr<'f32'>
  readonly i: Expr<'i32'>
  readonly u: Expr<'u32'>
  readonly h: Expr<'f16'>
  readonly out: { at(i: number | AnyExpr): { set(v: number | AnyExpr): void } }
  readonly k: Builder
}

/** A kernel whose body may do anything; it is right when the body is. */
export const trial = (body: (t: Trial) => void): KernelSource =>
  kernel('trial', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), out: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ x, out }, k) => {
    const v = k.let('v', x.at(k.localIndex))
    body({ x: v, get i() { return i32(v) }, get u() { return u32(v) }, get h() { return f16(v) }, out: out as unknown as Trial['out'], k })
    out.at(k.localIndex).set(u32(v))
  })

/** A binding or value whose type a test does not follow. */
export type Loose = AnyExpr & {
  at(...index: (number | AnyExpr)[]): Loose
  set(value: unknown): void
  add(value: unknown): Loose
  mul(value: unknown): Loose
  gt(value: unknown): Expr<'bool'>
  addAssign(value: unknown): void
  load(): Loose
  store(value: unknown): void
  max(value: unknown): Loose
  readonly length: Expr<'u32'>
} & { readonly [Name in 'a' | 'b' | 'c' | 'e' | 's' | 'u' | 'v' | 'x' | 'y' | 'z']: Loose }

/** What a body sees, by the names that tests give. */
export type Views = Readonly<Record<'a' | 'b' | 'c' | 'f' | 'n' | 'out' | 's' | 'u' | 'x' | 'y' | 'z' | 'shape' | 'pairs' | 'scale', Loose>>

/** A kernel of one invocation with these declarations, whose types its body does not follow. */
export const loose = (bindings: object, rest: object = {}, body: (view: Views, k: Builder) => void = () => undefined): KernelSource =>
  kernel('loose', { workgroupSize: [1], bindings, guards: 'off', ...rest } as never, body as never)

/** The bits of an f32 as f16 of JavaScript numbers, and back: what an f16 holds. */
export const half = (x: number): number => f16FromBits(f16Bits(roundF16(x)))
