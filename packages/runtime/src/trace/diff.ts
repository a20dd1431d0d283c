import type { CompiledBinding, CompiledKernel } from '@weft/codegen'
import { count, fault } from '../errors'
import { checkKeys, type Keys } from '../keys'
import { checkTolerance, compare, type Mismatch, type Tolerance } from './elements'
import { type DispatchStep, dispatchesOf, type Sum, type Trace, type TracedBinding } from './trace'

export interface DiffOptions {
  /** How near values must be. By default floats are equal when they are the same number (−0 is 0) or both NaN. */
  readonly tolerance?: Tolerance
}

/** The first place where two traces of one run go apart. */
export interface Divergence {
  /** Number of the dispatch, from 0. */
  readonly dispatch: number
  readonly kernel: string
  /** The variants that ran, in the expected and the other trace. */
  readonly variants: readonly [expected: string, got: string]
  /** `after`: the dispatch did something else. `before`: it was already given something else. `program`: it is another dispatch. */
  readonly when: 'before' | 'after' | 'program'
  /** The name of the binding, or of what else of the dispatch differs. */
  readonly binding: string
  /** The first value that differs; null where a trace does not have the contents. */
  readonly element: Mismatch | null
  /** How many values differ; null where a trace does not have the contents. */
  readonly differing: number | null
  /** All of it for people. */
  readonly message: string
}

const DIFF: Keys<DiffOptions> = { tolerance: true }

type Range = Exclude<TracedBinding, { texture: true }>

interface Side {
  readonly trace: Trace
  readonly step: DispatchStep
}

const sumAt = (list: DispatchStep['before'], buffer: number): Sum | undefined => list.find(([b]) => b === buffer)?.[1]

const shown = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

function placeOf(binding: CompiledBinding, { index, lane }: Mismatch): string {
  const element = binding.element ? `${binding.name}[${index}]` : binding.name
  const rows = Number(/mat[234]x([234])/.exec(binding.element?.type ?? binding.type)?.[1] ?? 0)
  if (lane === null) return element
  return rows > 0 ? `${element}[${Math.floor(lane / rows)}][${lane % rows}]` : `${element}.${'xyzw'[lane] ?? lane}`
}

class Comparison {
  /** Pairs of contents that were found to be near enough. */
  readonly #accepted = new Set<string>()
  readonly #total: number

  constructor(
    readonly expected: Trace,
    readonly got: Trace,
    readonly tolerance: Tolerance,
  ) {
    this.#total = dispatchesOf(expected).length
  }

  /** Compares one dispatch: what it is, what it was given, what it did. */
  dispatch(number: number, a: Side, b: Side): Divergence | null {
    const kernel = a.trace.kernels[a.step.kernel] as CompiledKernel
    const other = this.#program(kernel, a, b)
    if (other) return this.#divergence(number, kernel, a, b, 'program', other, null)
    for (const when of ['before', 'after'] as const) {
      for (const binding of kernel.bindings) {
        // what a kernel writes in full may have held anything
        if (when === 'before' && binding.access === 'write' && binding.writes === 'full') continue
        const found = this.#binding(when, binding, a, b)
        if (found) return this.#divergence(number, kernel, a, b, when, binding.name, { binding, ...found })
      }
    }
    return null
  }

  /** What makes two dispatches different ones, or null. */
  #program(kernel: CompiledKernel, a: Side, b: Side): string | null {
    const name = b.trace.kernels[b.step.kernel]?.name
    if (name !== kernel.name) return `kernel ('${kernel.name}' and '${name}')`
    if (a.step.params !== b.step.params) return 'params'
    if (a.step.workgroups.join() !== b.step.workgroups.join()) return 'workgroups'
    const ranges = ({ step, trace }: Side) =>
      kernel.bindings.map(({ name }) => {
        const bound = step.bindings[name]
        return bound && 'buffer' in bound ? [bound.offset, bound.size, trace.buffers[bound.buffer]?.size] : null
      })
    return JSON.stringify(ranges(a)) === JSON.stringify(ranges(b)) ? null : 'ranges of bindings'
  }

  #binding(when: 'before' | 'after', binding: CompiledBinding, a: Side, b: Side) {
    const [mine, theirs] = [a.step.bindings[binding.name], b.step.bindings[binding.name]]
    if (!mine || !theirs || !('buffer' in mine) || !('buffer' in theirs)) return null
    const [x, y] = [sumAt(a.step[when], mine.buffer), sumAt(b.step[when], theirs.buffer)]
    if (x === undefined || y === undefined || x === y) return null
    const key = `${x} ${y} ${binding.type} ${mine.offset} ${mine.size}`
    if (this.#accepted.has(key)) return null
    const [e, g] = [this.#content(this.expected, x, mine), this.#content(this.got, y, theirs)]
    if (!e || !g) return { first: null, differing: null, count: null }
    const result = compare(binding, e, g, this.tolerance)
    if (result.first) return result
    this.#accepted.add(key)
    return null
  }

  #content({ contents, engine }: Trace, sum: Sum, { offset, size }: Range): Uint8Array | null {
    const bytes = contents.get(sum)
    if (bytes) return bytes.subarray(offset, offset + size)
    const { abs = 0, rel = 0 } = this.tolerance
    if (abs === 0 && rel === 0) return null
    throw fault(
      'bad-trace',
      `the trace of '${engine}' lacks contents, without which nothing can be compared with a tolerance`,
      "capture and replay with { contents: 'all' }",
    )
  }

  #divergence(
    number: number,
    kernel: CompiledKernel,
    a: Side,
    b: Side,
    when: Divergence['when'],
    name: string,
    found: { binding: CompiledBinding; first: Mismatch | null; differing: number | null; count: number | null } | null,
  ): Divergence {
    const verb = { before: `was given something else in '${name}'`, after: `wrote something else to '${name}'` }
    const what = when === 'program' ? `is another one: its ${name} differ` : verb[when]
    const lines = [`dispatch ${number} of ${this.#total}: '${kernel.name}' ${what}`]
    if (found?.first) {
      const { type, expected, got } = found.first
      const values = `expected ${shown(expected)}, got ${shown(got)}`
      lines.push(`  ${placeOf(found.binding, found.first)} (${type}): ${values}`)
      lines.push(`  ${count(found.differing ?? 0)} of ${count(found.count ?? 0)} values differ`)
    } else if (found) {
      lines.push("  note: capture and replay with { contents: 'all' } to see which element")
    }
    const variants = [a.step.variant, b.step.variant] as const
    lines.push(`  expected: ${a.trace.engine} (${variants[0]}); got: ${b.trace.engine} (${variants[1]})`)
    return {
      dispatch: number,
      kernel: kernel.name,
      variants,
      when,
      binding: name,
      element: found?.first ?? null,
      differing: found?.differing ?? null,
      message: lines.join('\n'),
    }
  }
}

/**
 * Finds the first dispatch of `got` that is not, or does not do, what it is and does in `expected`, and the first element
 * of it; null where the traces agree. Throws `bad-trace` where a tolerance is given and contents are missing, and
 * `bad-argument` for a tolerance that is negative or no number.
 */
export function diff(expected: Trace, got: Trace, options: DiffOptions = {}): Divergence | null {
  checkKeys('diff', options, DIFF)
  const { tolerance = {} } = options
  checkTolerance(tolerance)
  const comparison = new Comparison(expected, got, tolerance)
  const [a, b] = [dispatchesOf(expected), dispatchesOf(got)]
  for (const [number, step] of a.entries()) {
    const other = b[number]
    if (!other) return missing(number, expected, step, `the other trace ends after ${b.length}`)
    const found = comparison.dispatch(number, { trace: expected, step }, { trace: got, step: other })
    if (found) return found
  }
  const more = b[a.length]
  return more ? missing(a.length, got, more, 'the expected trace has no such dispatch') : null
}

function missing(dispatch: number, trace: Trace, step: DispatchStep, why: string): Divergence {
  const kernel = trace.kernels[step.kernel]?.name ?? ''
  const message = `dispatch ${dispatch}: '${kernel}' is in one trace only: ${why}`
  const variants = [step.variant, step.variant] as const
  return { dispatch, kernel, variants, when: 'program', binding: 'kernel', element: null, differing: null, message }
}
