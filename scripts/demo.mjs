// `npm run demo`: examples/demo.ts, bundled from the sources, so that it runs right after `npm ci`, without a build.
import { join } from 'node:path'
import { root } from './packages.mjs'
import { run } from './run-ts.mjs'

await run(join(root, 'examples/demo.ts'))
