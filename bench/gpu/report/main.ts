// Writes the report of a run, or of several on one machine: `node bench/gpu.mjs --report FILE… [--to docs/benchmarks/h200.md]`.

import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { merged, type Results } from '../results'
import { pageOf } from './page'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'boolean' }, to: { type: 'string' } },
})
if (positionals.length === 0) {
  console.error('usage: node bench/gpu.mjs --report FILE… [--to docs/benchmarks/h200.md]')
  process.exit(2)
}

const results = merged(positionals.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results))
/** The last word of the name: `h200` */
const short =
  results.machine.name
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.at(results.machine.software ? 0 : -1) ?? 'gpu'
const page = values.to ?? `docs/benchmarks/${short}.md`
const { markdown, charts } = pageOf(results, basename(page, '.md'))
writeFileSync(page, markdown)
for (const [name, svg] of Object.entries(charts)) writeFileSync(join(dirname(page), name), svg)
console.log([page, ...Object.keys(charts)].join('\n'))
