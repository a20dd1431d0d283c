import {
  type AnyExpr,
  type Builder,
  ceilDiv,
  d,
  type Expr,
  f16,
  f32,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { placesOf, stridedParams } from './place'

/**
 * Kernels that compute each element of their output from the elements of their inputs at the same place, fused: one
 * function of the DSL becomes one kernel that reads every input once and writes the output once.
 *
 *     const gated = elementwise('gated', (x, gate) => x.mul(fn.max(gate, 0)))
 *     const leaky = elementwise('leaky', { params: { slope: 'f32' } }, (x, { slope }) => fn.max(x, x.mul(slope)))
 */

/** What a buffer holds. Of f16 the function sees f32, rounded when it is stored; a bool is a u32: 0, or anything else. */
export type Element = 'f32' | 'f16' | 'i32' | 'u32' | 'bool'

/** What the function sees of an element. */
export type Seen<E extends Element> = E extends 'i32' | 'u32' | 'bool' ? Expr<E> : Expr<'f32'>

type Scalar = 'f32' | 'i32' | 'u32'
type Params = Readonly<Record<string, Scalar>>
type Inputs<In extends readonly Element[]> = { [I in keyof In]: Seen<In[I]> }
type Given<P extends Params> = { readonly [N in keyof P]: Expr<P[N]> } & {
  /** The number of the element in the output. */
  readonly index: Expr<'u32'>
}
/** One value, or a list of them in the order of the outputs. */
type Results<Out extends Element | readonly Element[]> = Out extends Element ? Seen<Out> : readonly AnyExpr[]

export interface ElementwiseOptions<
  In extends readonly Element[],
  Out extends Element | readonly Element[],
  P extends Params,
> {
  /** What the inputs hold; f32 for each argument of the function when left out. */
  readonly in?: In
  /** What the output holds, or the outputs, when the function gives several values; f32 when left out. */
  readonly out?: Out
  /** Values that are the same for all elements. The function takes them by name after its inputs. */
  readonly params?: P
  /**
   * `flat`: inputs and output have the same shape and lie without gaps. `strided`: any input has strides of its own, with
   * 0 where it is broadcast, over at most `MAX_RANK` axes. The output lies without gaps.
   */
  readonly layout?: 'flat' | 'strided'
  /** The formula. */
  readonly doc?: string
}

/** The names of the bindings: inputs first, then outputs. With one output it is `out`. */
const INPUTS = ['x', 'y', 'z', 'w', 'v', 'u', 't'] as const
export const inputNames = (n: number): readonly string[] => INPUTS.slice(0, n)
export const outputNames = (n: number): readonly string[] =>
  n === 1 ? ['out'] : Array.from({ length: n }, (_, i) => `out${i}`)

const SCHEMAS = { f32: d.f32, f16: d.f16, i32: d.i32, u32: d.u32, bool: d.u32 } as const

interface Loaded {
  at(i: Expr<'u32'>): Expr<'f32'>
}
interface Stored {
  at(i: Expr<'u32'>): { set(value: unknown): void }
}

const load = (element: Element, value: Expr<'f32'>): unknown =>
  element === 'f16' ? f32(value) : element === 'bool' ? value.ne(0) : value

const store = (element: Element, value: unknown): unknown =>
  element === 'f16' ? f16(value as Expr<'f32'>) : element === 'bool' ? u32(value as Expr<'bool'>) : value

const WORKGROUP = 256
/**
 * Elements of an invocation of a flat kernel, twice as many of f16; neighbours take neighbours. On an H200, gelu over 128 M f32, as a
 * share of copy bandwidth: 1 element 0.54, 4 0.87, 8 0.97, 16 0.94; 4 elements, each behind a test of its own, 0.74; `vec4f` 0.97.
 */
const SEVERAL = 8

/** Eight storage buffers are what every device can bind. */
const BUFFERS = 8

function checkCounts(name: string, ins: number, outs: number): void {
  if (ins <= INPUTS.length && ins + outs <= BUFFERS) return
  const got = `${ins} inputs and ${outs} output${outs === 1 ? '' : 's'}`
  throw new RangeError(
    `${name}: at most ${INPUTS.length} inputs and ${BUFFERS} buffers, got ${got}; make two kernels of it`,
  )
}

/** A kernel that computes `f` of every element. It takes `n` elements, shapes by their strides, and the params of `f`. */
export function elementwise<F extends (...inputs: Expr<'f32'>[]) => Expr<'f32'>>(name: string, f: F): KernelSource
export function elementwise<
  const In extends readonly Element[] = readonly 'f32'[],
  const Out extends Element | readonly Element[] = 'f32',
  const P extends Params = Record<never, never>,
>(
  name: string,
  options: ElementwiseOptions<In, Out, P>,
  f: (...args: [...Inputs<In>, Given<P>]) => Results<Out>,
): KernelSource
export function elementwise(name: string, ...rest: readonly unknown[]): KernelSource {
  const f = rest.at(-1) as (...args: unknown[]) => unknown
  const options = (rest.length > 1 ? rest[0] : {}) as ElementwiseOptions<Element[], Element | Element[], Params>
  const ins = options.in ?? new Array<Element>(f.length - (rest.length > 1 && options.params ? 1 : 0)).fill('f32')
  const outs = [options.out ?? 'f32'].flat() as Element[]
  checkCounts(name, ins.length, outs.length)
  const strided = options.layout === 'strided'
  const several = strided ? 1 : [...ins, ...outs].includes('f16') ? 2 * SEVERAL : SEVERAL
  const names = { in: inputNames(ins.length), out: outputNames(outs.length) }
  const own = Object.fromEntries(Object.entries(options.params ?? {}).map(([param, type]) => [param, SCHEMAS[type]]))
  const bindings = Object.fromEntries([
    ...ins.map((element, i) => [names.in[i], input(d.arrayOf(SCHEMAS[element]))]),
    ...outs.map((element, i) => [names.out[i], output(d.arrayOf(SCHEMAS[element]))]),
  ])
  const decl = {
    workgroupSize: [WORKGROUP],
    bindings,
    params: { n: d.u32, ...(strided ? stridedParams(names.in) : {}), ...own },
    workgroups: ({ n }: { readonly n: HostNumber }) => [ceilDiv(n, WORKGROUP * several)],
    aliases: strided || ins[0] !== outs[0] ? [] : [[names.in[0], names.out[0]]],
    ...(options.doc === undefined ? {} : { doc: options.doc }),
  } as unknown as KernelDecl<Record<never, never>, Record<never, never>, Record<never, never>>
  return kernel(name, decl, (view, k) => {
    const all = view as unknown as Readonly<Record<string, unknown>>
    const n = all.n as Expr<'u32'>
    const inputs = names.in.map((input) => all[input] as Loaded)
    const write = (i: Expr<'u32'>, elements: readonly Expr<'f32'>[]): void => {
      const values = elements.map((value, at) => load(ins[at] as Element, value))
      const results = [f(...values, { ...all, index: i })].flat()
      outs.forEach((element, at) => {
        const out = all[names.out[at] as string] as Stored
        out.at(i).set(store(element, results[at]))
      })
    }
    if (strided) {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const places = placesOf(k, all, names.in, i)
        write(
          i,
          inputs.map((input, at) => input.at(places[at] as Expr<'u32'>)),
        )
      })
      return
    }
    const first = k.let('first', u32`${k.workgroupIndex} * ${WORKGROUP * several} + ${k.localIndex}`)
    k.if(
      first.add((several - 1) * WORKGROUP).lt(n),
      () => atOnce(k, { first, several, ins, names: names.in, inputs, write }),
      () =>
        k.range('i', first, n, WORKGROUP, (i) =>
          write(
            i,
            inputs.map((input) => input.at(i)),
          ),
        ),
    )
  })
}

interface Block {
  readonly first: Expr<'u32'>
  readonly several: number
  readonly ins: readonly Element[]
  readonly names: readonly string[]
  readonly inputs: readonly Loaded[]
  readonly write: (i: Expr<'u32'>, elements: readonly Expr<'f32'>[]) => void
}

/** Reads all elements of an invocation before it writes the first one, so that all are in flight together. */
function atOnce(k: Builder, { first, several, ins, names, inputs, write }: Block): void {
  const held = ins.map((element, at) =>
    k.var(`${names[at]}_held`, d.arrayOf(SCHEMAS[element] as typeof d.f32, several)),
  )
  if (ins.length > 0)
    k.range('j', 0, several, (j) => {
      const i = k.let('i', first.add(j.mul(WORKGROUP)))
      held.forEach((values, at) => {
        values.at(j).set((inputs[at] as Loaded).at(i))
      })
    })
  k.range('j', 0, several, (j) => {
    write(
      k.let('i', first.add(j.mul(WORKGROUP))),
      held.map((values) => values.at(j)),
    )
  })
}
