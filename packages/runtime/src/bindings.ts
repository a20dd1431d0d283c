import type { CompiledBinding, CompiledKernel } from '@weft/codegen'
import { checkAligned, isCount } from './bytes'
import { count, fault, quoted } from './errors'
import { type Memory, USAGE } from './memory'

/** A range of memory that is given to a binding. */
export interface Range {
  readonly memory: Memory
  readonly offset: number
  /** Bytes of data, as the caller sees it; 0 for nothing. */
  readonly size: number
  /** Bytes to bind: the size, rounded up to 4 where it ends with the memory. */
  readonly bound: number
}

/** Finds the range that a caller's value means; `what` names it in errors. Throws what `rangeOf` does. */
export type Resolve = (value: unknown, what: string) => Range

/** The limits that bindings are held to. */
export type Limits = Readonly<Record<string, number>>

export const isWritten = ({ access }: CompiledBinding): boolean => access !== 'read'

/** What a buffer binding is held to: the usage it needs, and the limits of its size and offset. */
const STORAGE = {
  usage: 'STORAGE',
  size: 'maxStorageBufferBindingSize',
  align: 'minStorageBufferOffsetAlignment',
} as const
const UNIFORM = {
  usage: 'UNIFORM',
  size: 'maxUniformBufferBindingSize',
  align: 'minUniformBufferOffsetAlignment',
} as const

/** Whether memory may be used so. A GPUBuffer of the caller's can do what it was created for. */
function checkUsage({ gpu, usageNote }: Memory, usage: 'STORAGE' | 'UNIFORM' | 'INDIRECT', what: string): void {
  if (!gpu || (gpu.usage & USAGE[usage]) !== 0) return
  const note = usageNote?.(usage) ?? `create it with GPUBufferUsage.${usage}`
  throw fault('binding-type', `${what} is a GPUBuffer without ${usage} usage`, note)
}

/** Checks one range against its declaration and the limits; `what` names it in errors. Throws before anything is recorded. */
export function checkRange(binding: CompiledBinding, range: Range, limits: Limits, what: string): void {
  const { memory, offset, size, bound } = range
  const rules = binding.kind === 'uniform' ? UNIFORM : STORAGE
  checkUsage(memory, rules.usage, what)
  if (size === 0) return // bound to a stand-in
  const otherwise = 'runtime.arena(bytes) places tensors in one buffer that a dispatch only reads, or only writes'
  checkAligned(what, offset, limits[rules.align] ?? 256, rules.align, otherwise)
  const most = limits[rules.size]
  if (most !== undefined && bound > most) {
    throw fault(
      'binding-limit',
      `${what} binds ${count(bound)} bytes, and the device allows ${count(most)} (${rules.size})`,
      'bind it in parts, or create the runtime with the limits of the adapter',
    )
  }
  const [expected, note] = misfit(binding, bound, size) ?? []
  if (expected === undefined) return
  throw fault('binding-size', `${what} (${binding.type}) has ${count(size)} bytes, expected ${expected}`, note)
}

/**
 * What the type of a binding expects of its size, and what to do about it; null where so many bytes will do. Integers may
 * be bytes of the host's, of which the last few fill no element: those get zeros. A part of a float is no number.
 */
function misfit(
  { kind, minBindingSize, element }: CompiledBinding,
  bound: number,
  size: number,
): [string, string?] | null {
  if (kind === 'storage' && bound % 4 !== 0) return ['a multiple of 4']
  if ((element ? bound : size) < minBindingSize) return [`at least ${count(minBindingSize)}`]
  const float = /(f32|\df)$/.test(element?.type ?? '') ? 4 : /(f16|\dh)$/.test(element?.type ?? '') ? 2 : 1
  if (size % float !== 0) return [`a multiple of ${float}`]
  if (!element?.type.startsWith('vec3') || bound % element.stride === 0) return null
  return [
    `a whole number of elements of ${element.stride} bytes`,
    `a ${element.type} in an array takes ${element.stride} bytes: pad each, or write the buffer by its schema`,
  ]
}

const COUNTS_BYTES = 12
const ONE_USE = 'WebGPU allows only one of the two for a whole buffer, even in parts that are apart: use two buffers'

/** The range in which the device finds the workgroup counts. Throws `binding-type`, `binding-size`, `binding-overlap`. */
export function checkIndirect(
  kernel: string,
  { buffer, offset = 0 }: { readonly buffer: unknown; readonly offset?: number | undefined },
  resolve: Resolve,
  writes: readonly Memory[],
): Range {
  const what = `'${kernel}': indirect`
  const whole = resolve(buffer, what)
  const { memory } = whole
  checkUsage(memory, 'INDIRECT', what)
  if (!isCount(offset) || offset % 4 !== 0 || offset + COUNTS_BYTES > whole.size) {
    throw fault(
      'binding-size',
      `${what} has ${count(whole.size)} bytes, which hold no three u32 from byte ${offset}`,
      'the counts in x, y and z stand one after the other, from a multiple of 4',
    )
  }
  if (writes.includes(memory)) {
    throw fault('binding-overlap', `${what} is a buffer that the kernel itself writes`, ONE_USE)
  }
  return { memory, offset: whole.offset + offset, size: COUNTS_BYTES, bound: COUNTS_BYTES }
}

const meets = (a: Range, b: Range): boolean => a.offset < b.offset + b.bound && b.offset < a.offset + a.bound

/**
 * Checks that no two bindings are in each other's way. WebGPU forbids a buffer that is read and written in one
 * dispatch even where the ranges are apart, since a usage belongs to the whole buffer. `merged` are the two names
 * that the variant takes as one binding.
 */
export function checkOverlaps(
  kernel: CompiledKernel,
  ranges: ReadonlyMap<string, Range>,
  merged: readonly [string, string] | null,
): void {
  const placed = kernel.bindings.flatMap((binding) => {
    const range = ranges.get(binding.name)
    return range && range.size > 0 && binding.name !== merged?.[0] ? [{ binding, range }] : []
  })
  for (const [i, a] of placed.entries()) {
    for (const b of placed.slice(i + 1)) {
      const writes = Number(isWritten(a.binding)) + Number(isWritten(b.binding))
      if (a.range.memory !== b.range.memory || writes === 0) continue
      const names = [a.binding.name, b.binding.name]
      const what = `'${kernel.name}': ${quoted(names)}`
      if (meets(a.range, b.range)) {
        throw fault(
          'binding-overlap',
          `${what} overlap in one buffer, and the kernel writes there`,
          inPlace(kernel, names),
        )
      }
      if (writes === 2) continue
      throw fault('binding-overlap', `${what} are parts of one buffer, one read and one written`, ONE_USE)
    }
  }
}

const inPlace = ({ aliases }: CompiledKernel, names: readonly string[]): string =>
  aliases.some((pair) => pair.every((name) => names.includes(name)))
    ? `in place it runs with ${quoted(names)} in exactly the same range`
    : 'use another buffer, or declare the pair in the kernel: aliases: [[input, output]]'

/** The declared alias that the ranges use, if they use one: the same range for both names. */
export const aliasOf = (
  { aliases }: CompiledKernel,
  ranges: ReadonlyMap<string, Range>,
): readonly [string, string] | null =>
  aliases.find(([input, output]) => same(ranges.get(input), ranges.get(output))) ?? null

const same = (a: Range | undefined, b: Range | undefined): boolean =>
  a !== undefined && a.size > 0 && a.memory === b?.memory && a.offset === b.offset && a.bound === b.bound
