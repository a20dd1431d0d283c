/** Hand-written jobs with known results, to test the engines by. */
import type { BufferBinding, Job, Layout } from './engine.js'

/** What an output is filled with before the dispatch, so that an element that nobody wrote is seen. */
export const SENTINEL = 0xa5

export const bytesOf = (values: Float32Array | Uint32Array | Int32Array | Uint16Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

export const f32s = (...values: number[]): Uint8Array => bytesOf(new Float32Array(values))
export const sentinel = (size: number): Uint8Array => new Uint8Array(size).fill(SENTINEL)
export const asF32 = (bytes: Uint8Array): number[] => [
  ...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2),
]
export const asU32 = (bytes: Uint8Array): number[] => [
  ...new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2),
]

export const layout = (...types: GPUBufferBindingType[]): Layout => ({
  entries: types.map((type, binding) => ({ binding, visibility: 4, buffer: { type } })),
})

export const input = (binding: number, bytes: Uint8Array): BufferBinding => ({
  group: 0,
  binding,
  kind: 'buffer',
  bytes,
})
export const output = (binding: number, bytes: Uint8Array): BufferBinding => ({
  ...input(binding, bytes),
  readback: true,
})

/** y[i] = 2·x[i] + 1 for the first n of `values`; the rest of y keeps its sentinel. */
export function affine(label: string, values: readonly number[], n: number): Job {
  return {
    label,
    wgsl: `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < n) { y[id.x] = 2 * x[id.x] + 1; }
}`,
    entryPoint: 'main',
    layouts: [layout('read-only-storage', 'storage', 'uniform')],
    bindings: [
      input(0, bytesOf(new Float32Array(values))),
      output(1, sentinel(values.length * 4)),
      input(2, bytesOf(new Uint32Array([n]))),
    ],
    workgroups: [Math.ceil(values.length / 64), 1, 1],
  }
}

/** A module without inputs that stores `expression` to out[0]. */
export function stores(label: string, expression: string, more = ''): Job {
  return {
    label,
    wgsl: `${more}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = ${expression}; }`,
    entryPoint: 'main',
    layouts: [layout('storage')],
    bindings: [output(0, sentinel(4))],
    workgroups: [1, 1, 1],
  }
}

/** A valid module that makes naga 29 panic, and with it the process of wgpu. */
export const elementPointer = (label: string): Job =>
  stores(
    label,
    'third(array<u32, 4>(5, 6, 7, 8))',
    `
fn deref(p: ptr<function, u32>) -> u32 { return *p; }
fn third(values: array<u32, 4>) -> u32 { var a = values; return deref(&a[2]); }`,
  )

/**
 * Does not end in reasonable time: a loop without end in very many invocations, since lavapipe ends the loops of
 * one after 65,535 rounds in total.
 */
export const endless = (label: string): Job => ({
  label,
  wgsl: `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  var on = id.x * 2 + 1;
  loop {
    on = on * 3 + 2;
    if on == 4 { break; }
  }
  if on == 6 { out[0] = on; }
}`,
  entryPoint: 'main',
  layouts: [layout('storage')],
  bindings: [output(0, sentinel(4))],
  workgroups: [65_535, 64, 1],
  timeoutMs: 1500,
})
