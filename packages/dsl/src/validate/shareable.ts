import type { Binding } from '../ir'
import {
  type ArrayType,
  alignOf,
  isKind,
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
  for (const p of context.kernel.params) new Shared(`param '${p.name}'`, 'param', context).has(p.type, true)
}

function checkBinding({ name, kind, access, type }: Binding, context: Context): void {
  const what = `binding '${name}'`
  const texture = isKind(type, 'texture')
  if (texture !== (kind === 'texture'))
    context.report('bad-type', `${what} of kind ${kind} cannot have the type ${spell(type)}`)
  else if (kind === 'uniform' && access !== 'read')
    context.report('binding-access', `'${name}' is a uniform buffer and cannot be written`)
  else if (!texture && !isKind(type, 'buffer')) {
    const use = kind === 'uniform' ? 'uniform' : access === 'read' ? 'read' : 'storage'
    if (!new Shared(what, use, context).has(type, true) || use !== 'uniform') return
    context.deviceLimit('bad-type', `uniform ${what} has`, sizeOf(type), ' bytes', 'maxUniformBufferBindingSize')
  }
}

/**
 * What holds the type that is looked at, and its use. `storage` is memory that the shader writes: atomics are allowed only
 * there, arrays without a length in both. In uniform buffers, as far as all engines agree, elements are 16 bytes apart and
 * nested structs padded to 16.
 */
class Shared {
  constructor(
    private readonly what: string,
    private readonly use: 'param' | 'uniform' | 'read' | 'storage',
    private readonly context: Context,
  ) {}

  private refuse(type: Type, why: string, note?: string): false {
    this.context.report('not-host-shareable', `${this.what} holds ${spell(type)}${why}`, undefined, note)
    return false
  }

  /** Whether it may hold `type`. `last`: where an array without a length may stand. */
  has(type: Type, last: boolean): boolean {
    if (isValue(type) && scalarOf(type) !== 'bool') return true
    if (isKind(type, 'struct')) return this.struct(type, last)
    if (isKind(type, 'array')) return this.array(type, last)
    if (!isKind(type, 'atomic'))
      return this.refuse(type, ', which has no layout in memory', isValue(type) ? 'use u32, with 0 and 1' : undefined)
    return this.use === 'storage' || this.refuse(type, ', which must be in storage that is read and written')
  }

  private struct(type: StructType, last: boolean): boolean {
    const { fields } = type
    const most = WGSL_LIMITS.structMembers
    if (fields.length === 0) return this.refuse(type, ', which has no members')
    if (fields.length > most) return this.refuse(type, `, which has more than ${most} members`)
    return (
      fields.every((f, i) => this.has(f.type, last && i === fields.length - 1) && this.attributes(f)) &&
      (this.use !== 'uniform' || this.padded(type))
    )
  }

  private attributes({ type, align, size }: StructType['fields'][number]): boolean {
    if (align !== undefined && (align <= 0 || (align & (align - 1)) !== 0 || align % alignOf(type) !== 0))
      return this.refuse(type, ` with an alignment of ${align}, which is no power of two or less than its own`)
    return size === undefined || size >= sizeOf(type) || this.refuse(type, ` with a size of ${size}, less than its own`)
  }

  private array(type: ArrayType, last: boolean): boolean {
    const { of, count } = type
    if (!this.has(of, false)) return false
    if (count === null) {
      if (this.use === 'uniform' || this.use === 'param')
        return this.refuse(type, ': an array without a length must be in storage')
      return last || this.refuse(type, ', which must be the last member and in no other array')
    }
    if (typeof count !== 'number') return this.refuse(type, ': only workgroup arrays are sized by an override')
    if (!Number.isInteger(count) || count <= 0) return this.refuse(type, ', which has no elements')
    const stride = this.use === 'uniform' ? strideOf(of) : 0
    return stride % 16 === 0 || this.refuse(type, `, whose elements are ${stride} bytes apart${MULTIPLE}`, VECTORS)
  }

  private padded(type: StructType): boolean {
    return membersOf(type).every((m, i, all) => {
      const next = all[i + 1]
      if (isValue(m.type)) return true
      if (m.offset % 16 !== 0)
        return this.refuse(type, `, whose member '${m.name}' is at ${m.offset}${MULTIPLE}`, VECTORS)
      if (!next || next.offset - m.offset >= Math.ceil(m.size / 16) * 16) return true
      return this.refuse(type, `, whose member '${next.name}' follows '${m.name}' without padding to 16 bytes`, VECTORS)
    })
  }
}

const MULTIPLE = ': uniform buffers need a multiple of 16'
const VECTORS = 'use elements of 16 bytes, as vec4f, or a storage binding'
