import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

// only the DOM's types have it as a value
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly RuntimeError: new () => Error
}

/** The generated bindings of the package `naga-wasm`; its own entry keeps one instance for ever, traps or not. */
type Bindings = Omit<typeof import('naga-wasm'), 'init' | 'parseSpirv'> & {
  initSync(options: { module: object }): void
}

export type NagaResult =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false
      /** `trap`: naga itself failed (a panic, the end of its stack). */
      readonly kind: 'parse' | 'validation' | 'write' | 'trap'
      /** naga's message, with the place marked in the source. */
      readonly text: string
      readonly line: number
      readonly column: number
    }

let compiled: object | undefined
let current: Promise<Bindings> | undefined
let instances = 0

/** A fresh copy of the bindings' module, which holds the instance: the query makes it another module to Node. */
async function instantiate(): Promise<Bindings> {
  const folder = dirname(require.resolve('naga-wasm/naga_bg.wasm'))
  compiled ??= new WebAssembly.Module(readFileSync(join(folder, 'naga_bg.wasm')))
  const url = `${pathToFileURL(join(folder, 'naga.js')).href}?instance=${instances++}`
  const bindings = (await import(/* @vite-ignore */ url)) as Bindings
  bindings.initSync({ module: compiled })
  return bindings
}

function failed(kind: 'parse' | 'validation' | 'write', error: unknown): NagaResult {
  const text = error instanceof Error ? error.message : String(error)
  const place = /(?:┌─|-->)[^\n]*?:(\d+):(\d+)/.exec(text)
  const trap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError
  if (trap) current = undefined
  return { ok: false, kind: trap ? 'trap' : kind, text, line: Number(place?.[1] ?? 0), column: Number(place?.[2] ?? 0) }
}

/** Parses, validates and, if asked, writes; after a trap the next call gets a new instance. */
async function translate(wgsl: string, to: 'nothing' | 'msl' | 'hlsl'): Promise<NagaResult> {
  current ??= instantiate()
  const naga = await current
  let step: 'parse' | 'validation' | 'write' = 'parse'
  const handles: { free(): void }[] = []
  try {
    const module = naga.parseWgsl(wgsl)
    handles.push(module)
    step = 'validation'
    const info = naga.validate(module)
    handles.push(info)
    step = 'write'
    if (to === 'msl') return { ok: true, text: naga.writeMsl(module, info, { langVersion: [2, 4] }) }
    if (to === 'hlsl') return { ok: true, text: naga.writeHlsl(module, info, { shaderModel: '6_2' }) }
    return { ok: true, text: '' }
  } catch (error) {
    return failed(step, error)
  } finally {
    // of an instance that trapped, nothing may be called any more
    if (current !== undefined) for (const handle of handles) handle.free()
  }
}

/** Firefox's compiler: does it take the module as it is? */
export const validateNaga = (wgsl: string): Promise<NagaResult> => translate(wgsl, 'nothing')

/** Metal Shading Language 2.4 or HLSL of shader model 6.2, in `text`; overrides must be baked before. */
export const translateNaga = (wgsl: string, to: 'msl' | 'hlsl'): Promise<NagaResult> => translate(wgsl, to)

/**
 * The module without `subgroups` among its `enable`s: naga has the operations, and rejects the word that Tint requires.
 * Lines keep their numbers.
 */
export function withoutSubgroupsLine(wgsl: string): string {
  return wgsl.replace(/^([ \t]*enable\s+)([^;]*);/gm, (line, enable: string, names: string) => {
    const kept = names.split(',').filter((name) => name.trim() !== 'subgroups')
    if (kept.length === names.split(',').length) return line
    return kept.length === 0 ? '' : `${enable}${kept.join(',').trim()};`
  })
}
