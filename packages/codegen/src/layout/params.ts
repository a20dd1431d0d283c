import {
  type Expr,
  type Field,
  factsOf,
  isValueName,
  type Kernel,
  membersOf,
  roundUp,
  scalarOf,
  sizeOf,
  spell,
  strideOf,
  type Type,
  type ValueName,
  WeftError,
} from '@weft/dsl/ir'
import type { ParamsLayout } from '../artifact'
import { foldExpr } from '../passes/fold'
import { lanesOf, opOf } from '../passes/nodes'
import type { Rewriting } from '../passes/rewrite'

/**
 * The layout of the params. Those of the types of values are laid out as WGSL does it. Arrays in uniform memory have a
 * stride of 16 bytes unless the language feature `uniform_buffer_standard_layout` is there, so four scalars go into one
 * vec4 and are read from it; elements of two lanes are padded. `size / count` of a field is the stride of its elements.
 */
export function paramsLayout(kernel: Kernel): ParamsLayout | null {
  if (kernel.params.length === 0) return null
  const members = membersOf({ fields: kernel.params.map(uniformField) })
  const end = members.reduce((most, m) => Math.max(most, m.offset + m.size), 0)
  return {
    size: roundUp(16, end),
    fields: members.map((m, i) => {
      const { type } = kernel.params[i] as Field
      return { name: m.name, type: spell(type), offset: m.offset, size: fieldSize(type, m.size) }
    }),
  }
}

/** Bytes of a field as the host sees it: without the rest of the last vec4. */
function fieldSize(type: Type, size: number): number {
  const packing = packingOf(type)
  return packing?.kind === 'scalars' ? sizeOf(type) : size
}

/** The most bytes of immediates that every device with immediates has. */
const IMMEDIATE_BYTES = 64

/** Whether the params can be immediates: no arrays, no f16 (naga), no more than 64 bytes. */
export const fitsImmediates = (kernel: Kernel, layout = paramsLayout(kernel)): boolean =>
  layout !== null &&
  layout.size <= IMMEDIATE_BYTES &&
  kernel.params.every((p) => isValueName(p.type) && scalarOf(p.type) !== 'f16' && scalarOf(p.type) !== 'bool')

// Arrays.

interface Packing {
  /** `scalars`: four to a vec4; `padded`: two lanes of a vec4. */
  readonly kind: 'scalars' | 'padded'
  readonly vec4: ValueName
  readonly count: number
}

function packingOf(type: Type): Packing | null {
  if (typeof type === 'string' || type.kind !== 'array' || typeof type.count !== 'number' || !isValueName(type.of))
    return null
  const { scalar, rows, cols } = factsOf(type.of)
  if (cols > 1 || rows > 2 || scalar === 'f16' || scalar === 'bool') return null
  const vec4 = `vec4${scalar[0]}` as ValueName
  return { kind: rows === 1 ? 'scalars' : 'padded', vec4, count: type.count }
}

const uniformType = ({ kind, vec4, count }: Packing): Type => ({
  kind: 'array',
  of: vec4,
  count: kind === 'scalars' ? Math.ceil(count / 4) : count,
})

/** A field of the params as it stands in the uniform block. */
function uniformField(field: Field): Field {
  const { type } = field
  if (typeof type === 'string') return field
  const packing = packingOf(type)
  if (packing) return { ...field, type: uniformType(packing) }
  if (type.kind === 'array' && strideOf(type.of) % 16 !== 0) {
    throw new WeftError({
      code: 'bad-type',
      message: `param '${field.name}' of type ${spell(type)} has elements of ${strideOf(type.of)} bytes, which uniform memory cannot hold`,
      note: 'use elements of 4, 8 or 16 bytes, or an input binding',
    })
  }
  return field
}

/** Params become what stands in the uniform block. */
export function lowerParamArrays(walk: Rewriting): void {
  const { kernel } = walk
  if (kernel.params.every((p) => typeof p.type === 'string')) return
  const rule = (e: Expr): Expr => {
    if (e.kind !== 'index' || e.of.kind !== 'param') return e
    const packing = packingOf(e.of.type)
    if (!packing) return e
    const of: Expr = { kind: 'param', name: e.of.name, type: uniformType(packing) }
    const at = (index: Expr): Expr => ({ kind: 'index', at: e.at, type: packing.vec4, of, index })
    if (packing.kind === 'padded') return lanesOf(e.at, at(e.index), [0, 1])
    const vector = at(foldExpr(opOf(e.at, 'div', e.index, 4)))
    return { kind: 'index', at: e.at, type: e.type, of: vector, index: foldExpr(opOf(e.at, 'rem', e.index, 4)) }
  }
  walk.rules.push(rule)
  walk.kernel = { ...kernel, params: kernel.params.map(uniformField) }
}
