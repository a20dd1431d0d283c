import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complete, packages } from '../../scripts/packages.mjs'
import { type Installation, install, type Packed, runTool } from './packed.js'

const consumer = fileURLToPath(new URL('./consumers/consumer.ts', import.meta.url))

/** Where the `GPU*` globals of the declarations come from, by TypeScript version: its DOM library, or a package. */
const setups = [
  {
    name: 'TypeScript 5.9, @webgpu/types, no DOM',
    typescript: 'typescript-5.9',
    lib: ['ESNext'],
    types: ['@webgpu/types'],
  },
  { name: 'TypeScript 6.0, DOM', typescript: 'typescript', lib: ['ESNext', 'DOM'], types: [] },
  {
    name: 'TypeScript 6.0, DOM and @webgpu/types',
    typescript: 'typescript',
    lib: ['ESNext', 'DOM'],
    types: ['@webgpu/types'],
  },
  { name: 'TypeScript 7, DOM', typescript: 'typescript-7', lib: ['ESNext', 'DOM'], types: [] },
]

/** The errors of a type check of the consumer's file, one a line. */
async function typeCheck(at: Installation, setup: (typeof setups)[number], skipLibCheck: boolean): Promise<string[]> {
  const folder = join(at.folder, `${setup.name.replace(/\W+/g, '-')}-${skipLibCheck}`)
  mkdirSync(folder)
  copyFileSync(consumer, join(folder, 'consumer.ts'))
  const compilerOptions = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    // the errors of declaration files too: every type that an export is made of must have a name
    declaration: true,
    lib: setup.lib,
    types: setup.types,
    skipLibCheck,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  const { status, text } = await runTool(
    `${setup.typescript}/bin/tsc`,
    ['-p', 'tsconfig.json', '--pretty', 'false'],
    folder,
  )
  const errors = text.split('\n').filter((line) => /\berror\b/.test(line))
  if (status !== 0 && errors.length === 0) throw new Error(`tsc ended with ${status}: ${text}`)
  return errors
}

describe.skipIf(!complete())(complete() ? 'the packed packages' : 'the packed packages (sources are missing)', () => {
  let at: Installation
  beforeAll(() => {
    at = install()
  })
  afterAll(() => at?.remove())
  const packedOf = (name: string): Packed => at.packed.find((item) => item.name === name) as Packed

  describe.each(packages.map(({ name }) => name))('%s', (name) => {
    it('has nothing for publint to say', async () => {
      const { folder } = packedOf(name)
      const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    })

    it.concurrent('has types that resolve as they run', async () => {
      const { tarball } = packedOf(name)
      const args = [tarball, '--profile', 'esm-only', '--no-color', '--no-emoji']
      const { status, text } = await runTool('@arethetypeswrong/cli/dist/index.js', args, at.folder)
      expect(status, text).toBe(0)
    })

    it('ships its build, licence field and manifest only', () => {
      const { folder } = packedOf(name)
      expect(readdirSync(folder).filter((item) => !/^(dist|package\.json|README\.md|LICENSE)$/.test(item))).toEqual([])
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
      expect(manifest).toMatchObject({ name, license: 'MIT', type: 'module', sideEffects: false })
    })

    it('names GPU types as globals, without a reference to a package', () => {
      const dist = join(packedOf(name).folder, 'dist')
      const declarations = readdirSync(dist).filter((item) => item.endsWith('.d.ts'))
      const wrong = declarations.filter((item) =>
        /<reference\s+types=|from '@webgpu\/types'|import '@webgpu\/types'/.test(
          readFileSync(join(dist, item), 'utf8'),
        ),
      )
      expect(wrong).toEqual([])
    })
  })

  describe.each(setups)('$name', (setup) => {
    it.concurrent('type-checks', async () => {
      expect(await typeCheck(at, setup, true)).toEqual([])
    })

    it.concurrent('type-checks the declarations too', async () => {
      // errors in those of others are not ours to mend
      const ours = (await typeCheck(at, setup, false)).filter((line) => !/node_modules\/(?!@weft\/)/.test(line))
      expect(ours).toEqual([])
    })
  })
})
