// Runs bench/gpu, or writes it as one file that needs nothing but Node and the npm package `webgpu`:
//
//   node bench/gpu.mjs [--bundle FILE] [OPTIONS of bench/gpu/main.ts]
//   node bench/gpu.mjs --report RESULTS… [--to PAGE]     writes the page of a run: bench/gpu/report/main.ts
//
// The options become part of the file. With `--peers` it contains the peers too, and the files that they read.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { build } from 'esbuild'
import { run, standalonePlugins } from '../scripts/run-ts.mjs'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const entry = path('./gpu/main.ts')
const at = process.argv.indexOf('--bundle')

/** Peers, when nobody asks for them: they stay outside, and are never loaded. */
const withoutPeers = {
  name: 'without-peers',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/peers$/ }, ({ path }) => ({ path, external: true }))
  },
}

/** The module `peers/files.ts` with the files in it. */
const carriedFiles = {
  name: 'carried-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^carried:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'carried' }))
    onLoad({ filter: /./, namespace: 'carried' }, async ({ path: name }) => {
      const file = name === 'torch' ? path('./gpu/torch_rows.py') : createRequire(import.meta.url).resolve(name)
      const bytes = await readFile(file)
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
      return { contents: await promisify(brotliCompress)(bytes, { params }), loader: 'binary' }
    })
    onLoad({ filter: /peers\/files\.ts$/ }, () => ({
      contents: `
        import { brotliDecompressSync } from 'node:zlib'
        import wasm from 'carried:onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm'
        import torch from 'carried:torch'
        export const ortWasm = async () => brotliDecompressSync(wasm)
        export const torchProgram = async () => brotliDecompressSync(torch).toString()`,
      resolveDir: path('.'),
    }))
  },
}

if (process.argv.includes('--report')) await run(path('./gpu/report/main.ts'))
else if (at < 0) await run(entry)
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
    minifyWhitespace: true,
    logLevel: 'error',
    mainFields: ['module', 'main'],
    external: ['webgpu'],
    banner: { js: `import{createRequire as R}from'node:module';const require=R(import.meta.url);${tail}` },
    plugins: [options.includes('--peers') ? carriedFiles : withoutPeers, ...standalonePlugins],
  })
}
