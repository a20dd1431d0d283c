// `npm run gen [-- --check]`: writes the WGSL, the TypeScript modules and the manifest of the library's kernels into
// packages/kernels/generated; with `--check` it changes nothing and exits with 1, with a diff, where they are stale.
//
// It is `weft gen`, run from the sources of the compiler and of the DSL, so that it needs no build: a change of the
// compiler shows as a diff of the generated files at once.

import { root } from './packages.mjs'
import { weft } from './weft.mjs'

const kernels = ['packages/kernels/src/source.ts', '--out', 'packages/kernels/generated']
process.exitCode = await weft(['gen', ...kernels, ...process.argv.slice(2)], root)
