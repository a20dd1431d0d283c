// `weft tune` with its tunables as one file, for a machine that has nothing but Node and the npm package `webgpu`:
//
//   node scripts/tune.mjs --bundle FILE.mjs TUNABLES.ts [ARGUMENTS of weft tune]
//
// On that machine, `node FILE.mjs [MORE ARGUMENTS]` is `weft tune TUNABLES.ts ARGUMENTS MORE ARGUMENTS`.

import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from './packages.mjs'
import { standalonePlugins } from './run-ts.mjs'

/** The program: modules by paths are what the command finds in place of files. */
const programOf = (spec, args) => {
  const [path] = spec.split('#')
  return `
import { processIo, runLine } from './packages/codegen/src/cli/line.ts'
import { tune } from './packages/codegen/src/cli/commands/tune.ts'
import * as tunables from ${JSON.stringify(resolve(path))}
const args = ['tune', ...${JSON.stringify([spec, ...args])}, ...process.argv.slice(2)]
const code = await runLine([tune], args, { ...processIo, modules: { ${JSON.stringify(path)}: tunables } })
// what was written is out by then
process.stdout.write('', () => process.exit(code))
`
}

export async function bundleTune(outfile, spec, args) {
  await build({
    stdin: { contents: programOf(spec, args), resolveDir: root, loader: 'ts', sourcefile: 'tune.ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    logLevel: 'error',
    external: ['webgpu', 'esbuild'],
    banner: { js: "import{createRequire as R}from'node:module';const require=R(import.meta.url);" },
    plugins: standalonePlugins,
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, outfile, spec, ...args] = process.argv.slice(2)
  if (option !== '--bundle' || spec === undefined) {
    console.error('usage: node scripts/tune.mjs --bundle FILE.mjs TUNABLES.ts [ARGUMENTS of weft tune]')
    process.exit(2)
  }
  await bundleTune(outfile, relative(process.cwd(), resolve(spec)), args)
}
