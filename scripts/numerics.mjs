// `npm run numerics`: measures the errors of all kernels against float64 on the interpreter, whose arithmetic is exact
// f32 and f16, and writes the table of docs/numerics.md. The same on every machine.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './packages.mjs'

const args = [join(root, 'scripts/run-ts.mjs'), join(root, 'tests/kernels/numerics.ts'), join(root, 'docs/numerics.md')]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
