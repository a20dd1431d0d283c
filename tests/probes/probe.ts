/**
 * A probe: one operation on one combination of types, evaluated on many arguments by one kernel. Arguments and results
 * lie in flat arrays of scalars, so that every type can be probed in the same way; bools are 0 and 1.
 */
import type { CompileOptions } from '@weft/codegen'
import * as tokens from '@weft/dsl'
import { type AnyExpr, type Builder, bool, d, f16, f32, i32, input, kernel, output, u32 } from '@weft/dsl'
import {
  f16Bits,
  f16FromBits,
  isScalar,
  type KernelSource,
  laneCount,
  type ScalarName,
  scalarOf,
  type ValueName,
} from '@weft/dsl/ir'
import type { BufferData, ParityCase } from '../parity/case.js'

export interface Probe {
  /** As `sin vec3f`, unique. */
  readonly name: string
  readonly types: readonly ValueName[]
  readonly out: ValueName
  /** Builds the operation. */
  apply(args: readonly AnyExpr[], k: Builder): AnyExpr
  /** By call, by argument, the lanes. */
  readonly calls: readonly (readonly (readonly number[])[])[]
}

type Token = (...parts: readonly unknown[]) => AnyExpr
const SPECIAL: Readonly<Record<string, unknown>> = {
  'vec2<bool>': tokens.vec2b,
  'vec3<bool>': tokens.vec3b,
  'vec4<bool>': tokens.vec4b,
}

/** The token of a type: its constructor. */
export const tokenOf = (type: ValueName): Token =>
  (SPECIAL[type] ?? (tokens as unknown as Record<string, unknown>)[type]) as Token

const STORED: Readonly<Record<ScalarName, typeof d.f32 | typeof d.f16 | typeof d.i32 | typeof d.u32>> = {
  bool: d.u32,
  f16: d.f16,
  f32: d.f32,
  i32: d.i32,
  u32: d.u32,
}
const SCALAR_TOKEN: Readonly<Record<ScalarName, unknown>> = { bool, f16, f32, i32, u32 }

/** The value of `type` from scalars. */
const assemble = (type: ValueName, lanes: readonly AnyExpr[]): AnyExpr =>
  isScalar(type) ? (lanes[0] as AnyExpr) : tokenOf(type)(...lanes)

/** The scalars of a value, as they are stored. */
function takeApart(value: AnyExpr, type: ValueName): AnyExpr[] {
  const lane = value as unknown as { at(i: number): AnyExpr }
  if (isScalar(type)) return [stored(value)]
  const columns = /^mat(\d)x(\d)/.exec(type)
  if (!columns) return Array.from({ length: laneCount(type) }, (_, i) => stored(lane.at(i)))
  const [, cols = '0', rows = '0'] = columns
  return Array.from({ length: Number(cols) }, (_, c) => lane.at(c)).flatMap((column) =>
    Array.from({ length: Number(rows) }, (_, r) => (column as unknown as { at(i: number): AnyExpr }).at(r)),
  )
}

const stored = (x: AnyExpr): AnyExpr => (x.type === 'bool' ? u32(x) : x)

export const WORKGROUP = 64

type Elements = { at(i: AnyExpr | number): AnyExpr & { set(v: AnyExpr): void } }

/** Reads the arguments of call `i` from memory: nothing is constant to any compiler. */
function runtimeKernel(probe: Probe): KernelSource {
  const inputs = probe.types.map(
    (type, i) => [`a${i}`, input(d.arrayOf(STORED[scalarOf(type)] as typeof d.f32))] as const,
  )
  const bindings = {
    ...Object.fromEntries(inputs),
    out: output(d.arrayOf(STORED[scalarOf(probe.out)] as typeof d.f32)),
  }
  return kernel(
    'probe',
    { workgroupSize: [WORKGROUP], bindings, workgroups: () => [padded(probe) / WORKGROUP], guards: 'off' },
    (views, k) => {
      const memory = views as unknown as Record<string, Elements>
      const i = k.let('i', k.globalIndex)
      const args = probe.types.map((type, n) => {
        const count = laneCount(type)
        const lanes = Array.from({ length: count }, (_, lane) =>
          (memory[`a${n}`] as Elements).at(count === 1 ? i : i.mul(count).add(lane)),
        )
        return assemble(
          type,
          scalarOf(type) === 'bool' ? lanes.map((x) => (x as unknown as { ne(n: number): AnyExpr }).ne(0)) : lanes,
        )
      })
      const value = k.let('value', probe.apply(args, k) as never) as AnyExpr
      const results = takeApart(value, probe.out)
      results.forEach(
        (r, lane) =>
          void (memory.out as Elements).at(results.length === 1 ? i : i.mul(results.length).add(lane)).set(r),
      )
    },
  )
}

/** Calls on constants: compilers evaluate them. */
function constantKernel(probe: Probe): KernelSource {
  const bindings = { out: output(d.arrayOf(STORED[scalarOf(probe.out)] as typeof d.f32)) }
  return kernel('constants', { workgroupSize: [1], bindings, workgroups: () => [1], guards: 'off' }, (views, k) => {
    const { out } = views as unknown as Record<string, Elements>
    probe.calls.forEach((call, i) => {
      const args = probe.types.map((type, n) => constant(type, call[n] as readonly number[]))
      const results = takeApart(k.let(`v${i}`, probe.apply(args, k) as never) as AnyExpr, probe.out)
      results.forEach((r, lane) => void out?.at(i * results.length + lane).set(r))
    })
  })
}

function constant(type: ValueName, lanes: readonly number[]): AnyExpr {
  const values = scalarOf(type) === 'bool' ? lanes.map((x) => x !== 0) : lanes
  return isScalar(type) ? (SCALAR_TOKEN[type] as Token)(values[0]) : tokenOf(type)(...values)
}

const padded = (probe: Probe): number => Math.max(1, Math.ceil(probe.calls.length / WORKGROUP)) * WORKGROUP

const ARRAY = { bool: Uint32Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array } as const

export function toMemory(scalar: ScalarName, lanes: readonly number[]): BufferData {
  return scalar === 'f16' ? Uint16Array.from(lanes, f16Bits) : ARRAY[scalar].from(lanes)
}

/** The lanes of a result, by call. */
export function fromMemory(probe: Probe, bytes: Uint8Array): number[][] {
  const scalar = scalarOf(probe.out)
  const buffer = bytes.slice().buffer
  const all =
    scalar === 'f16' ? Array.from(new Uint16Array(buffer), f16FromBits) : Array.from(new ARRAY[scalar](buffer))
  const lanes = laneCount(probe.out)
  return probe.calls.map((_, i) => all.slice(i * lanes, (i + 1) * lanes))
}

/** What to leave out so that constants reach the compilers as they were written. */
const AS_WRITTEN: CompileOptions = {
  without: ['fold', 'simplify', 'cse', 'licm', 'dce', 'unroll', 'ranges', 'flatten'],
}

const room = (probe: Probe, calls: number): BufferData =>
  new Uint8Array(Math.ceil((calls * laneCount(probe.out) * (scalarOf(probe.out) === 'f16' ? 2 : 4)) / 4) * 4).fill(0xa5)

/** The probe as a case: `run time`, with arguments from memory, or `constant`. */
export function caseOf(probe: Probe, when: 'run time' | 'constant', tintOnly?: string): ParityCase {
  const more = tintOnly === undefined ? {} : { tintOnly }
  if (when === 'constant') {
    return {
      name: probe.name,
      kernel: constantKernel(probe),
      bindings: { out: room(probe, probe.calls.length) },
      compile: AS_WRITTEN,
      ...more,
    }
  }
  const calls = Array.from(
    { length: padded(probe) },
    (_, i) => probe.calls[i % probe.calls.length] as Probe['calls'][number],
  )
  const inputs = probe.types.map(
    (type, n) =>
      [
        `a${n}`,
        toMemory(
          scalarOf(type),
          calls.flatMap((call) => call[n] as readonly number[]),
        ),
      ] as const,
  )
  return {
    name: probe.name,
    kernel: runtimeKernel(probe),
    bindings: { ...Object.fromEntries(inputs), out: room(probe, calls.length) },
    ...more,
  }
}
