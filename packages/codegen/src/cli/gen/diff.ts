/** A unified diff of two texts by lines; '' when they are equal. */

const CONTEXT = 3

interface Edit {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return ''
  const edits = editsBetween(linesOf(before), linesOf(after))
  const out = [`--- ${before === '' ? '/dev/null' : `a/${name}`}`, `+++ ${after === '' ? '/dev/null' : `b/${name}`}`]
  for (const [start, end] of hunks(edits)) out.push(...hunk(edits, start, end))
  return `${out.join('\n')}\n`
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** By the longest common subsequence of what lies between the common start and the common end. */
function editsBetween(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const same = (line: string): Edit => ({ sign: ' ', line })
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - tail), b.slice(start, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

function middle(a: readonly string[], b: readonly string[]): Edit[] {
  const width = b.length + 1
  // lengths[i * width + j]: the longest common subsequence of a from i and b from j
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const line = a[i]
    const other = b[j]
    if (line !== undefined && line === other) {
      edits.push({ sign: ' ', line })
      i++
      j++
    } else if (line !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ sign: '-', line })
      i++
    } else {
      edits.push({ sign: '+', line: other ?? '' })
      j++
    }
  }
  return edits
}

/** Ranges of edits with their context, joined where they touch. */
function hunks(edits: readonly Edit[]): [number, number][] {
  const ranges: [number, number][] = []
  edits.forEach(({ sign }, i) => {
    if (sign === ' ') return
    const start = Math.max(0, i - CONTEXT)
    const end = Math.min(edits.length, i + CONTEXT + 1)
    const last = ranges.at(-1)
    if (last && start <= last[1]) last[1] = end
    else ranges.push([start, end])
  })
  return ranges
}

function hunk(edits: readonly Edit[], start: number, end: number): string[] {
  const count = (from: number, to: number, but: Edit['sign']): number =>
    edits.slice(from, to).filter(({ sign }) => sign !== but).length
  const range = (but: Edit['sign']): string => {
    const length = count(start, end, but)
    const first = count(0, start, but)
    return `${length === 0 ? first : first + 1},${length}`
  }
  return [`@@ -${range('+')} +${range('-')} @@`, ...edits.slice(start, end).map(({ sign, line }) => sign + line)]
}
