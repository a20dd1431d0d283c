import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'
import { missing } from '../engines/install.js'

/** The end of `npm test`, by a run of one small family. */
it('a run ends with what ran where, and the totals on its last line', () => {
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/kernels/saxpy.test.ts']
  const { stdout, status } = spawnSync(process.execPath, vitest, { cwd: root, encoding: 'utf8' })
  expect(status).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/)
  const start = lines.findIndex((line) => line.startsWith('parity cases that ran'))
  const [head = '', saxpy = '', all = ''] = lines.slice(start)
  expect(head.split(/ {2,}/)).toEqual(['parity cases that ran', 'interpreter', 'Dawn', 'wgpu of these f16'])
  const [interpreter = 0, dawn = 0, wgpu = 0] = saxpy.replace('kernels: saxpy', '').trim().split(/ +/).map(Number)
  expect(interpreter).toBeGreaterThan(0)
  expect(dawn > 0).toBe(missing('dawn') === undefined)
  expect(wgpu > 0).toBe(missing('wgpu') === undefined)
  expect(all.replace('all', '').trim()).toBe(saxpy.replace('kernels: saxpy', '').trim())
})
