import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../packages/codegen/src/cli/gen/diff'
import { originOf, withHeader } from '../../packages/codegen/src/cli/gen/header'
import { applyPlan, planOutputs } from '../../packages/codegen/src/cli/gen/write'
import { folder } from './weft.js'

const file = (name: string, text: string) => ({ name, kernel: name, text: withHeader('source', text) })

describe('applyPlan', () => {
  // every place where a run can fail, in order
  const steps = [
    'write a.ts',
    'write b.ts',
    'write c.ts',
    'replace a.ts',
    'replace b.ts',
    'replace c.ts',
    'remove old.ts',
  ]

  it.each(steps)('[prior-R46] takes everything back when it fails at: %s', (failing) => {
    const at = folder({
      'out/a.ts': withHeader('source', 'a'),
      'out/b.ts': withHeader('source', 'b'),
      'out/old.ts': withHeader('source', 'old'),
    })
    const before = at.all('out')
    const plan = planOutputs(`${at.path}/out`, [file('a.ts', 'a2'), file('b.ts', 'b2'), file('c.ts', 'c2')])
    const fail = (step: string, name: string): void => {
      if (`${step} ${name}` === failing) throw new Error('the disk is full')
    }
    expect(() => applyPlan(`${at.path}/out`, plan, fail)).toThrow('not-written: nothing was changed: the disk is full')
    expect(at.all('out')).toEqual(before)
    applyPlan(`${at.path}/out`, plan)
    expect(at.all('out')).toEqual({
      'a.ts': withHeader('source', 'a2'),
      'b.ts': withHeader('source', 'b2'),
      'c.ts': withHeader('source', 'c2'),
    })
    at.dispose()
  })

  it('leaves no folder behind that it made for nothing', () => {
    const at = folder()
    const plan = planOutputs(`${at.path}/new/out`, [file('a.ts', 'a')])
    expect(() =>
      applyPlan(`${at.path}/new/out`, plan, () => {
        throw new Error('no')
      }),
    ).toThrow('not-written')
    expect(() => at.all('new')).toThrow('ENOENT')
    at.dispose()
  })

  it('clears what a killed run left', () => {
    const at = folder({ 'out/.weft-stage-1/a.ts': 'half' })
    applyPlan(`${at.path}/out`, planOutputs(`${at.path}/out`, [file('a.ts', 'a')]))
    expect(Object.keys(at.all('out'))).toEqual(['a.ts'])
    at.dispose()
  })
})

it('headers tell who wrote a file, and whether it was edited since', () => {
  const text = withHeader('../src/a.ts#a', 'fn main() {}\n')
  expect(originOf(text)).toEqual({ from: '../src/a.ts#a', edited: false })
  expect(originOf(text.replaceAll('\n', '\r\n'))).toEqual({ from: '../src/a.ts#a', edited: false })
  expect(originOf(`${text}// mine\n`)).toEqual({ from: '../src/a.ts#a', edited: true })
  expect(originOf('export const a = 1\n')).toBeNull()
})

describe('unifiedDiff', () => {
  const lines = (...numbers: (number | string)[]): string => numbers.map((n) => `${n}\n`).join('')

  it('shows three lines around each change', () => {
    expect(unifiedDiff(lines(1, 2, 3, 4, 5, 6, 7, 8, 9), lines(1, 2, 3, 4, 'five', 6, 7, 8, 9), 'f')).toBe(
      '--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    )
  })

  it('joins changes that are near, and parts those that are far', () => {
    const before = lines(...Array.from({ length: 30 }, (_, i) => i))
    const near = before.replace('5\n', 'x\n').replace('\n8\n', '\ny\n')
    expect(unifiedDiff(before, near, 'f').match(/@@ /g)).toHaveLength(1)
    expect(unifiedDiff(before, before.replace('2\n', 'x\n').replace('28\n', 'y\n'), 'f').match(/^@@ /gm)).toHaveLength(
      2,
    )
  })

  it('shows a new file, a removed one, and nothing for equal ones', () => {
    expect(unifiedDiff('', 'a\nb\n', 'f')).toBe('--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n')
    expect(unifiedDiff('a\n', '', 'f')).toBe('--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n')
    expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('')
  })
})
