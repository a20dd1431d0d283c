import type { Expr } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Element, elementwise, type Seen } from './elementwise'

/** The dtypes and layouts in which an operation ships. Kernels of f32 have the plain name, others a suffix. */

type Params = Readonly<Record<string, 'f32' | 'i32' | 'u32'>>

interface Options {
  readonly params?: Params
  /** With a strided form beside the flat one. */
  readonly strided?: boolean
}

const suffix = (element: Element): string => (element === 'f32' ? '' : `_${element}`)

function both(
  name: string,
  element: Element,
  f: (...args: never[]) => unknown,
  options: {
    readonly in: readonly Element[]
    readonly out: Element | readonly Element[]
    readonly params?: Params | undefined
    readonly doc: string
  },
  strided: boolean,
): KernelSource[] {
  const full = `${name}${suffix(element)}`
  const layouts = strided ? (['flat', 'strided'] as const) : (['flat'] as const)
  return layouts.map((layout) =>
    elementwise(
      layout === 'flat' ? full : `${full}_strided`,
      { ...options, params: options.params ?? {}, layout } as never,
      f as never,
    ),
  )
}

/** From floats to a float, stored as f32 and as f16. */
export const floats = (
  name: string,
  doc: string,
  f: (...values: Expr<'f32'>[]) => Expr<'f32'>,
  { strided = f.length > 1 }: Options = {},
): KernelSource[] =>
  (['f32', 'f16'] as const).flatMap((element) =>
    both(name, element, f as never, { in: new Array<Element>(f.length).fill(element), out: element, doc }, strided),
  )

type Given<P extends Params> = { readonly [N in keyof P]: Expr<P[N]> } & { readonly index: Expr<'u32'> }

const halves = (name: string, doc: string, params: Params, inputs: number, f: unknown): KernelSource[] =>
  (['f32', 'f16'] as const).flatMap((element) =>
    both(name, element, f as never, { in: new Array<Element>(inputs).fill(element), out: element, params, doc }, false),
  )

/** From a float and params to a float. */
export const scaled = <const P extends Params>(
  name: string,
  doc: string,
  params: P,
  f: (x: Expr<'f32'>, given: Given<P>) => Expr<'f32'>,
): KernelSource[] => halves(name, doc, params, 1, f)

/** From params and the place to a float. */
export const filled = <const P extends Params>(
  name: string,
  doc: string,
  params: P,
  f: (given: Given<P>) => Expr<'f32'>,
): KernelSource[] => halves(name, doc, params, 0, f)

/** From elements of one type to another, under one name. */
export const typed = <In extends Element>(
  name: string,
  doc: string,
  element: In,
  out: Element,
  f: (...values: Seen<In>[]) => unknown,
  { strided = f.length > 1 }: Options = {},
): KernelSource[] =>
  both(name, element, f as never, { in: new Array<Element>(f.length).fill(element), out, doc }, strided)
