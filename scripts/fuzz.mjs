// `npm run fuzz -- [--minutes 10] [--seed N]`: random kernels on the interpreter, Dawn and wgpu, until the time is over.
// Prints a line per batch and totals; exits with 1, the kernel and its seed at the first difference.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './packages.mjs'

const args = [join(root, 'scripts/run-ts.mjs'), join(root, 'tests/fuzz/long.ts'), ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
