// Runs bench/compile.ts. The twin in bench/typegpu goes through TypeGPU's compiler plugin, nothing else here does.

import { fileURLToPath } from 'node:url'
import typegpu from 'unplugin-typegpu/esbuild'
import { run } from '../scripts/run-ts.mjs'

const entry = fileURLToPath(new URL('./compile.ts', import.meta.url))
await run(entry, { plugins: [typegpu({ include: [/bench\/typegpu\//] })] })
