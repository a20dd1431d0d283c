import { type Expr, membersOf, type Place, type ScalarName, scalarBytes, type Type } from '@weft/dsl/ir'
import { type Frame, isAtom } from './frame'
import { clampedIndex, isWithin, runtimeCount, unsigned, viewOffset } from './indices'
import { halves } from './ops'
import type { BoundPart } from './program'
import { bytesOf, elementsOf, type Lane, lanesOf } from './shape'

/**
 * Access to memory, all of it: whoever wants to watch reads and writes does so here.
 *
 * An index out of range reads the last element (so does Tint's code; a negative one is a large u32), and writes
 * nothing. Neither ever touches anything else.
 */

/** An index out of range of a binding. WGSL allows it; a kernel mostly does not mean it. */
export interface OutOfRange {
  readonly kernel: string
  /** Which of the kernel's variants. */
  readonly variant: string
  readonly binding: string
  readonly does: 'read' | 'write'
  readonly index: number
  /** How many elements there are. */
  readonly length: number
  /** The author's call, as the IR numbers them; −1 where it is none. */
  readonly at: number
}

/** A place in bytes: what it lies in, a sum of indices times strides, and what must hold for a store to happen. */
export interface Address {
  readonly view: (part: BoundPart) => string
  readonly type: Type
  readonly terms: readonly { readonly code: string; readonly bytes: number }[]
  readonly offset: number
  readonly guards: readonly string[]
}

export type Intent = 'read' | 'write'

const VIEW: { readonly [S in ScalarName]: BoundPart } = { bool: 'u', f16: 'h', f32: 'f', i32: 'i', u32: 'u' }

/** Names of typed arrays over one buffer, for memory that belongs to the module. */
const CONSTRUCTORS: { readonly [K in BoundPart]?: string } = {
  f: 'Float32Array',
  i: 'Int32Array',
  u: 'Uint32Array',
  h: 'Uint16Array',
  s: 'Int8Array',
  c: 'Uint8Array',
}

export function addressOf(frame: Frame, place: Place, intent: Intent): Address {
  const base = rootAddress(frame, place)
  let { type, offset } = base
  const terms = [...base.terms]
  const guards: string[] = []
  for (const step of place.steps) {
    if (step.kind === 'member') {
      const member =
        typeof type !== 'string' && type.kind === 'struct'
          ? membersOf(type).find((m) => m.name === step.name)
          : undefined
      if (!member) throw new RangeError(`no member '${step.name}'`)
      offset += member.offset
      type = member.type
      continue
    }
    const { count, stride, of } = elementsOf(type)
    const limit = count === null ? runtimeCount(frame, place) : String(count)
    const { code, guard } = indexInto(frame, place, step.index, limit, intent)
    if (guard) guards.push(guard)
    if (/^\d+$/.test(code)) offset += Number(code) * stride
    else terms.push({ code, bytes: stride })
    type = of
  }
  return { view: base.view, type, terms, offset, guards }
}

function rootAddress(frame: Frame, place: Place): Omit<Address, 'guards'> {
  const { root } = place
  const { program } = frame
  switch (root.kind) {
    case 'binding':
      return {
        view: (part) => frame.use(program.bound(root.name, part)),
        type: program.binding(root.name).binding.type,
        terms: [],
        offset: 0,
      }
    case 'view': {
      const offset = viewOffset(frame, root)
      return {
        view: (part) => frame.use(program.bound(root.name, part)),
        type: root.type,
        terms: [{ code: offset, bytes: 1 }],
        offset: 0,
      }
    }
    case 'variable':
      return variableAddress(frame, root.id)
    case 'pointer':
      throw new RangeError(`pointer '${root.name}' outside of its function`)
  }
}

/** Memory of a variable: that of the workgroup, or of each invocation where it outlives a segment. */
function variableAddress(frame: Frame, id: number): Omit<Address, 'guards'> {
  const { program } = frame
  const storage = program.storage(id)
  const bytes = Math.ceil(bytesOf(storage.type) / 16) * 16
  const each = storage.held === 'memory' && program.spills.variables.has(id)
  const buffer = program.declare(`m${id}`, `new ArrayBuffer(${bytes * (each ? program.unit.count : 1)})`)
  const view = (part: BoundPart): string =>
    frame.use(program.declare(`${buffer}${part}`, `new ${CONSTRUCTORS[part]}($${buffer})`))
  const terms = each && frame.level !== 'workgroup' ? [{ code: 'li', bytes }] : []
  return { view, type: storage.type, terms, offset: 0 }
}

/** An index as an unsigned number, with what must hold for it to be in range. */
function indexInto(
  frame: Frame,
  { root }: Place,
  index: Expr,
  limit: string,
  intent: Intent,
): { code: string; guard: string | null } {
  if (index.kind === 'const' && /^\d+$/.test(limit)) {
    const i = (index.lanes[0] ?? 0) >>> 0
    if (i < Number(limit)) return { code: String(i), guard: null }
    return { code: String(Number(limit) - 1), guard: 'false' }
  }
  if (isWithin(frame, index, limit)) return { code: unsigned(frame, index), guard: null }
  if (frame.program.watch && (root.kind === 'binding' || root.kind === 'view'))
    watched(frame, root.name, index, limit, intent)
  if (intent === 'read') return { code: frame.atom(clampedIndex(frame, index, limit)), guard: null }
  const i = unsigned(frame, index)
  return { code: i, guard: `${i} < ${limit}` }
}

/** Tells the watcher, where there is one, before anything is read or written. */
function watched(frame: Frame, binding: string, index: Expr, limit: string, does: Intent): void {
  const { program } = frame
  const i = unsigned(frame, index)
  const given = index.type === 'i32' ? `${i} | 0` : i
  const tell = program.helper('outOfRange', program.outOfRange)
  frame.line(`if (${i} >= ${limit}) ${tell}(${JSON.stringify(binding)}, '${does}', ${given}, ${limit}, ${program.at});`)
}

const scaled = (code: string, factor: number): string => {
  if (factor === 1) return code
  const shift = Math.log2(factor)
  return Number.isInteger(shift) ? `(${code} << ${shift})` : `Math.imul(${code}, ${factor})`
}

/** The index of lanes of one scalar type in their view, as a function of the byte offset of a lane. */
function indexer(frame: Frame, address: Address, scalar: ScalarName): (offset: number) => string {
  const bytes = scalarBytes(scalar)
  const shift = Math.log2(bytes)
  const parts = address.terms.map((t) =>
    t.bytes % bytes === 0 ? scaled(t.code, t.bytes / bytes) : `(${t.code} >>> ${shift})`,
  )
  if (parts.length === 0) return (offset) => String((address.offset + offset) / bytes)
  const base = parts.length === 1 && isAtom(parts[0] as string) ? (parts[0] as string) : frame.atom(parts.join(' + '))
  return (offset) => {
    const constant = (address.offset + offset) / bytes
    return constant === 0 ? base : `${base} + ${constant}`
  }
}

/** For each lane of `type` at `address`, its element of a typed array. */
export function elements(frame: Frame, address: Address, type: Type): readonly (Lane & { readonly code: string })[] {
  const indexers = new Map<string, (offset: number) => string>()
  return lanesOf(type).map((lane) => {
    const { scalar, offset } = lane
    const size = String(scalarBytes(scalar))
    const at = indexers.get(size) ?? indexer(frame, address, scalar)
    indexers.set(size, at)
    return { ...lane, code: `${address.view(VIEW[scalar])}[${at(offset)}]` }
  })
}

/** The lanes of what is at a place. */
export function loadLanes(frame: Frame, place: Place): readonly string[] {
  return elements(frame, addressOf(frame, place, 'read'), place.type).map(({ scalar, code }) => {
    if (scalar === 'f16') return `${halves(frame).table}[${code}]`
    return scalar === 'bool' ? `${code} !== 0` : code
  })
}

/** Stores lanes at a place, unless an index is out of range. */
export function storeLanes(frame: Frame, place: Place, lanes: readonly string[]): void {
  const address = addressOf(frame, place, 'write')
  guarded(frame, address, () => {
    elements(frame, address, place.type).forEach(({ scalar, code }, i) => {
      frame.line(`${code} = ${stored(frame, scalar, lanes[i] as string)};`)
    })
  })
}

function stored(frame: Frame, scalar: ScalarName, lane: string): string {
  if (scalar === 'f16') return `${halves(frame).bits}(${lane})`
  return scalar === 'bool' ? `${lane} ? 1 : 0` : lane
}

export function guarded(frame: Frame, address: Address, body: () => void): void {
  if (address.guards.length === 0) body()
  else frame.block(`if (${address.guards.join(' && ')}) {`, body)
}
