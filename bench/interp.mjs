// Runs bench/interp.ts.

import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run-ts.mjs'

await run(fileURLToPath(new URL('./interp.ts', import.meta.url)))
