/** The sets of types that rows range over. */

export const F_SCALAR = ['f32', 'f16'] as const
export const F_VECTOR = ['vec2f', 'vec3f', 'vec4f', 'vec2h', 'vec3h', 'vec4h'] as const
export const FLOAT = [...F_SCALAR, ...F_VECTOR] as const
export const FLOAT32 = ['f32', 'vec2f', 'vec3f', 'vec4f'] as const
export const SIGNED_INT = ['i32', 'vec2i', 'vec3i', 'vec4i'] as const
export const UNSIGNED = ['u32', 'vec2u', 'vec3u', 'vec4u'] as const
export const INT = [...SIGNED_INT, ...UNSIGNED] as const
export const BOOL = ['bool', 'vec2<bool>', 'vec3<bool>', 'vec4<bool>'] as const
export const BOOL_VECTOR = ['vec2<bool>', 'vec3<bool>', 'vec4<bool>'] as const
export const SIGNED = [...FLOAT, ...SIGNED_INT] as const
export const NUMERIC = [...FLOAT, ...INT] as const
export const NUMERIC_VECTOR = [...F_VECTOR, 'vec2i', 'vec3i', 'vec4i', 'vec2u', 'vec3u', 'vec4u'] as const
export const PLAIN = [...NUMERIC, ...BOOL] as const
export const VECTOR3 = ['vec3f', 'vec3h'] as const
export const SQUARE = ['mat2x2f', 'mat3x3f', 'mat4x4f', 'mat2x2h', 'mat3x3h', 'mat4x4h'] as const
export const MATRIX = [
  'mat2x2f', 'mat2x3f', 'mat2x4f', 'mat3x2f', 'mat3x3f', 'mat3x4f', 'mat4x2f', 'mat4x3f', 'mat4x4f',
  'mat2x2h', 'mat2x3h', 'mat2x4h', 'mat3x2h', 'mat3x3h', 'mat3x4h', 'mat4x2h', 'mat4x3h', 'mat4x4h',
] as const
export const ADDITIVE = [...NUMERIC, ...MATRIX] as const
/** Numeric scalars, for subgroup and quad ops whose results are per invocation. */
export const NUMERIC_SCALAR = ['f32', 'f16', 'i32', 'u32'] as const
export const NONE = [] as const
