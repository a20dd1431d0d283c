// Runs bench/gpu, or writes it as one file that needs nothing but Node and the npm package `webgpu`:
//
//   node bench/gpu.mjs [--bundle FILE] [OPTIONS of bench/gpu/main.ts]

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { run, standalonePlugins } from '../scripts/run-ts.mjs'

const entry = fileURLToPath(new URL('./gpu/main.ts', import.meta.url))
const at = process.argv.indexOf('--bundle')
if (at < 0) await run(entry)
else {
  const options = process.argv.slice(2).filter((_, i) => i + 2 !== at && i + 2 !== at + 1)
  const tail = `process.argv.splice(2, 0, ...${JSON.stringify(options)});`
  await build({
    entryPoints: [entry],
    outfile: process.argv[at + 1],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    logLevel: 'error',
    external: ['webgpu'],
    banner: { js: `import{createRequire as R}from'node:module';const require=R(import.meta.url);${tail}` },
    plugins: standalonePlugins,
  })
}
