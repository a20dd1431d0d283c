import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CODES } from '@weft/dsl/ir'
import { expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'

/** Every test file of the repository but this one. */
function tests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? tests(path) : /\.test\.ts$/.test(entry.name) && !path.endsWith('errors/codes.test.ts') ? [path] : []
  })
}

/** A code is tested where a test names it as what it expects: at the start of a title or text, or as an argument. */
const names = (text: string, code: string): boolean => new RegExp(`['"\`/^]${code}(['"\`]|: |\\b.*\\$/|:)`).test(text)

it('no code is untested', () => {
  const texts = ['packages', 'tests'].flatMap((folder) => tests(join(root, folder))).map((path) => readFileSync(path, 'utf8'))
  expect(Object.keys(CODES).filter((code) => !texts.some((text) => names(text, code)))).toEqual([])
})

it('what builder and validation raise is tested here by its whole text', () => {
  const here = ['builder.test.ts', 'statements.test.ts', 'validation.test.ts'].map((name) => readFileSync(join(root, 'tests/errors', name), 'utf8')).join('\n')
  const raised = new Set<string>()
  const scan = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) scan(path)
      else if (/(?<!\.test)\.ts$/.test(entry.name) && entry.name !== 'codes.ts') for (const code of Object.keys(CODES)) if (readFileSync(path, 'utf8').includes(`'${code}'`)) raised.add(code)
    }
  }
  scan(join(root, 'packages/dsl/src/build'))
  scan(join(root, 'packages/dsl/src/validate'))
  expect([...raised].filter((code) => !here.includes(`error('${code}'`)).sort()).toEqual([])
})

/** Texts without a note, by what is in them, and why: what they say of the fault is the way out. */
const PLAIN: Readonly<Record<string, string>> = {
  ' must be ': 'says what it must be',
  'no-overload: max takes 2 arguments': 'says how many',
  'out-of-scope: kernel .* is finished': 'a builder that was kept: there is no way',
  'bad-type: .* has no elements': 'a scalar is used as it is',
  'bad-template: ': 'shows the place in the template',
  'duplicate-name: f has two parameters of one name': 'says which',
  'bad-switch: case 1 stands twice': 'says which',
  'bad-index: index 4 is out of range of array<f32, 4>': 'has the count',
  'invalid-ir: ': 'no kernel of the builder has it',
  'bad-launch: .* which is not an array binding': 'says what has a length',
  "'a' and 'b' cannot be one buffer: ": 'says what an alias is',
}

it('what builder and validation raise names a way out', () => {
  const texts = ['builder', 'statements', 'validation'].flatMap((name) => [...readFileSync(join(root, `tests/errors/${name}.test.ts`), 'utf8').matchAll(/^ {2}error\('.*\], \(\) =>/gm)].map(String))
  expect(texts.length).toBeGreaterThan(100)
  const bare = texts.filter((text) => !text.includes('  note: ')).map((text) => text.replace(/^.*?\[/, ''))
  const says = (text: string): string[] => Object.keys(PLAIN).filter((start) => new RegExp(start).test(text))
  expect(bare.filter((text) => says(text).length === 0)).toEqual([])
  expect(Object.keys(PLAIN).filter((start) => !bare.some((text) => says(text).includes(start)))).toEqual([])
})

it('codes are lower case, and their texts are sentences without an end', () => {
  for (const [code, text] of Object.entries(CODES)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(text).toMatch(/^(?:[a-z]|WebGPU).*[^.]$/)
  }
})
