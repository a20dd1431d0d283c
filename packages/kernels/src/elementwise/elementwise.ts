import {
  type AnyExpr,
  ceilDiv,
  d,
  type Expr,
  type HostNumber,
  inout,
  input,
  type KernelDecl,
  kernel,
  output,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import {
  cellsOf,
  type Element,
  type Loaded,
  load,
  overCells,
  SCHEMAS,
  SINGLE,
  type Stored,
  store,
  WORKGROUP,
} from './cells'
import { placesOf, stridedParams } from './place'

/**
 * Kernels that compute each element of their output from the elements of their inputs at the same place, fused: one
 * function of the DSL becomes one kernel that reads every input once and writes the output once.
 *
 *     const gated = elementwise('gated', (x, gate) => x.mul(fn.max(gate, 0)))
 *     const leaky = elementwise('leaky', { params: { slope: 'f32' } }, (x, { slope }) => fn.max(x, x.mul(slope)))
 */

export type { Element } from './cells'

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
  const names = { in: inputNames(ins.length), out: outputNames(outs.length) }
  const cells = strided ? SINGLE : cellsOf([...ins, ...outs])
  // a word of which one half belongs to somebody else is read before it is written
  const written = cells.lanes === 1 ? output : inout
  const own = Object.fromEntries(Object.entries(options.params ?? {}).map(([param, type]) => [param, SCHEMAS[type]]))
  const bindings = Object.fromEntries([
    ...ins.map((element, i) => [names.in[i], input(d.arrayOf(cells.schema(element)))]),
    ...outs.map((element, i) => [names.out[i], written(d.arrayOf(cells.schema(element)))]),
  ])
  const decl = {
    workgroupSize: [WORKGROUP],
    bindings,
    params: { n: d.u32, ...(strided ? stridedParams(names.in) : {}), ...own },
    workgroups: ({ n }: { readonly n: HostNumber }) => [ceilDiv(n, WORKGROUP * cells.lanes * cells.several)],
    aliases: strided || ins[0] !== outs[0] ? [] : [[names.in[0], names.out[0]]],
    ...(options.doc === undefined ? {} : { doc: options.doc }),
  } as unknown as KernelDecl<Record<never, never>, Record<never, never>, Record<never, never>>
  return kernel(name, decl, (view, k) => {
    const all = view as unknown as Readonly<Record<string, unknown>>
    const n = all.n as Expr<'u32'>
    const inputs = names.in.map((input) => all[input] as Loaded)
    const outputs = names.out.map((output) => all[output] as Stored)
    const compute = (index: Expr<'u32'>, elements: readonly unknown[]): readonly unknown[] =>
      [f(...elements, { ...all, index })].flat()
    if (!strided) {
      overCells(k, { n, cells, ins, outs, names: names.in, inputs, outputs, compute })
      return
    }
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => {
      const places = placesOf(k, all, names.in, i)
      const elements = inputs.map((input, at) => load(ins[at] as Element, input.at(places[at] as Expr<'u32'>)))
      compute(i, elements).forEach((value, at) => {
        outputs[at]?.at(i).set(store(outs[at] as Element, value))
      })
    })
  })
}
