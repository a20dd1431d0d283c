import { f16FromBits } from '@weft/dsl/ir'
import { type BufferData, bytesOf, isTexture, type ParityCase } from '../parity/case.js'
import { leavesOf } from '../parity/compare.js'
import { writtenOf } from '../parity/jobs.js'
import { type Plan, planOf, type Run } from '../parity/run.js'
import { HALVES } from '../parity/verdict.js'

/** How far the float outputs of a kernel are from the float64 reference, which is rounded to what the output holds. */
export interface Errors {
  readonly kernel: string
  /** Elements that were compared. */
  readonly count: number
  /** The largest difference, relative to the largest value of its output. */
  readonly max: number
  /** The root of the mean square of all of them. */
  readonly rms: number
  /** The largest difference, in units of the last place of the largest value of its output. */
  readonly ulp: number
}

interface Sum {
  count: number
  squares: number
  max: number
  ulp: number
}

const NO_ENGINES = { dawn: 'not measured here', wgpu: 'not measured here' } as const

/** Runs the cases on the interpreter, the IR as it is written, and compares; in the order of their kernels. */
export function measure(cases: readonly ParityCase[]): Errors[] {
  const sums = new Map<string, Sum>()
  for (const c of cases) {
    const sum = sums.get(c.kernel.name) ?? { count: 0, squares: 0, max: 0, ulp: 0 }
    sums.set(c.kernel.name, sum)
    const plan = planOf(c, NO_ENGINES)
    for (const run of plan.runs) {
      if (run.executor === 'interpreter' && !run.name.includes('optimized')) add(sum, plan, run)
    }
  }
  return [...sums].map(([kernel, { count, squares, max, ulp }]) => ({
    kernel,
    count,
    max,
    rms: count === 0 ? 0 : Math.sqrt(squares / count),
    ulp,
  }))
}

function add(sum: Sum, { case: c, ir }: Plan, run: Run): void {
  const outputs = run.execute?.() ?? {}
  for (const { name, type } of writtenOf(ir(run.source))) {
    const [want, before, got] = [c.expect?.[name], c.bindings[name], outputs[name]]
    if (!want || !before || !got || isTexture(want) || isTexture(before)) continue
    for (const scalar of ['f32', 'f16'] as const) {
      const places = leavesOf(c.halves?.includes(name) ? HALVES : type, got.length).flatMap((leaf) =>
        leaf.scalar === scalar ? [leaf.offset] : [],
      )
      addArray(sum, scalar, places, { want: viewOf(want), before: viewOf(before), got: viewOf(got) })
    }
  }
}

const viewOf = (data: BufferData | Uint8Array): DataView => {
  const bytes = data instanceof Uint8Array ? data : bytesOf(data)
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

type Arrays = Readonly<Record<'want' | 'before' | 'got', DataView>>

/** Bits of the significand after the first. */
const DIGITS = { f32: 23, f16: 10 } as const

function addArray(sum: Sum, scalar: 'f32' | 'f16', places: readonly number[], { want, before, got }: Arrays): void {
  const bits = (view: DataView, at: number) => (scalar === 'f16' ? view.getUint16(at, true) : view.getUint32(at, true))
  const value = (view: DataView, at: number) =>
    scalar === 'f16' ? f16FromBits(view.getUint16(at, true)) : view.getFloat32(at, true)
  // guards, and what stays as it was, say nothing about the arithmetic
  const pairs = places.flatMap((at) => (bits(want, at) === bits(before, at) ? [] : [[value(want, at), value(got, at)]]))
  const finite = pairs.filter((pair) => pair.every(Number.isFinite)) as [number, number][]
  const largest = finite.reduce((most, [w]) => Math.max(most, Math.abs(w)), 0)
  const unit = 2 ** (Math.floor(Math.log2(largest || 1)) - DIGITS[scalar])
  for (const [w, g] of finite) {
    const off = Math.abs(w - g)
    const relative = off / (largest || 1)
    sum.count += 1
    sum.squares += relative ** 2
    sum.max = Math.max(sum.max, relative)
    sum.ulp = Math.max(sum.ulp, off / unit)
  }
}
