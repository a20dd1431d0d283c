/** The runtime on everything that this process can run it on: the interpreter, and Dawn where it is installed. */
import { cpu } from '@weft/codegen/interp'
import { createRuntime, type Runtime } from '@weft/runtime'
import { createRuntime as createNodeRuntime } from '@weft/runtime/node'
import { expect } from 'vitest'
import { missing } from '../engines/install.js'

export interface Device {
  readonly name: string
  open(): Promise<Runtime>
}

export const DEVICES: readonly Device[] = [
  { name: 'interpreter', open: () => createRuntime({ device: cpu() }) },
  ...(missing('dawn') === undefined ? [{ name: 'dawn', open: () => createNodeRuntime() }] : []),
]

/** Runs `body` on each device, one after the other. */
export async function onDevices(body: (runtime: Runtime) => Promise<void>): Promise<void> {
  for (const { open } of DEVICES) {
    const runtime = await open()
    try {
      await body(runtime)
    } finally {
      runtime.destroy()
    }
  }
}

/** Expects a rejection or a throw with this code and text. */
export async function rejects(code: string, says: string | RegExp, body: () => unknown): Promise<void> {
  let error: unknown
  try {
    await body()
  } catch (e) {
    error = e
  }
  expect((error as { code?: string } | undefined)?.code, String(error)).toBe(code)
  expect(String((error as Error).message)).toMatch(says)
}
