// `npm run demo`: examples/demo.ts, bundled from the sources, so that it runs right after `npm ci`, without a build.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './packages.mjs'
import { run } from './run-ts.mjs'

// a Vulkan loader complains about its absence, which has no bearing on what runs here
process.env.XDG_RUNTIME_DIR ??= tmpdir()
await run(join(root, 'examples/demo.ts'))
