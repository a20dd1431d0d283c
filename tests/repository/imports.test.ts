import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { check, findCycle, loadedBy, targetOf } from './import-rules.js'
import { importsOf, importsOfFile, sourcesBelow } from './imports.js'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))
const names = ['dsl', 'codegen', 'runtime', 'kernels']

describe('the packages', () => {
  it.each(names)('%s imports only what it may', (name) => {
    const wrong = sourcesBelow(join(packages, name, 'src')).flatMap((path) =>
      importsOfFile(path).flatMap((item) => {
        const why = check(packages, path, item)
        return why === undefined ? [] : [`${relative(packages, path)}:${item.line} '${item.specifier}' ${why}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it.each(names)('%s has no cycle between its files', (name) => {
    const cycle = findCycle(sourcesBelow(join(packages, name, 'src')))
    expect((cycle ?? []).map((path) => relative(packages, path))).toEqual([])
  })

  const kernels = join(packages, 'kernels/src/index.ts')
  it.skipIf(!existsSync(kernels))('kernels loads none of the others from its entry `.`', () => {
    const wrong = loadedBy(kernels).flatMap((path) =>
      importsOfFile(path)
        .filter((item) => item.specifier.startsWith('@weft/') && !item.typeOnly)
        .map((item) => `${relative(packages, path)}:${item.line} '${item.specifier}'`),
    )
    expect(wrong).toEqual([])
  })

  it.skipIf(!existsSync(kernels))('kernels loads the problems of `verify: true` where they are asked for', () => {
    const isTrial = (path: string) => /\/(trial|problem)\.ts$/.test(path)
    const others = sourcesBelow(join(packages, 'kernels/src')).filter((path) => !isTrial(path))
    const trials = others.flatMap((path) =>
      importsOfFile(path)
        .filter(({ specifier, typeOnly }) => !typeOnly && isTrial(targetOf(path, specifier) ?? ''))
        .map(({ dynamic, line }) => ({ at: `${relative(packages, path)}:${line}`, dynamic })),
    )
    expect(trials.length).toBeGreaterThan(10)
    expect(trials.filter(({ dynamic }) => !dynamic)).toEqual([])
  })
})

describe('importsOf', () => {
  const specifiers = (text: string) => importsOf(text).map((item) => item.specifier)

  it('finds every form', () => {
    const text = `import a from 'a'
import { type B, b } from "b"
import * as c from 'c'
import 'd'
export { e } from 'e'
export * from 'f'
export * as g from 'g'
const h = await import('h')
import {
  i,
  j as k,
} from 'i'`
    expect(specifiers(text).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
    expect(importsOf(text).every((item) => !item.typeOnly)).toBe(true)
    expect(importsOf(text).find((item) => item.specifier === 'h')).toMatchObject({ dynamic: true, line: 8 })
  })

  it('knows what is a type only', () => {
    const text = `import type { A } from 'a'
import type B from 'b'
export type { C } from 'c'
import { type D, type E } from 'd'
export type * from 'e'
type F = import('f').F
type G = typeof import('g')`
    expect(specifiers(text).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    expect(importsOf(text).filter((item) => !item.typeOnly)).toEqual([])
  })

  it('is not misled by comments and strings', () => {
    const text =
      "// import 'a'\n/* import 'b' */ const c = \"import 'c'\"\nconst d = `import { d } from 'd'`\nexport const from = 'e'"
    expect(specifiers(text)).toEqual([])
  })
})

describe('the rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-imports-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (file: string, text: string): string => {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  const verdicts = (file: string, text: string) => {
    const path = write(file, text)
    return importsOfFile(path).map((item) => check(folder, path, item))
  }

  it.each([
    ['dsl/src/a.ts', "import { f32 } from 'typegpu/data'", undefined],
    ['dsl/src/a.ts', "import 'node:fs'", 'is not allowed here'],
    ['dsl/src/a.ts', "import type { C } from '@weft/codegen'", 'is not allowed here'],
    ['codegen/src/emit/a.ts', "import { Project } from 'ts-morph'", 'is not allowed here'],
    ['codegen/src/emit/a.ts', "import type { R } from '@weft/runtime'", 'is not allowed here'],
    ['codegen/src/cli/a.ts', "import { Project } from 'ts-morph'", undefined],
    ['codegen/src/cli/a.ts', "await import('@weft/runtime/node')", undefined],
    ['codegen/src/cli/a.ts', "import { r } from '@weft/runtime/node'", 'may be a type only'],
    ['codegen/src/cli/a.ts', "import { r } from 'naga-wasm'", 'is not allowed here'],
    ['runtime/src/a.ts', "import type { C } from '@weft/codegen'", undefined],
    ['runtime/src/a.ts', "import { c } from '@weft/codegen'", 'may be a type only'],
    ['runtime/src/a.ts', "import 'node:fs'", 'is not allowed here'],
    ['runtime/src/node.ts', "import 'node:fs'", undefined],
    ['runtime/src/node/a.ts', "import { create } from 'webgpu'", undefined],
    ['runtime/src/nodes.ts', "import 'node:fs'", 'is not allowed here'],
    ['kernels/src/index.ts', "import { kernel } from '@weft/dsl'", 'may be a type only'],
    ['kernels/src/source/a.ts', "import { kernel } from '@weft/dsl'", undefined],
    ['kernels/src/matmul/host.ts', "import { run } from '@weft/runtime'", 'may be a type only'],
    ['kernels/src/a.ts', "import { x } from '../../dsl/src/b.js'", 'leaves its package'],
    ['kernels/src/a.ts', "import { x } from './nowhere.js'", 'names no file'],
  ])('%s: %s', (file, text, verdict) => {
    expect(verdicts(file, text)).toEqual([verdict])
  })

  it('keeps the order of the folders of the DSL', () => {
    write('dsl/src/types/t.ts', '')
    write('dsl/src/build/b.ts', '')
    expect(verdicts('dsl/src/ir/n.ts', "import '../types/t.js'")).toEqual([undefined])
    expect(verdicts('dsl/src/ir/n.ts', "import '../build/b.js'")).toEqual([expect.stringContaining('goes against')])
  })

  it('follows what an entry loads', () => {
    const entry = write('kernels/src/index.ts', "import './a.js'\nimport type { C } from './c.js'")
    const a = write('kernels/src/a.ts', "export { b } from './b'")
    const b = write('kernels/src/b.ts', "import { kernel } from '@weft/dsl'")
    write('kernels/src/c.ts', '')
    expect(loadedBy(entry)).toEqual([entry, a, b])
  })

  it('finds a cycle, types apart', () => {
    const a = write('dsl/src/x/a.ts', "import './b.js'")
    write('dsl/src/x/b.ts', "import './c.js'")
    const c = write('dsl/src/x/c.ts', "import type { A } from './a.js'")
    expect(findCycle([a])).toBeUndefined()
    writeFileSync(c, "import { a } from './a.js'")
    expect(findCycle([a])?.map((path) => relative(folder, path))).toEqual(
      ['a', 'b', 'c', 'a'].map((name) => `dsl/src/x/${name}.ts`),
    )
  })
})
