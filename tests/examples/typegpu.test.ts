import { describe, expect, it } from 'vitest'
import { root, run } from '../cli/weft.js'
import { driverOf, missing } from '../engines/install.js'

const without = missing('dawn')

describe.skipIf(without !== undefined)(
  without === undefined ? 'examples/typegpu' : `examples/typegpu (${without})`,
  () => {
    it('runs a weft kernel on the buffers of a TypeGPU app, checks its result and ends by itself', async () => {
      const VK = { VK_ICD_FILENAMES: driverOf('dawn') ?? '' }
      const { code, stdout, stderr } = await run(
        process.execPath,
        ['scripts/run-ts.mjs', 'examples/typegpu/main.ts'],
        root,
        VK,
      )
      expect(code, stderr).toBe(0)
      expect(stdout).toMatch(/^1000 particles on SwiftShader.*, after 1 s:\n {2}0: \(1\.000, 0\.\d{3}, 0\.000\)$/m)
    })
  },
)
