// `npm run size [-- --json]`: what an app ships, minified and compressed (gzip -9), dependencies left out, against the
// budgets. Measured from the sources, so that it needs no build. What is loaded later, by `import()` where it is first
// needed – opening a device, the CPU's part of the runtime, explanations of failures –, is not counted.

import { relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { packages, root, sourceAliases, sourceOf } from './packages.mjs'

const KB = 1000
const source = (name, subpath) => {
  const pkg = packages.find((item) => item.name === name)
  return sourceOf(
    pkg,
    pkg.entries.find((entry) => entry.subpath === subpath),
  )
}

/** The compiler without CLI and interpreter; the runtime; and the parts that are loaded on their own. */
const bundles = [
  {
    key: 'dslCodegenGzip',
    title: '@weft/dsl + @weft/codegen',
    budget: 45 * KB,
    entries: [source('@weft/dsl', '.'), source('@weft/codegen', '.')],
  },
  { key: 'runtimeGzip', title: '@weft/runtime', budget: 25 * KB, entries: [source('@weft/runtime', '.')] },
  { key: 'runtimeNodeGzip', title: '@weft/runtime/node', entries: [source('@weft/runtime', './node')] },
  { key: 'interpGzip', title: '@weft/codegen/interp', entries: [source('@weft/codegen', './interp')] },
]

/** esbuild plugin: our packages from source, every other package external. */
const resolver = {
  name: 'weft-sources',
  setup({ onResolve }) {
    const aliases = new Map(sourceAliases().map(({ find, path }) => [find, path]))
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const own = aliases.get(path)
      return own === undefined ? { path, external: true } : { path: own }
    })
  },
}

async function measure({ entries }) {
  // several entries have names in common, and a namespace each; one is as an app imports it
  const name = (i) => (entries.length === 1 ? '' : ` as part${i}`)
  const exported = entries.map((path, i) => `export *${name(i)} from ${JSON.stringify(path)}`).join('\n')
  const result = await build({
    stdin: { contents: exported, resolveDir: root, loader: 'ts' },
    bundle: true,
    splitting: true,
    outdir: root,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    plugins: [resolver],
    logLevel: 'warning',
  })
  const { outputs } = result.metafile
  const loaded = new Set()
  const load = (path) => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && next in outputs) load(next)
  }
  load(Object.keys(outputs).find((path) => outputs[path].entryPoint === '<stdin>'))
  const texts = result.outputFiles.filter(({ path }) => loaded.has(relative(process.cwd(), path)))
  const sizes = [...loaded].flatMap((path) => Object.entries(outputs[path].inputs))
  const largest = sizes.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
  const bytes = gzipSync(Buffer.concat(texts.map(({ contents }) => contents)), { level: 9 }).byteLength
  return { bytes, largest: largest.slice(0, 8) }
}

const json = process.argv.includes('--json')
const sizes = {}
let over = false
for (const bundle of bundles) {
  const { bytes, largest } = await measure(bundle)
  sizes[bundle.key] = bytes
  const tooLarge = bundle.budget !== undefined && bytes > bundle.budget
  over ||= tooLarge
  if (json) continue
  const budget =
    bundle.budget === undefined ? '' : ` of ${(bundle.budget / KB).toFixed(1)} KB${tooLarge ? ': OVER BUDGET' : ''}`
  console.log(`${bundle.title.padEnd(28)} ${(bytes / KB).toFixed(1).padStart(6)} KB${budget}`)
  if (tooLarge) for (const [path, { bytesInOutput }] of largest) console.log(`  ${bytesInOutput} B minified: ${path}`)
}
if (json) console.log(JSON.stringify(sizes))
process.exit(over ? 1 : 0)
