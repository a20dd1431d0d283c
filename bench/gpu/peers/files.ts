// Files that peers need at run time. `bench/gpu.mjs --bundle` puts another module in the place of this one, which carries
// them in itself.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The WebAssembly module of onnxruntime-web. */
export function ortWasm(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm'))
}

/** The program that measures PyTorch. */
export function torchProgram(): Promise<string> {
  return readFile(join(import.meta.dirname, '../torch_rows.py'), 'utf8')
}
