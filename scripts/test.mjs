// `npm test`: installs the software engines when they are missing, builds what the tests run from dist/, and runs all
// tests. Arguments go to vitest: `npm test -- tests/engines -t timeout`. The last line is `N passed, N failed,
// N skipped`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installEngines } from './install-engines.mjs'
import { root } from './packages.mjs'

installEngines()
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
const built = node(join(root, 'scripts/build.mjs'))
if (built !== 0) {
  console.log('0 passed, 1 failed, 0 skipped')
  process.exit(built)
}
process.exit(node(join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)))
