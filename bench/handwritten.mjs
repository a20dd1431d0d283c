// Runs bench/handwritten.ts.

import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run-ts.mjs'

await run(fileURLToPath(new URL('./handwritten.ts', import.meta.url)))
