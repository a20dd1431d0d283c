import {
  type ArrayValue,
  type Builder,
  bool,
  d,
  type Expr,
  each,
  f32,
  u32,
  vec4f,
  vec4h,
  type WriteRef,
} from '@weft/dsl'
import { type Storage, stored } from '../parts/storage'

/** How the rows of q, k, v and out lie in their buffers, `size` elements each, and are handled: as vec4f, zeros past their end. */
export interface Rows {
  readonly size: number | Expr<'u32'>
  /** ⌈size / 4⌉ */
  readonly quads: number | Expr<'u32'>
  /** Rows of whole vec4f are read as such; others element by element. */
  readonly whole: boolean
  /** Quads are asked for that are not there. */
  readonly padded: boolean
  readonly storage: Storage
}

/** The type of a binding of rows. TypeScript sees vec4f for all of its forms; {@link loadQuad} and {@link storeQuad} make it true. */
export function rowsType({ whole, storage }: Pick<Rows, 'whole' | 'storage'>) {
  const type = storage === 'f32' ? (whole ? d.vec4f : d.f32) : whole ? d.vec4h : d.f16
  return d.arrayOf(type as typeof d.vec4f)
}

/** Four components of a row, zeros past its end. `row` counts rows. */
export function loadQuad(
  k: Builder,
  source: Pick<ArrayValue<'vec4f'>, 'at'>,
  row: Expr<'u32'>,
  quad: Expr<'u32'>,
  { size, quads, whole, padded, storage }: Rows,
): Expr<'vec4f'> {
  if (whole) {
    const load = (): Expr<'vec4f'> => {
      const value = source.at(u32`${row} * ${quads} + ${quad}`)
      return storage === 'f16' ? vec4f(value) : value
    }
    return padded ? k.when(quad.lt(quads), load, vec4f()) : load()
  }
  const scalars = source as unknown as ArrayValue<'f32'>
  const one = (c: number): Expr<'f32'> =>
    k.when(
      bool`${quad} * 4 + ${c} < ${size}`,
      () => widened(scalars.at(u32`${row} * ${size} + ${quad} * 4 + ${c}`), storage),
      0,
    )
  return vec4f(one(0), one(1), one(2), one(3))
}

const widened = (value: Expr<'f32'>, storage: Storage): Expr<'f32'> => (storage === 'f16' ? f32(value) : value)

/** Writes four components of a row, those that it has. */
export function storeQuad(
  k: Builder,
  out: WriteRef<{ readonly array: 'vec4f' }>,
  row: Expr<'u32'>,
  quad: Expr<'u32'>,
  value: Expr<'vec4f'>,
  { size, quads, whole, padded, storage }: Rows,
): void {
  if (whole) {
    const rounded = storage === 'f16' ? (vec4h(value) as unknown as Expr<'vec4f'>) : value
    const store = (): void => out.at(u32`${row} * ${quads} + ${quad}`).set(rounded)
    if (padded) k.if(quad.lt(quads), store)
    else store()
    return
  }
  const scalars = out as unknown as WriteRef<{ readonly array: 'f32' }>
  const named = k.let('result', value)
  for (const c of each(4)) {
    k.if(bool`${quad} * 4 + ${c} < ${size}`, () =>
      scalars.at(u32`${row} * ${size} + ${quad} * 4 + ${c}`).set(stored(storage, named.at(c))),
    )
  }
}
