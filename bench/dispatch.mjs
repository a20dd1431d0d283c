// Runs bench/dispatch.ts.

import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run-ts.mjs'

await run(fileURLToPath(new URL('./dispatch.ts', import.meta.url)))
