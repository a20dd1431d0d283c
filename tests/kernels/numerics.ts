/** `npm run numerics`: measures the errors of all kernels on the interpreter, and writes them to docs/numerics.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { families } from './families.js'
import { rowsOf, withRows } from './numerics-table.js'

const path = process.argv[2] as string
const rows = Object.entries(families).flatMap(([family, cases]) => rowsOf(family, cases))
writeFileSync(path, withRows(readFileSync(path, 'utf8'), rows))
console.log(`${rows.length} rows in ${path}`)
