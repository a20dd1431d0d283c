/** Who may import whom. */
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { type Import, importsOfFile } from './imports.js'

/** What a file may import besides its own package: `value` includes types. */
type Allowed = Readonly<Record<string, 'value' | 'type'>>

/** Node and what only works in Node. */
const NODE_ONLY: Allowed = { node: 'value', 'ts-morph': 'value', esbuild: 'value', webgpu: 'value' }

interface Rule {
  /** The files that it is for, below packages/; the first rule that fits holds. */
  readonly files: RegExp
  readonly imports: Allowed
  /** Loaded with `import()` only, as optional peers. */
  readonly dynamic?: readonly string[]
}

/** `@weft/kernels` names its entry `.`; its DSL sources have their own folder and may use the DSL itself. */
const rules: readonly Rule[] = [
  { files: /^dsl\//, imports: { typegpu: 'value' } },
  {
    files: /^codegen\/src\/cli\//,
    imports: { '@weft/dsl': 'value', typegpu: 'value', '@weft/runtime': 'type', ...NODE_ONLY },
    dynamic: ['@weft/runtime/node', 'naga-wasm'],
  },
  { files: /^codegen\//, imports: { '@weft/dsl': 'value', typegpu: 'value' } },
  {
    files: /^runtime\/src\/node(\/|\.ts$)/,
    imports: { '@weft/codegen': 'type', typegpu: 'value', ...NODE_ONLY },
  },
  { files: /^runtime\//, imports: { '@weft/codegen': 'type', typegpu: 'value' } },
  {
    files: /^kernels\/(?!src\/index\.ts$)/,
    imports: { '@weft/dsl': 'value', '@weft/codegen': 'type', '@weft/runtime': 'type', typegpu: 'value' },
  },
  { files: /^kernels\//, imports: { '@weft/dsl': 'type', '@weft/codegen': 'type', '@weft/runtime': 'type' } },
]

/** The folders of the DSL, in the order of its data: one imports from itself and from those before it only. */
const DSL_ORDER = [['types'], ['ops'], ['ir'], ['build', 'validate', 'diagnostics']]

/** `node:fs` → `node`, `typegpu/data` → `typegpu`, `@weft/codegen/interp` → `@weft/codegen`. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node'
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

/** The source file that a relative import names, whether it is written `.js`, `.ts` or without an ending. */
export function targetOf(from: string, specifier: string): string | undefined {
  const base = join(dirname(from), specifier)
  const paths = [base.replace(/\.js$/, '.ts'), base, `${base}.ts`, join(base, 'index.ts')]
  return paths.find((path) => path.endsWith('.ts') && existsSync(path))
}

function dslRank(file: string): number | undefined {
  const folder = /^dsl\/src\/([^/]+)\//.exec(file)?.[1]
  const rank = DSL_ORDER.findIndex((folders) => folder !== undefined && folders.includes(folder))
  return rank < 0 ? undefined : rank
}

function checkRelative(packages: string, path: string, item: Import): string | undefined {
  const file = relative(packages, path).split(sep).join('/')
  const target = relative(packages, join(dirname(path), item.specifier))
    .split(sep)
    .join('/')
  if (file.split('/')[0] !== target.split('/')[0]) return 'leaves its package'
  // package.json and the like are no code
  if (item.specifier.endsWith('.json')) return undefined
  const resolved = targetOf(path, item.specifier)
  if (resolved === undefined) return 'names no file'
  const [from, to] = [file, relative(packages, resolved).split(sep).join('/')].map(dslRank)
  if (from !== undefined && to !== undefined && to > from) return `goes against ${DSL_ORDER.flat().join(' → ')}`
  return undefined
}

/** What is wrong with an import of the file at `path`; `packages` is the folder of all packages. */
export function check(packages: string, path: string, item: Import): string | undefined {
  if (item.specifier.startsWith('.')) return checkRelative(packages, path, item)
  const file = relative(packages, path).split(sep).join('/')
  const rule = rules.find(({ files }) => files.test(file))
  if (item.dynamic && rule?.dynamic?.includes(item.specifier)) return undefined
  const allowed = rule?.imports[packageOf(item.specifier)]
  if (allowed === undefined) return 'is not allowed here'
  return allowed === 'type' && !item.typeOnly ? 'may be a type only' : undefined
}

/** The files that run when `file` is loaded: it and all that it imports within its package, types apart. */
export function loadedBy(file: string, seen = new Set<string>()): string[] {
  seen.add(file)
  for (const item of importsOfFile(file)) {
    const target = item.typeOnly || !item.specifier.startsWith('.') ? undefined : targetOf(file, item.specifier)
    if (target !== undefined && !seen.has(target)) loadedBy(target, seen)
  }
  return [...seen]
}

/** The first cycle among `files` by imports that exist at run time, as the files in order. */
export function findCycle(files: readonly string[]): string[] | undefined {
  const done = new Set<string>()
  const path: string[] = []
  function visit(file: string): string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    done.add(file)
    path.push(file)
    for (const item of importsOfFile(file)) {
      if (item.typeOnly || item.dynamic || !item.specifier.startsWith('.')) continue
      const target = targetOf(file, item.specifier)
      const cycle = target === undefined ? undefined : visit(target)
      if (cycle !== undefined) return cycle
    }
    path.pop()
    return undefined
  }
  for (const file of files) {
    const cycle = visit(file)
    if (cycle !== undefined) return cycle
  }
  return undefined
}
