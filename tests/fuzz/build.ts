/** From a gene to a parity case: a kernel, inputs that follow from the gene, and room for everything that it computes. */
import { type Builder, d, func, inout, input, kernel, output, ptr, u32 } from '@weft/dsl'
import { laneCount } from '@weft/dsl/ir'
import type { ParityCase } from '../parity/case.js'
import { unset } from '../parity/data.js'
import { expression } from './expressions.js'
import type { KernelGene } from './gene.js'
import { call, type FuzzType, type Loose, loose, type Memory, type Named, type Place } from './scope.js'
import { block } from './statements.js'

const LENGTHS = { us: 7, is: 5, fs: 6 } as const
const COUNTERS = ['add', 'max', 'min', 'or', 'xor'] as const

type Views = Readonly<Record<string, Loose>>

function emptyPlace(k: Builder, zero: () => Loose): Place {
  let names = 0
  return {
    k,
    zero,
    names: [],
    arrays: [],
    structs: [],
    functions: [],
    memory: null,
    uniform: false,
    around: 'none',
    inLoop: false,
    inFunction: false,
    rounds: 1,
    // few names, so that they are used again
    name: (stem) => `${stem}${names++ % 3}`,
  }
}

/** A function of its gene: of a value, or of a value and a pointer. */
function makeFunction(
  gene: KernelGene['functions'][number],
  n: number,
  earlier: Place['functions'],
): Place['functions'][number] {
  const fill = (k: Builder, x: Loose, p: Loose | null): Loose => {
    const variable: Named[] = p ? [{ type: 'u32', read: () => p, set: (v) => p.set(v) }] : []
    const place: Place = {
      ...emptyPlace(k, () => call(x, 'bitXor', x)),
      names: [{ type: 'u32', read: () => x }, ...variable],
      functions: earlier,
      inFunction: true,
    }
    return expression(block(place, gene.body), gene.result, 'u32')
  }
  if (gene.leaf % 2) {
    const f = func(`f${n}(x)`, [u32], (x, k) => fill(k, loose(x), null) as never)
    return (k, x) => loose(k.call(f as never, x as never))
  }
  const f = func(`g${n}(p, x)`, [ptr('function', u32), u32], (p, x, k) => fill(k, loose(x), loose(p)) as never)
  return (k, x) => {
    const local = k.var('through', u32(n))
    const result = loose(f(local as never, x as never))
    return call(result, 'add', local)
  }
}

function memoryOf(k: Builder, views: Views, size: number): Memory {
  const tile = (type: FuzzType, schema: unknown): Memory['tiles'][number] => ({
    type,
    ref: loose(k.workgroup(`tile_${type}`, schema as never, size)),
  })
  const local = k.workgroup('local', d.arrayOf(d.atomic(d.u32), COUNTERS.length))
  return {
    size,
    localIndex: loose(k.localIndex),
    globalIndex: loose(k.globalIndex),
    uniformValue: () => call(views.uniform as Loose, 'add', k.workgroupId.x),
    tiles: [tile('u32', d.u32), tile('f32', d.f32), tile('vec3i', d.vec3i)],
    counters: COUNTERS.flatMap((op, i) => [
      { op, ref: loose((views.counters as Loose).at(i)) },
      { op, ref: loose(local.at(i)) },
    ]),
    inputs: [
      { type: 'u32', ref: views.us as Loose, length: LENGTHS.us },
      { type: 'i32', ref: views.is as Loose, length: LENGTHS.is },
      { type: 'f32', ref: views.fs as Loose, length: LENGTHS.fs },
    ],
  }
}

/** The words and floats that each invocation writes, in order. */
interface Slots {
  words: number
  floats: number
}

function writeAll(place: Place, views: Views, slots: Slots): void {
  const m = place.memory as Memory
  place.k.workgroupBarrier()
  const values = place.names.flatMap((n) => lanesOf(n.type, n.read()))
  const local = m.counters.filter((_, i) => i % 2 === 1).map((c) => call(c.ref, 'load'))
  const words = [...values.filter((v) => v.type !== 'f32').map((v) => loose(u32(v))), ...local]
  const floats = values.filter((v) => v.type === 'f32')
  slots.words = words.length
  slots.floats = Math.max(1, floats.length)
  words.forEach(
    (w, i) => void (views.words as Loose).at(call(call(m.globalIndex, 'mul', slots.words), 'add', i)).set(w),
  )
  floats.forEach(
    (f, i) => void (views.floats as Loose).at(call(call(m.globalIndex, 'mul', slots.floats), 'add', i)).set(f),
  )
  if (floats.length === 0) (views.floats as Loose).at(m.globalIndex).set(loose(0.5))
}

const lanesOf = (type: FuzzType, value: Loose): Loose[] =>
  laneCount(type) === 1 ? [value] : Array.from({ length: laneCount(type) }, (_, i) => value.at(i))

export function caseOf(gene: KernelGene, name: string): ParityCase {
  const size = 1 << gene.size
  const slots: Slots = { words: 0, floats: 0 }
  const source = kernel(
    'fuzz',
    {
      workgroupSize: [size],
      bindings: {
        us: input(d.arrayOf(d.u32)),
        is: input(d.arrayOf(d.i32)),
        fs: input(d.arrayOf(d.f32)),
        own: inout(d.arrayOf(d.u32)),
        counters: inout(d.arrayOf(d.atomic(d.u32))),
        words: output(d.arrayOf(d.u32)),
        floats: output(d.arrayOf(d.f32)),
      },
      params: { zero: d.u32, uniform: d.u32 },
      workgroups: () => [gene.groups],
      guards: 'off',
    },
    (given, k) => {
      const views = given as unknown as Views
      const functions: Place['functions'][number][] = []
      gene.functions.forEach((f, n) => void functions.push(makeFunction(f, n, [...functions])))
      const memory = memoryOf(k, views, size)
      const own = (): Loose => (views.own as Loose).at(memory.globalIndex)
      const place: Place = {
        ...emptyPlace(k, () => views.zero as Loose),
        memory,
        functions,
        uniform: true,
        names: [{ type: 'u32', read: own, set: (v) => own().set(v) }],
      }
      writeAll(block(place, gene.body), views, slots)
    },
  )
  source.ir()
  const n = size * gene.groups
  return {
    name,
    kernel: source,
    params: { zero: 0, uniform: gene.data % 5 },
    bindings: { ...inputsOf(gene, n), words: unset(n * slots.words + 2), floats: unset(n * slots.floats + 2) },
    tolerance: {
      kind: 'near',
      abs: 0,
      rel: 0,
      because: 'zeros have no sign in the specification; everything else is compared by bits',
    },
  }
}

const EDGES = [0, 1, 2, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x55555555]

function inputsOf(gene: KernelGene, n: number): ParityCase['bindings'] {
  let state = gene.data
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
  const word = (): number =>
    next() % 3 === 0 ? (EDGES[next() % EDGES.length] as number) : next() % 2 ? next() % 20 : next()
  return {
    us: Uint32Array.from({ length: LENGTHS.us }, word),
    is: Int32Array.from({ length: LENGTHS.is }, word),
    fs: Float32Array.from({ length: LENGTHS.fs }, () => (((next() >>> 8) % 8192) - 4096) / 16),
    own: Uint32Array.from({ length: n }, word),
    counters: Uint32Array.from(COUNTERS, word),
  }
}
