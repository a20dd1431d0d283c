import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '@weft/codegen'
import type { KernelSource } from '@weft/dsl'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'
import { blocksOf } from './blocks.js'

const folder = join(root, 'node_modules/.cache/readme')
const blocks = blocksOf('README.md')
const files = blocks.filter(({ info }) => info.file !== undefined)
const only = (language: string) => blocks.find((block) => block.language === language)?.text ?? ''

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 120_000 })
const runTs = (file: string) => node('scripts/run-ts.mjs', join(folder, file))

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { info, text } of files) writeFileSync(join(folder, info.file as string), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('README', () => {
  it('shows TypeScript in named files only', () => {
    expect(blocks.filter(({ language, info }) => language === 'ts' && info.file === undefined)).toEqual([])
    expect(files.length).toBeGreaterThanOrEqual(5)
  })

  it('shows code that type-checks', () => {
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { paths: absolutePaths() },
      include: [`${folder}/*.ts`],
      exclude: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { stdout, status } = node('node_modules/typescript/bin/tsc', '--noEmit', '-p', folder)
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })

  it('shows the WGSL and the layout that its first kernel compiles to', async () => {
    const { saxpy } = (await import(join(folder, 'saxpy.ts'))) as { saxpy: KernelSource }
    const variant = compile(saxpy).variants.find(({ params }) => params?.via === 'uniform')
    expect(variant?.wgsl).toBe(only('wgsl'))
    expect(variant?.layouts.map(({ entries }) => entries)).toEqual([JSON.parse(only('json'))])
  })

  it('shows what its programs print', () => {
    const outputs = blocks.filter(({ info }) => info.output !== undefined)
    expect(outputs.length).toBeGreaterThan(0)
    for (const { info, text } of outputs) expect(runTs(info.output as string).stdout).toBe(text)
  })

  it('shows the errors that its mistakes give', async () => {
    const errors = blocks.filter(({ info }) => info.error !== undefined)
    expect(errors.length).toBeGreaterThan(0)
    for (const { info, text } of errors) {
      const exported = Object.values((await import(join(folder, info.error as string))) as Record<string, KernelSource>)
      const message = messageOf(() => exported.map((source) => compile(source)))
      expect(message.replaceAll(`${folder}/`, '')).toContain(text.trimEnd())
    }
  })

  it('names npm scripts and files that exist', async () => {
    const { scripts } = (await import(join(root, 'package.json'), { with: { type: 'json' } })).default as {
      scripts: Record<string, string>
    }
    const text = blocksOf('README.md')
      .filter(({ language }) => language === 'sh')
      .map((block) => block.text)
      .join('\n')
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([script])
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** The paths of the root configuration, which are relative to it. */
function absolutePaths(): Record<string, string[]> {
  const { stdout } = node('node_modules/typescript/bin/tsc', '--showConfig', '-p', 'tsconfig.json')
  const { paths } = (JSON.parse(stdout) as { compilerOptions: { paths: Record<string, string[]> } }).compilerOptions
  return Object.fromEntries(Object.entries(paths).map(([name, list]) => [name, list.map((path) => join(root, path))]))
}
