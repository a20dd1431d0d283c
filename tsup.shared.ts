import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsup'
import { packages, sourceOf } from './scripts/packages.mjs'

/**
 * What the packages' builds have in common: ESM with declarations, one file per entry point of `scripts/packages.mjs`,
 * every dependency left external. The CLI is an entry without declarations of its own.
 */
export function build(configUrl: string) {
  const folder = fileURLToPath(new URL('.', configUrl))
  const pkg = packages.find((candidate) => folder.endsWith(`${candidate.folder}/`))
  if (!pkg) throw new Error(`scripts/packages.mjs does not list ${folder}`)
  const entry = Object.fromEntries(pkg.entries.map((item) => [item.output, sourceOf(pkg, item)]))
  const cli = `${folder}src/cli/main.ts`
  return defineConfig({
    entry: existsSync(cli) ? { ...entry, cli } : entry,
    format: ['esm'],
    target: 'es2022',
    platform: 'neutral',
    tsconfig: '../../tsconfig.build.json',
    // tsup passes `baseUrl` to TypeScript, which 6.0 calls deprecated
    dts: { entry, compilerOptions: { ignoreDeprecations: '6.0' } },
    clean: true,
    sourcemap: true,
    treeshake: true,
    external: [/^node:/, /^@weft\//, /^typegpu(\/|$)/, 'ts-morph', 'esbuild', 'naga-wasm', 'webgpu'],
  })
}
