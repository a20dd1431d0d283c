import { type Binding, type Code, type Kernel, sizeOf, spell, WeftError } from '@weft/dsl/ir'
import type { BoundTexture } from '../executor'
import { runtimePart } from './indices'
import type { BoundPart } from './program'
import { bindTexture } from './texel'

/** What the host binds, checked and turned into the views that generated code uses. */
export type Bindings = Readonly<Record<string, Uint8Array | BoundTexture>>

const fault = (code: Code, message: string): never => {
  throw new WeftError({ code, message })
}

export function checkBindings(kernel: Kernel, bindings: Bindings): void {
  for (const name of Object.keys(bindings)) {
    if (!kernel.bindings.some((b) => b.name === name))
      fault('extra-binding', `kernel '${kernel.name}' has no binding '${name}'`)
  }
  for (const b of kernel.bindings) check(kernel, b, bindings[b.name])
}

function check(kernel: Kernel, b: Binding, given: Uint8Array | BoundTexture | undefined): void {
  if (given === undefined) {
    fault('missing-binding', `kernel '${kernel.name}' was given nothing for '${b.name}'`)
    return
  }
  const isBuffer = given instanceof Uint8Array
  if (isBuffer === (b.kind === 'texture')) {
    fault('binding-type', `'${b.name}' of type ${spell(b.type)} was given a ${isBuffer ? 'buffer' : 'texture'}`)
    return
  }
  if (!isBuffer) return
  if (given.byteOffset % 4 !== 0)
    fault('binding-size', `the bytes of '${b.name}' begin at offset ${given.byteOffset}, which is no multiple of 4`)
  const least = sizeOf(b.type)
  if (given.byteLength < least)
    fault('binding-size', `'${b.name}' of type ${spell(b.type)} needs ${least} bytes, ${given.byteLength} were given`)
}

/** The number of elements that the host sees in a binding. */
export function lengthOf(b: Binding, bytes: Uint8Array): number {
  if (typeof b.type !== 'string' && b.type.kind === 'array' && typeof b.type.count === 'number') return b.type.count
  const { fixed, stride } = runtimePart(b.type)
  return Math.floor((bytes.byteLength - fixed) / stride)
}

/** The value that generated code knows as `b0f` and the like. */
export function boundValue(b: Binding, given: Uint8Array | BoundTexture, what: BoundPart): unknown {
  if (!(given instanceof Uint8Array)) {
    const dimension = typeof b.type !== 'string' && b.type.kind === 'texture' ? b.type.dimension : '2d'
    return (
      bindTexture(given, dimension) ??
      fault('binding-type', `'${b.name}' has the texture format '${given.format}', which the interpreter does not know`)
    )
  }
  const { buffer, byteOffset, byteLength } = given
  const words = Math.floor(byteLength / 4)
  switch (what) {
    case 'f':
      return new Float32Array(buffer, byteOffset, words)
    case 'i':
      return new Int32Array(buffer, byteOffset, words)
    case 'u':
      return new Uint32Array(buffer, byteOffset, words)
    case 'h':
      return new Uint16Array(buffer, byteOffset, Math.floor(byteLength / 2))
    case 's':
      return new Int8Array(buffer, byteOffset, byteLength)
    case 'c':
      return given
    case 'z':
      return byteLength
    case 'n':
      return lengthOf(b, given)
    case 't':
      return fault('binding-type', `'${b.name}' is no texture`)
  }
}
