// `npm run edge-cases [-- --json]`: which of the edge cases of WGSL emission are covered by a test that ran and passed.
// A title carries the number and how the case is met: `[edge-07 emits]` (the right WGSL comes out), `[edge-02 refuses]`
// (a diagnostic), `[edge-91 policy]` (a rule of the runtime or the library).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.mjs'
import { coverage, runTagged } from './tagged-tests.mjs'

const KINDS = ['emits', 'refuses', 'policy']
const { edges } = JSON.parse(readFileSync(join(root, 'tests/cases.json'), 'utf8'))
const ids = Array.from({ length: edges }, (_, i) => String(i + 1).padStart(2, '0'))
const { tags } = runTagged(/\[edge-(\d+)(?: (emits|refuses|policy))?\]/)
const { covered, missing } = coverage(ids, tags)

if (process.argv.includes('--json')) console.log(JSON.stringify({ covered: covered.length, total: ids.length }))
else {
  for (const line of missing) console.log(`missing edge-${line}`)
  const kinds = KINDS.map((kind) => `${covered.filter((id) => tags.get(id).kinds.has(kind)).length} ${kind}`)
  console.log(`edge cases: ${covered.length} of ${ids.length} covered (${kinds.join(', ')})`)
}
process.exit(missing.length === 0 ? 0 : 1)
