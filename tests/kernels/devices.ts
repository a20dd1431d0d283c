import { compile } from '@weft/codegen'
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
  const kernels: NonNullable<HostOptions['kernels']> = (kernel) => {
    const source = known.get(kernel)
    return source && compile(source)
  }
  describe(`${name} on the interpreter`, () => suite(() => createRuntime({ device: cpu() }), { kernels }))
  const why = missing('dawn')
  describe.skipIf(why !== undefined)(`${name} on Dawn${why ? ` (${why})` : ''}`, () => suite(() => createRuntime(), {}))
}
