/** Whole texts of errors, with the author's own line. */
import { readFileSync } from 'node:fs'
import { type Code, positionOf, WeftError } from '@weft/dsl/ir'
import { expect, it } from 'vitest'

export interface Wrong {
  readonly code: Code
  readonly title: string
  /** `AT` stands for the file, line and column of the line that ends in `// AT`, the first from the call of `error` on. */
  readonly text: string
  readonly run: () => unknown
}

const lines = new Map<string, readonly string[]>()
const linesOf = (file: string): readonly string[] => {
  let found = lines.get(file)
  if (!found) lines.set(file, (found = readFileSync(file, 'utf8').split('\n')))
  return found
}

/** The marked line after the line of the call. */
function marked(stack: string | undefined): { file: string; line: number } {
  const frames = (stack ?? '').split('\n').filter((line) => /\.test\.ts/.test(line))
  const called = positionOf(frames.join('\n'))
  if (!called) throw new Error(`no test file in ${stack}`)
  const index = linesOf(called.file).findIndex((text, i) => i >= called.line - 1 && text.endsWith('// AT'))
  if (index < 0) throw new Error(`no line is marked after line ${called.line}`)
  return { file: called.file, line: index + 1 }
}

/** One test: `run` throws exactly this, at the marked line of the test's file. Titles start with the code, for codes.test.ts. */
export function error(code: Code, title: string, text: readonly string[], run: () => unknown): void {
  const { stack } = new Error()
  it(`${code}: ${title}`, () => {
    const at = marked(stack)
    let thrown: unknown
    try {
      run()
    } catch (e) {
      thrown = e
    }
    if (!(thrown instanceof WeftError)) throw thrown ?? new Error('nothing was thrown')
    const place = new RegExp(`${at.file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:${at.line}:\\d+`, 'g')
    expect(thrown.message.replace(place, 'AT')).toBe(text.join('\n'))
    expect(thrown.code).toBe(code)
  })
}
