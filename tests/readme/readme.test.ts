import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '@weft/codegen'
import type { KernelSource } from '@weft/dsl'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'
import { blocksOf } from './blocks.js'
import { folder, node, type Page, pages, patternOf, runFile, writeFiles } from './programs.js'

beforeAll(writeFiles)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('pages show code that type-checks', () => {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { paths: absolutePaths() },
    include: [`${folder}/*/*.ts`],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout, status } = node(root, 'node_modules/typescript/bin/tsc', '--noEmit', '-p', folder)
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

describe.each(pages)('$name', (page) => {
  it('shows TypeScript in named files only', () => {
    expect(page.blocks.filter(({ language, info }) => language === 'ts' && info.file === undefined)).toEqual([])
  })

  it('shows what its programs print', () => {
    const outputs = page.blocks.filter(({ info }) => info.output !== undefined || info.like !== undefined)
    expect(outputs.length).toBeGreaterThan(0)
    for (const { info, text } of outputs) {
      if (info.output !== undefined) expect(runFile(page, info.output)).toBe(text)
      else expect(runFile(page, info.like as string)).toMatch(patternOf(text))
    }
  })

  it('shows the errors that its mistakes give', async () => {
    for (const { info, text } of page.blocks.filter(({ info }) => info.error !== undefined)) {
      const exported = Object.values(
        (await import(join(page.folder, info.error as string))) as Record<string, KernelSource>,
      )
      const message = messageOf(() => exported.map((source) => compile(source)))
      expect(message.replaceAll(`${page.folder}/`, '')).toContain(text.trimEnd())
    }
  })
})

describe('README', () => {
  const readme = pages[0] as Page
  const only = (language: string) => readme.blocks.find((block) => block.language === language)?.text ?? ''

  it('shows the WGSL and the layout that its first kernel compiles to', async () => {
    const { saxpy } = (await import(join(readme.folder, 'saxpy.ts'))) as { saxpy: KernelSource }
    const variant = compile(saxpy).variants.find(({ params }) => params?.via === 'uniform')
    expect(variant?.wgsl).toBe(only('wgsl'))
    expect(variant?.layouts.map(({ entries }) => entries)).toEqual([JSON.parse(only('json'))])
  })

  it('shows programs and a mistake', () => {
    expect(readme.files.length).toBeGreaterThanOrEqual(5)
    expect(readme.blocks.filter(({ info }) => info.error !== undefined).length).toBeGreaterThan(0)
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
  const { stdout } = node(root, 'node_modules/typescript/bin/tsc', '--showConfig', '-p', 'tsconfig.json')
  const { paths } = (JSON.parse(stdout) as { compilerOptions: { paths: Record<string, string[]> } }).compilerOptions
  return Object.fromEntries(Object.entries(paths).map(([name, list]) => [name, list.map((path) => join(root, path))]))
}

it('takes any numbers and widths for what a program measures, and nothing else', () => {
  const pattern = patternOf('kernel  min\na.b  1.5 µs  < 3 ms …\n')
  expect('kernel    min\na.b  120 ns  < 1,234 s x y\n').toMatch(pattern)
  for (const wrong of [
    'kernel min\na.b many < 3 ms x',
    'kernel min\naxb 1.5 µs < 3 ms x',
    'kernel min\na.b 1 µs < 2 ms\nmore',
  ])
    expect(wrong).not.toMatch(pattern)
})
