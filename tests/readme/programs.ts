import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/packages.mjs'
import { type Block, blocksOf } from './blocks.js'

/** Where the files of all pages are written, a folder for each. */
export const folder = join(root, 'node_modules/.cache/readme')

/** A page whose blocks are run. */
export interface Page {
  readonly name: string
  readonly folder: string
  readonly blocks: readonly Block[]
  /** TypeScript with a name. */
  readonly files: readonly Block[]
}

function pageOf(name: string): Page {
  const blocks = blocksOf(name)
  const files = blocks.filter(({ info }) => info.file !== undefined)
  return { name, folder: join(folder, name.replace(/\W+/g, '-')), blocks, files }
}

/** The README, and the pages of docs/ that show programs. */
export const pages: readonly Page[] = [
  pageOf('README.md'),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => pageOf(`docs/${name}`))
    .filter(({ files }) => files.length > 0),
]

export function writeFiles(): void {
  rmSync(folder, { recursive: true, force: true })
  for (const page of pages) {
    mkdirSync(page.folder, { recursive: true })
    for (const { info, text } of page.files) writeFileSync(join(page.folder, info.file as string), text)
  }
}

export const node = (cwd: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd, encoding: 'utf8', timeout: 120_000 })

/** Runs a file in its page's folder, where it may read and write, after the one that it says it comes `after`. */
export function runFile(page: Page, file: string, ran = new Map<string, string>()): string {
  const before = page.files.find(({ info }) => info.file === file)?.info.after
  if (before !== undefined && !ran.has(before)) runFile(page, before, ran)
  const { stdout, stderr, status } = node(page.folder, join(root, 'scripts/run-ts.mjs'), join(page.folder, file))
  if (status !== 0) throw new Error(`${page.name}: ${file} ended with ${status}\n${stderr}`)
  ran.set(file, stdout)
  return stdout
}

const NUMBER = /\d[\d,.]*( (ns|µs|ms|s)\b)?/g

/**
 * A pattern of what a program prints where it measures something: numbers, with their units of time, may be any, columns
 * any width, and `…` any text.
 */
export function patternOf(text: string): RegExp {
  const lines = text.trimEnd().split('\n')
  const source = lines.map((line) =>
    line
      .trim()
      .replace(NUMBER, '\u0001')
      .split(/\s+/)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^\\S\\n]+')
      .replaceAll('\u0001', `${NUMBER.source}`)
      .replaceAll('…', '.*'),
  )
  return new RegExp(`^\\s*${source.join('\\s*\\n\\s*')}\\s*$`)
}
