import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../readme/blocks.js'
import { bundlePath, open, without } from './chromium.js'

/** The programs of docs/kernels.md in a browser: they print what they print in Node. */

const blocks = blocksOf('docs/kernels.md')
const folder = mkdtempSync(join(tmpdir(), 'weft-kernels-'))
const programs = blocks.flatMap(({ info, text }) => (info.file === undefined ? [] : [{ file: info.file, text }]))
const outputOf = (file: string): string | undefined => blocks.find(({ info }) => info.output === file)?.text

describe.skipIf(without !== undefined)(
  without === undefined ? 'the kernel library in Chromium' : `the kernel library in Chromium (${without})`,
  () => {
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('has a program for each thing that a consumer comes for', () => {
      expect(programs.map(({ file }) => file)).toEqual(
        expect.arrayContaining(['matmul.ts', 'attention.ts', 'mlp.ts', 'train.ts']),
      )
    })

    it.each(programs)('$file', async ({ file, text }) => {
      const path = join(folder, file)
      writeFileSync(path, text)
      const chromium = await open(await bundlePath(path))
      try {
        // a program is a module that runs when it is loaded
        expect(`${chromium.logged.join('\n')}\n`).toBe(outputOf(file))
      } finally {
        await chromium.close()
      }
    })
  },
)
