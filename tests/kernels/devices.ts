import { type CompiledKernel, compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import type { KernelSource } from '@weft/dsl/ir'
import type { HostOptions } from '@weft/kernels'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe } from 'vitest'
import { missing } from '../engines/install.js'

export interface Device {
  /** Opened before the tests. */
  readonly runtime: () => Runtime
  /** With the kernels that ship, or on the CPU with those that carry their IR. */
  readonly options: HostOptions
}

/** The tests of host functions, on the CPU device with `sources` and on Dawn with what ships. */
export function onDevices(name: string, sources: readonly KernelSource[], tests: (device: Device) => void): void {
  const suite = (open: () => Promise<Runtime>, options: HostOptions): void => {
    let runtime: Runtime
    beforeAll(async () => {
      runtime = await open()
    })
    afterAll(() => runtime.destroy())
    tests({ runtime: () => runtime, options })
  }
  const known = new Map(sources.map((source) => [source.name, source]))
  const compiled = new Map<string, CompiledKernel>()
  const kernels: NonNullable<HostOptions['kernels']> = (name) => {
    const source = known.get(name)
    if (source && !compiled.has(name)) compiled.set(name, compile(source))
    return compiled.get(name)
  }
  describe(`${name} on the interpreter`, () => suite(() => createRuntime({ device: cpu() }), { kernels }))
  const why = missing('dawn')
  describe.skipIf(why !== undefined)(`${name} on Dawn${why ? ` (${why})` : ''}`, () => suite(() => createRuntime(), {}))
}
