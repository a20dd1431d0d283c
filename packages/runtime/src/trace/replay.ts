import type { CompiledKernel } from '@weft/codegen'
import type { DeviceBuffer } from '../buffer'
import { fault } from '../errors'
import { checkKeys, type Keys } from '../keys'
import type { Runtime } from '../runtime'
import { unpack } from '../unpack'
import { selectVariant } from '../variant'
import { checkWord } from '../words'
import { CAPTURE, type CaptureOptions, capture } from './capture'
import { type DispatchStep, dispatchesOf, fromHex, type Sum, type Trace } from './trace'

export interface ReplayOptions extends CaptureOptions {
  /**
   * What each dispatch is given. `own` (default): what the replay has come to. `traced`: what the trace has, so that
   * every dispatch is judged by itself and differences do not add up; the trace needs the contents of all.
   */
  readonly inputs?: 'own' | 'traced'
  /** Stops before this dispatch. */
  readonly until?: number
}

const REPLAY: Keys<ReplayOptions> = { ...CAPTURE, inputs: true, until: true }

const missing = (sum: Sum, what: string) =>
  fault('bad-trace', `the trace has no content for ${what} (${sum})`, "capture it with { contents: 'all' }")

class Replayer {
  readonly #buffers: readonly DeviceBuffer<unknown>[]

  constructor(
    readonly trace: Trace,
    readonly runtime: Runtime,
    readonly options: ReplayOptions,
  ) {
    this.#buffers = trace.buffers.map(({ label, size }) => runtime.buffer({ size }, { label }))
  }

  async run(): Promise<void> {
    const { until = Number.POSITIVE_INFINITY, inputs } = this.options
    let number = 0
    for (const step of this.trace.steps) {
      if (step.kind === 'write') this.#fill(step.buffer, step.content)
      else {
        if (number >= until) return
        if (inputs === 'traced') for (const [buffer, sum] of step.before) this.#fill(buffer, sum)
        await this.#dispatch(step, number)
        number++
      }
    }
  }

  free(): void {
    for (const buffer of this.#buffers) buffer.destroy()
  }

  #fill(number: number, sum: Sum): void {
    const buffer = this.#buffers[number] as DeviceBuffer<unknown>
    const content = this.trace.contents.get(sum)
    if (!content) throw missing(sum, `'${buffer.label}'`)
    buffer.write(content)
  }

  async #dispatch(step: DispatchStep, number: number): Promise<void> {
    const kernel = this.trace.kernels[step.kernel] as CompiledKernel
    const args: Record<string, unknown> = unpack(kernel.params, fromHex(step.params))
    for (const [name, bound] of Object.entries(step.bindings)) {
      if ('texture' in bound) {
        throw fault(
          'bad-trace',
          `dispatch ${number} ('${kernel.name}') has a texture in '${name}', and textures are not traced`,
          'a trace with textures can be compared, not replayed',
        )
      }
      args[name] = (this.#buffers[bound.buffer] as DeviceBuffer<unknown>).range(bound.offset, bound.size)
    }
    const { overrides, workgroups } = step
    const variant = this.#variant(kernel, step.variant)
    await this.runtime.run(kernel, args, { overrides, workgroups, ...(variant !== null && { variant }) })
  }

  /** The variant that ran when it was captured, if this device runs it; else null, and the runtime chooses. */
  #variant(kernel: CompiledKernel, id: string): string | null {
    const { features, languageFeatures, limits } = this.runtime.info
    const facts = { features: new Set(features), languageFeatures: new Set(languageFeatures), limits }
    const same = kernel.variants.filter((variant) => variant.id === id)
    const alias = same[0]?.needs.alias ?? null
    return selectVariant(same, facts, { alias }).variant?.id ?? null
  }
}

/**
 * Runs what was traced again, on any runtime: another engine, or the interpreter. Gives the trace of that, to `diff` with
 * the first. Rejects with what a dispatch rejects with, and with `bad-trace` where contents are missing.
 */
export async function replay(trace: Trace, runtime: Runtime, options: ReplayOptions = {}): Promise<Trace> {
  checkKeys('replay', options, REPLAY)
  checkWord('inputs', options.inputs, ['own', 'traced'])
  const { inputs: _, until, ...capturing } = options
  if (until !== undefined && !(Number.isSafeInteger(until) && until >= 0 && until <= dispatchesOf(trace).length)) {
    throw fault(
      'bad-argument',
      `until is ${until}, expected a number of dispatches up to ${dispatchesOf(trace).length}`,
    )
  }
  const replayer = new Replayer(trace, runtime, options)
  try {
    return await capture(runtime, () => replayer.run(), capturing)
  } finally {
    replayer.free()
  }
}
