import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/packages.mjs'

/** A fenced block of a Markdown page; `info` are the words after its language, as `file=run.ts`. */
export interface Block {
  readonly language: string
  readonly info: Readonly<Record<string, string>>
  readonly text: string
  readonly line: number
}

const FENCE = /^( *)```(\w+)([^\n]*)\n([\s\S]*?)^\1```$/gm

export function blocksOf(page: string): readonly Block[] {
  const source = readFileSync(join(root, page), 'utf8')
  return [...source.matchAll(FENCE)].map(({ 2: language = '', 3: words = '', 4: text = '', index }) => ({
    language,
    info: Object.fromEntries(
      words
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => word.split('=') as [string, string]),
    ),
    text,
    line: source.slice(0, index).split('\n').length,
  }))
}
