import type { Binding } from '../ir'
import {
  type ArrayType,
  alignOf,
  isValue,
  membersOf,
  type StructType,
  scalarOf,
  sizeOf,
  spell,
  strideOf,
  type Type,
} from '../types'
import type { Context } from './context'
import { WGSL_LIMITS } from './limits'

/** Types that host and shader share: those of bindings and params. */
export function checkShareable(context: Context): void {
  for (const b of context.kernel.bindings) checkBinding(b, context)
  for (const p of context.kernel.params) {
    const why = unshareable(p.type, 'param', true)
    if (why !== null) refuse(`param '${p.name}'`, why, context)
  }
}

const refuse = (what: string, why: string, context: Context): void =>
  context.report(
    'not-host-shareable',
    `${what} ${why}`,
    undefined,
    why.includes('bool') ? 'use u32, with 0 and 1' : undefined,
  )

function checkBinding(b: Binding, context: Context): void {
  const { type } = b
  const texture = !isValue(type) && type.kind === 'texture'
  if (texture !== (b.kind === 'texture')) {
    context.report('bad-type', `binding '${b.name}' of kind ${b.kind} cannot have the type ${spell(type)}`)
    return
  }
  if (b.kind === 'uniform' && b.access !== 'read') {
    context.report('binding-access', `'${b.name}' is a uniform buffer and cannot be written`)
    return
  }
  if (texture || (!isValue(type) && type.kind === 'buffer')) return
  const why = unshareable(type, b.kind === 'uniform' ? 'uniform' : b.access === 'read' ? 'read' : 'storage', true)
  if (why !== null) {
    refuse(`binding '${b.name}'`, why, context)
    return
  }
  if (b.kind === 'uniform') checkUniform(b, context)
}

/** `storage` is memory that the shader writes: atomics are allowed only there, arrays without a length in both. */
type Use = 'param' | 'uniform' | 'read' | 'storage'

/** Why a type cannot be shared, as the end of a sentence, or null. `last` where a runtime-sized array may stand. */
function unshareable(type: Type, use: Use, last: boolean): string | null {
  if (isValue(type)) return scalarOf(type) === 'bool' ? `holds ${type}, which has no layout in memory` : null
  switch (type.kind) {
    case 'atomic':
      return use === 'storage' ? null : `holds ${spell(type)}, which must be in storage that is read and written`
    case 'struct':
      return structFault(type, use, last)
    case 'array':
      return arrayFault(type, use, last)
    default:
      return `holds ${spell(type)}, which has no layout in memory`
  }
}

function structFault(type: StructType, use: Use, last: boolean): string | null {
  if (type.fields.length === 0) return `holds ${type.name}, which has no members`
  if (type.fields.length > WGSL_LIMITS.structMembers)
    return `holds ${type.name}, which has more than ${WGSL_LIMITS.structMembers} members`
  for (const [i, f] of type.fields.entries()) {
    const why =
      unshareable(f.type, use, last && i === type.fields.length - 1) ?? attributeFault(f.type, f.align, f.size)
    if (why !== null) return why
  }
  return null
}

function attributeFault(type: Type, align: number | undefined, size: number | undefined): string | null {
  if (align !== undefined && (align <= 0 || (align & (align - 1)) !== 0 || align % alignOf(type) !== 0)) {
    return `has an alignment of ${align}, which is not a power of two that ${spell(type)} divides`
  }
  return size !== undefined && size < sizeOf(type)
    ? `has a size of ${size}, which is less than that of ${spell(type)}`
    : null
}

function arrayFault(type: ArrayType, use: Use, last: boolean): string | null {
  const inner = unshareable(type.of, use, false)
  if (inner !== null) return inner
  if (type.count === null) {
    if (use === 'uniform' || use === 'param')
      return `holds ${spell(type)}: an array without a length must be in storage`
    return last ? null : `holds ${spell(type)}, which must be the last member and in no other array`
  }
  if (typeof type.count !== 'number') return `holds ${spell(type)}: only workgroup arrays are sized by an override`
  return Number.isInteger(type.count) && type.count > 0 ? null : `holds ${spell(type)}, which has no elements`
}

/** Uniform buffers, as far as all engines agree: elements 16 bytes apart, nested structs padded to 16. */
function checkUniform(b: Binding, context: Context): void {
  const why = uniformFault(b.type)
  if (why !== null)
    context.report(
      'not-host-shareable',
      `binding '${b.name}' ${why}`,
      undefined,
      'use elements of 16 bytes, as vec4f, or a storage binding',
    )
  const bytes = sizeOf(b.type)
  const most = context.limits.maxUniformBufferBindingSize
  if (bytes > most) context.report('bad-type', `uniform binding '${b.name}' has ${bytes} bytes, more than ${most}`)
}

function uniformFault(type: Type): string | null {
  if (isValue(type)) return null
  if (type.kind === 'array') {
    const stride = strideOf(type.of)
    return stride % 16 === 0
      ? uniformFault(type.of)
      : `holds ${spell(type)}, whose elements are ${stride} bytes apart: uniform buffers need a multiple of 16`
  }
  if (type.kind !== 'struct') return null
  const members = membersOf(type)
  for (const [i, m] of members.entries()) {
    const composite = !isValue(m.type) && (m.type.kind === 'struct' || m.type.kind === 'array')
    const next = members[i + 1]
    const inner = uniformFault(m.type)
    if (inner !== null) return inner
    if (composite && m.offset % 16 !== 0)
      return `holds ${type.name}, whose member '${m.name}' is at ${m.offset}: uniform buffers need a multiple of 16`
    if (composite && next && next.offset - m.offset < Math.ceil(m.size / 16) * 16)
      return `holds ${type.name}, whose member '${next.name}' follows '${m.name}' without padding to 16 bytes`
  }
  return null
}
