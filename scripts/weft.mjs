// The CLI from the sources of this repository, without a build: `node scripts/weft.mjs show kernel.ts#name`. The
// author's modules then take weft from its sources, too.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { root } from './packages.mjs'
import { bundle, sourcePlugins } from './run-ts.mjs'

/** The CLI as one file, which is removed at the end of the process; with it in WEFT_CLI_BUNDLE, others need not make it. */
export async function bundleCli() {
  const program = await bundle(join(root, 'packages/codegen/src/cli/cli.ts'))
  process.on('exit', () => rmSync(program, { force: true }))
  return program
}

/** Runs one command line in this process and gives its exit code. */
export async function weft(args, cwd = process.cwd()) {
  const program = process.env.WEFT_CLI_BUNDLE ?? (await bundleCli())
  const { cli } = await import(pathToFileURL(program).href)
  return cli(args, {
    cwd,
    env: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    plugins: sourcePlugins,
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await weft(process.argv.slice(2))
