// Runs bench/cpu/main.ts: `npm run bench:cpu -- [--json] [--samples N]`.

import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run-ts.mjs'

await run(fileURLToPath(new URL('./cpu/main.ts', import.meta.url)))
