import { d, type Expr, f16, f32, vec4f, vec4h } from '@weft/dsl'

/** How the values of a kernel lie in its buffers. Arithmetic is f32 with either. */
export type Storage = 'f32' | 'f16'

/** The name of a kernel for a storage: `rmsnorm`, `rmsnorm_f16`. */
export const named = (name: string, storage: Storage): string => (storage === 'f32' ? name : `${name}_${storage}`)

/**
 * The type of a binding of scalars in a storage. TypeScript sees f32 with either, so that one kernel is written for
 * both: what is read goes through {@link read}, what is written through {@link stored}, which make it true.
 */
export const scalars = (storage: Storage) => d.arrayOf((storage === 'f16' ? d.f16 : d.f32) as typeof d.f32)

/** An element as an f32 value. */
export const read = (element: Expr<'f32'>): Expr<'f32'> => f32(element)

/** An f32 value as an element: rounded to nearest where the storage is f16. */
export const stored = (storage: Storage, value: Expr<'f32'>): Expr<'f32'> =>
  storage === 'f16' ? (f16(value) as unknown as Expr<'f32'>) : value

/** The same of four scalars at once, as which TypeScript sees f32 as well: what is read goes through {@link readQuad}, what is written through {@link storedQuad}. */
export const quads = (storage: Storage) => d.arrayOf((storage === 'f16' ? d.vec4h : d.vec4f) as unknown as typeof d.f32)

export const readQuad = (storage: Storage, element: Expr<'f32'>): Expr<'f32'> =>
  storage === 'f16' ? (vec4f(element as unknown as Expr<'vec4h'>) as unknown as Expr<'f32'>) : element

export const storedQuad = (storage: Storage, value: Expr<'f32'>): Expr<'f32'> =>
  storage === 'f16' ? (vec4h(value as unknown as Expr<'vec4f'>) as unknown as Expr<'f32'>) : value
