import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'

/**
 * What TypeScript accepts and refuses. The files in `fixtures` are part of the repository's own type check, in which
 * `@ts-expect-error` hides what is wrong; here the marks are taken out, and each must give its own error.
 */

const fixtures = join(root, 'tests/types/fixtures')
const cache = join(root, 'node_modules/.cache/weft/types')

function tsc(project: object, ...flags: string[]): string {
  mkdirSync(cache, { recursive: true })
  const config = join(cache, 'tsconfig.json')
  writeFileSync(config, JSON.stringify(project))
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', config, '--pretty', 'false', ...flags]
  try {
    return execFileSync(process.execPath, args, { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const MARK = /@ts-expect-error (\d+): (.*)/

describe('the types of the builder', () => {
  const names = readdirSync(fixtures)
  for (const name of names) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(
      join(cache, name),
      readFileSync(join(fixtures, name), 'utf8').replaceAll('@ts-expect-error', 'expected:'),
    )
  }
  const compilerOptions = {
    types: ['node', '@webgpu/types'],
    typeRoots: [join(root, 'node_modules'), join(root, 'node_modules/@types')],
    paths: { '@weft/dsl': [join(root, 'packages/dsl/src/index.ts')] },
  }
  const text = tsc({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files: names })
  const errors = new Map<string, string>()
  for (const [, file = '', line, code = ''] of text.matchAll(/(\w+)\.ts\((\d+),\d+\): error TS(\d+)/g)) {
    if (!errors.has(`${file}:${line}`)) errors.set(`${file}:${line}`, code)
  }

  for (const name of names.map((n) => n.replace('.ts', ''))) {
    const marks = readFileSync(join(fixtures, `${name}.ts`), 'utf8')
      .split('\n')
      .flatMap((line, i) => {
        const found = MARK.exec(line)
        return found ? [{ code: found[1], says: found[2], at: `${name}:${i + 2}` }] : []
      })
    it.each(marks)(`${name}.ts: TS$code, $says`, ({ code, at }) => {
      expect(errors.get(at)).toBe(code)
    })
    it(`${name}.ts has no other error`, () => {
      const marked = new Set(marks.map((m) => m.at))
      expect([...errors.keys()].filter((at) => at.startsWith(`${name}:`) && !marked.has(at))).toEqual([])
    })
  }
})

describe('what the types cost', () => {
  it('four kernels against the declarations need at most 30,000 instantiations', () => {
    execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '@weft/dsl'], { stdio: 'pipe' })
    const compilerOptions = { types: [], paths: { '@weft/dsl': [join(root, 'packages/dsl/dist/index.d.ts')] } }
    const text = tsc(
      { extends: join(root, 'tsconfig.base.json'), compilerOptions, files: [join(fixtures, 'kernels.ts')] },
      '--extendedDiagnostics',
    )
    expect(text).not.toContain('error')
    const count = Number(/Instantiations:\s+(\d+)/.exec(text)?.[1])
    expect(count).toBeGreaterThan(1000)
    expect(count).toBeLessThanOrEqual(30_000)
  })
})
