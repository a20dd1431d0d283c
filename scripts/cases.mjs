// `npm run cases [-- --json]`: which of the failures that other systems had, listed in tests/cases.json, are covered by
// a test here that ran and passed. Their titles carry `[case-C16]`, `[case-R42]` or `[prior-R22]`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.mjs'
import { coverage, runTagged } from './tagged-tests.mjs'

const lists = JSON.parse(readFileSync(join(root, 'tests/cases.json'), 'utf8'))
const ids = [...lists.cases.map((id) => `case-${id}`), ...lists.prior.map((id) => `prior-${id}`)]
const { tags } = runTagged(/\[((?:case-[CNRS]|prior-R)\d+)\]/)
const { covered, missing } = coverage(ids, tags)

if (process.argv.includes('--json')) console.log(JSON.stringify({ covered: covered.length, total: ids.length }))
else {
  for (const line of missing) console.log(`missing ${line}`)
  console.log(`cases: ${covered.length} of ${ids.length} covered`)
}
process.exit(missing.length === 0 ? 0 : 1)
