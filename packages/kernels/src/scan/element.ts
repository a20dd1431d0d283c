import { d, f32, u32, vec4f, vec4u } from '@weft/dsl'

/** What is scanned. TypeScript sees f32 with either: the kernels say the same of both. */
export type Element = 'f32' | 'u32'

interface Types {
  readonly schema: typeof d.f32
  readonly one: typeof f32
  readonly quadSchema: typeof d.vec4f
  readonly quad: typeof vec4f
}

const U32 = { schema: d.u32, one: u32, quadSchema: d.vec4u, quad: vec4u } as unknown as Types
const F32: Types = { schema: d.f32, one: f32, quadSchema: d.vec4f, quad: vec4f }

export const typesOf = (element: Element): Types => (element === 'u32' ? U32 : F32)
