import { existsSync } from 'node:fs'
import { afterAll, describe } from 'vitest'
import { createRuntime } from '../node/index'
import type { Runtime } from '../runtime'

const installed = existsSync('/usr/lib/chromium/vk_swiftshader_icd.json')

/** A runtime on Chrome's engine over SwiftShader; where that is not installed, what `gpu` describes is skipped. */
export const runtime = await createRuntime().catch((error: unknown) => {
  if (installed) throw error
  return null as unknown as Runtime
})
export const device = runtime?.device as GPUDevice
export const gpu = describe.skipIf(runtime === null)

afterAll(() => runtime?.destroy())
