import { type Builder, type Expr, each } from '@weft/dsl'
import { type Lanes, lanesOf } from './lanes'
import { type Also, namesOf, type Place, place, type Reads, type Row, type Values } from './row'

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>

/** Elements that are read at once. */
const IN_FLIGHT = 8

/** A row of any width, read again by each pass. */
export function streamedRow<N extends string>(
  k: Builder,
  start: U32,
  cols: U32,
  reads: Reads<N>,
  lanes: Lanes = lanesOf('f32', 1),
): Row<N> {
  const names = namesOf(reads)
  const now: { [K in N]: (i: U32) => F32 } = { ...reads }
  const size = k.workgroupSize
  const stride = IN_FLIGHT * size
  const whole = k.let('whole', cols.div(stride).mul(stride))
  const load = (at: Place, suffix: string, also: Also<string>) =>
    Object.fromEntries([
      ...names.map((name) => [name, k.let(`${name}${suffix}`, now[name](at.i))]),
      ...Object.entries(also).map(([name, read]) => [name, k.let(`${name}${suffix}`, read(at))]),
    ]) as Values<N>
  const go = (
    body: (values: readonly Values<N>[], places: readonly Place[]) => void,
    also: Also<string> = {},
  ): void => {
    k.range('c', k.localIndex, whole, stride, (c) => {
      const places = each(IN_FLIGHT).map((j) => place(start, c, j * size))
      body(
        places.map((at, j) => load(at, `${j}`, also)),
        places,
      )
    })
    k.range('c', whole.add(k.localIndex), cols, size, (c) => {
      const at = place(start, c)
      body([load(at, '', also)], [at])
    })
  }
  const all: Row<N>['each'] = <M extends string = never>(
    body: (values: Values<N | M>, at: Place) => void,
    also?: Also<M>,
  ) =>
    go((values, places) => {
      for (const [j, one] of values.entries()) body(one as Values<N | M>, places[j] as Place)
    }, also)
  return {
    held: false,
    ...{ lanes, cols, start },
    each: all,
    batches: (body) => go((values) => body(values)),
    store: (name, write, read) => {
      all((values, { i }) => write(i, values[name]))
      now[name] = read
    },
  }
}
