// `npm run soak [-- --json] [--engine null|swiftshader] [--times N]`: bench/soak.ts in a process of its own, in which
// the garbage collector can be called. Exits with 1 when buffers, bind groups, heap or time per dispatch grow.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './packages.mjs'

const args = ['--expose-gc', join(root, 'scripts/run-ts.mjs'), join(root, 'bench/soak.ts'), ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
