/** Modules and pipelines of a device, with every error caught: an invalid one throws nothing by itself. */
import type { EngineError, Layout, Message } from '../engine.js'

export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly error: EngineError }

export const failure = (
  kind: EngineError['kind'],
  text: string,
  messages: readonly Message[] = [],
): { readonly ok: false; readonly error: EngineError } => ({ ok: false, error: { kind, text, messages } })

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/**
 * Runs `body` within error scopes. They are a stack of the device, so `body` is synchronous: jobs that are in flight
 * at the same time then never see each other's errors.
 */
export async function scoped<T>(device: GPUDevice, body: () => T): Promise<Outcome<T>> {
  device.pushErrorScope('internal')
  device.pushErrorScope('out-of-memory')
  device.pushErrorScope('validation')
  let value: T | undefined
  let thrown: unknown
  try {
    value = body()
  } catch (error) {
    thrown = error ?? new Error('unknown')
  }
  const errors = await Promise.all([device.popErrorScope(), device.popErrorScope(), device.popErrorScope()])
  const text = thrown !== undefined ? textOf(thrown) : errors.find((error) => error !== null)?.message
  return text === undefined ? { ok: true, value: value as T, messages: [] } : failure('validation', text)
}

/** wgpu's text points into the source as `┌─ label:3:14`. */
function messageFromText(text: string): Message {
  const place = /(?:┌─|-->)[^\n]*?:(\d+):(\d+)/.exec(text)
  return { severity: 'error', text: text.trim(), line: Number(place?.[1] ?? 0), column: Number(place?.[2] ?? 0) }
}

export async function compileModule(device: GPUDevice, wgsl: string): Promise<Outcome<GPUShaderModule>> {
  let module: GPUShaderModule | undefined
  const created = await scoped(device, () => {
    module = device.createShaderModule({ code: wgsl })
  })
  // an invalid module is an object too, and Dawn gives the places of its errors only here
  const messages = module === undefined ? [] : await messagesOf(module)
  const placed = messages.some((m) => m.severity === 'error' && m.line > 0)
  if (!created.ok) {
    const all = placed ? messages : [...messages, messageFromText(created.error.text)]
    return failure('compile', 'the module is not valid', all)
  }
  if (module === undefined || placed) return failure('compile', 'the module is not valid', messages)
  return { ok: true, value: module, messages }
}

async function messagesOf(module: GPUShaderModule): Promise<Message[]> {
  const info = await module.getCompilationInfo()
  return info.messages.map((m) => ({ severity: m.type, text: m.message, line: m.lineNum, column: m.linePos }))
}

export interface PipelineSource {
  readonly wgsl: string
  readonly entryPoint?: string | undefined
  readonly layouts: readonly Layout[]
  readonly constants?: Readonly<Record<string, number>> | undefined
  readonly immediateSize?: number | undefined
}

export interface Pipeline {
  readonly pipeline: GPUComputePipeline
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** The compute pipeline with an explicit layout. */
export async function compilePipeline(device: GPUDevice, source: PipelineSource): Promise<Outcome<Pipeline>> {
  const module = await compileModule(device, source.wgsl)
  if (!module.ok) return module
  const layout = await scoped(device, () => {
    const layouts = source.layouts.map((item) => device.createBindGroupLayout({ entries: [...item.entries] }))
    const immediates = source.immediateSize ? { immediateSize: source.immediateSize } : {}
    return { layouts, pipeline: device.createPipelineLayout({ bindGroupLayouts: layouts, ...immediates }) }
  })
  if (!layout.ok) return layout
  try {
    const pipeline = await device.createComputePipelineAsync({
      layout: layout.value.pipeline,
      compute: {
        module: module.value,
        ...(source.entryPoint === undefined ? {} : { entryPoint: source.entryPoint }),
        ...(source.constants === undefined ? {} : { constants: source.constants }),
      },
    })
    return { ok: true, value: { pipeline, layouts: layout.value.layouts }, messages: module.messages }
  } catch (error) {
    return failure('validation', textOf(error), module.messages)
  }
}
