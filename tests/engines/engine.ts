/**
 * What a test says to an engine, and what it hears back. All of it is plain data (strings, numbers, `Uint8Array`s), so
 * that it crosses to a worker process unchanged, and none of it knows the compiler under test.
 */

/** A `GPUBindGroupLayoutDescriptor` whose entries can be sent. */
export interface Layout {
  readonly label?: string | undefined
  readonly entries: readonly GPUBindGroupLayoutEntry[]
}

interface Slot {
  readonly group: number
  readonly binding: number
}

export interface BufferBinding extends Slot {
  readonly kind: 'buffer'
  /** The whole contents; an output is prefilled by the caller, with a sentinel. Padded with zeros to 4 bytes. */
  readonly bytes: Uint8Array
  /** Whether the contents after the dispatch are wanted. */
  readonly readback?: boolean | undefined
  /** The range that is bound, in bytes; by default all of the buffer. */
  readonly offset?: number | undefined
  readonly size?: number | undefined
}

export interface TextureBinding extends Slot {
  readonly kind: 'texture'
  readonly format: GPUTextureFormat
  readonly size: readonly [width: number, height: number, layers: number]
  readonly bytesPerTexel: number
  /** Rows without padding; by default zeros. */
  readonly bytes?: Uint8Array | undefined
  readonly readback?: boolean | undefined
  readonly dimension?: GPUTextureDimension | undefined
  readonly viewDimension?: GPUTextureViewDimension | undefined
  /** How the kernel uses it; by default `sampled`. */
  readonly use?: 'sampled' | 'storage' | undefined
}

export interface SamplerBinding extends Slot {
  readonly kind: 'sampler'
  readonly descriptor?: Omit<GPUSamplerDescriptor, 'label'> | undefined
}

export type Binding = BufferBinding | TextureBinding | SamplerBinding

/** One dispatch of one entry point, on fresh resources. */
export interface Job {
  /** Names the case in every error. */
  readonly label: string
  readonly wgsl: string
  readonly entryPoint: string
  /** One per bind group, in order; never `auto`. */
  readonly layouts: readonly Layout[]
  readonly bindings: readonly Binding[]
  readonly workgroups: readonly [x: number, y: number, z: number]
  readonly constants?: Readonly<Record<string, number>> | undefined
  /** The bytes of `var<immediate>`; refused where the engine cannot set them. */
  readonly immediates?: Uint8Array | undefined
  /** How long it may take before its worker is killed; by default 30 s. */
  readonly timeoutMs?: number | undefined
}

/** What a WGSL compiler says of a place in the module; `line` and `column` count from 1 and are 0 where unknown. */
export interface Message {
  readonly severity: 'error' | 'warning' | 'info'
  readonly text: string
  readonly line: number
  readonly column: number
}

export interface EngineError {
  /**
   * `compile`: the module is not valid WGSL. `validation`: the pipeline, the layout, a resource or the dispatch is not
   * valid. `unsupported`: the engine lacks a thing that the job needs. `died`, `lost`, `timeout`: the process crashed,
   * its device was lost, or it was killed, while running this job alone.
   */
  readonly kind: 'compile' | 'validation' | 'unsupported' | 'died' | 'lost' | 'timeout'
  readonly text: string
  readonly messages: readonly Message[]
}

export interface Output extends Slot {
  /** As long as the binding's `bytes`; of a texture, rows without padding. */
  readonly bytes: Uint8Array
}

export type Result =
  | {
      readonly ok: true
      readonly label: string
      readonly outputs: readonly Output[]
      readonly messages: readonly Message[]
    }
  | { readonly ok: false; readonly label: string; readonly error: EngineError }

export interface Engine {
  readonly name: 'dawn' | 'wgpu'
  readonly adapter: { readonly vendor: string; readonly description: string }
  readonly features: ReadonlySet<string>
  readonly languageFeatures: ReadonlySet<string>
  readonly limits: Readonly<Record<string, number>>
  /** Of all subgroups, where they have one size and the engine says so. */
  readonly subgroupSize?: number
  /** Never rejects for what a job does: an invalid one, a crash and a timeout are results. */
  run(job: Job): Promise<Result>
  /** Results in the order of the jobs; several are in flight, on one device. */
  runMany(jobs: readonly Job[], onResult?: (result: Result, index: number) => void): Promise<Result[]>
  /** The worker's process id, `undefined` while there is none; for tests of the restart. */
  pid(): number | undefined
  close(): Promise<void>
}

/** One line per message, as `3:14 error: …`, after the error's own text. */
export function describeError(label: string, error: EngineError): string {
  const lines = error.messages.map((m) => `\n  ${m.line}:${m.column} ${m.severity}: ${m.text}`)
  return `${label}: ${error.kind}: ${error.text}${lines.join('')}`
}

/** The bytes read back from a binding; throws the structured error as text when the job failed. */
export function outputOf(result: Result, group: number, binding: number): Uint8Array {
  if (!result.ok) throw new Error(describeError(result.label, result.error))
  const output = result.outputs.find((item) => item.group === group && item.binding === binding)
  if (output === undefined) throw new Error(`${result.label}: binding ${group}/${binding} was not read back`)
  return output.bytes
}

/** The error of a job that must fail; throws when it succeeded. */
export function errorOf(result: Result): EngineError {
  if (result.ok) throw new Error(`${result.label}: succeeded`)
  return result.error
}
