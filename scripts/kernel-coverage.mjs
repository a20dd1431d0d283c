// Which of the kernels and operators of other systems this library has: tests/kernels/coverage.json, held against the
// kernels that are generated, the functions that are exported, and the tests that exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { packages, root, sourceOf } from './packages.mjs'

/**
 * A row covers its names by kernels (generated, by name) and host functions, with the test of them; or says who does it
 * on the host, or why it is not there.
 *
 * @typedef {{ names: string[], kernels?: string[], functions?: string[], test?: string, note?: string,
 *   host?: string, notYet?: string }} Row
 */

/** @returns {Record<string, Row[]>} by system */
export const coverageList = () => JSON.parse(readFileSync(join(root, 'tests/kernels/coverage.json'), 'utf8'))

/** The names of all generated kernels. */
function generatedKernels() {
  const folder = join(root, 'packages/kernels/generated')
  const files = readdirSync(folder).flatMap((family) => readdirSync(join(folder, family)))
  return new Set(files.filter((file) => file.endsWith('.ts') && file !== 'index.ts').map((file) => file.slice(0, -3)))
}

/** What `@weft/kernels` exports; the bundle is made to see its names, and thrown away. */
async function exportedNames() {
  const kernels = packages.find(({ name }) => name === '@weft/kernels')
  const { metafile } = await build({
    entryPoints: [sourceOf(kernels, kernels.entries[0])],
    bundle: true,
    format: 'esm',
    packages: 'external',
    outdir: root,
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  return new Set(Object.values(metafile.outputs).flatMap((output) => output.exports))
}

/** What a row names and does not exist, each in words. */
function absent({ kernels = [], functions = [], test }, known) {
  if (kernels.length + functions.length === 0) return ['no kernel and no function']
  return [
    ...kernels.filter((name) => !known.kernels.has(name)).map((name) => `no kernel ${name}`),
    ...functions.filter((name) => !known.functions.has(name)).map((name) => `no function ${name}`),
    ...(test !== undefined && existsSync(join(root, test)) ? [] : [`no test ${test}`]),
  ]
}

/** How a row stands: `kernels`, `host`, `notYet` with a reason, or `wrong`, where it names what is not there. */
function standing(row, known) {
  if (row.host !== undefined) return { state: 'host', reason: row.host }
  if (row.notYet !== undefined) return { state: 'notYet', reason: row.notYet }
  const missing = absent(row, known)
  if (missing.length === 0) return { state: 'kernels', reason: row.note }
  return { state: 'wrong', reason: missing.join(', ') }
}

/** Every name with how it stands, in the order of the list. */
export async function kernelCoverage() {
  const known = { kernels: generatedKernels(), functions: await exportedNames() }
  return Object.entries(coverageList()).flatMap(([system, rows]) =>
    rows.flatMap((row) => row.names.map((name) => ({ system, name, row, ...standing(row, known) }))),
  )
}
