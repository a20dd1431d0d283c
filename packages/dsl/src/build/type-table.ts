/**
 * What TypeScript knows of a value type, as a lookup table rather than conditional types: an index into it costs
 * the editor nothing, and generic code (`T extends 'f32' | 'f16'`) can be checked through it.
 *
 * `js`: the JavaScript value that lifts to it; `splat`: the scalar that may stand for it, lane by lane; `element`:
 * what `.at(i)` gives; `bool`, `i32`, `u32`: the same shape with those lanes; `wider`: the vectors that a scalar
 * combines with; `x`, `z`, `w`: the lane, where there is one (`x` stands for y too); `v2`, `v3`, `v4`: the vectors of
 * so many of its lanes.
 */
export interface TypeTable {
  readonly bool: { js: boolean; scalar: 'bool'; splat: 'bool'; element: never; bool: 'bool'; i32: 'i32'; u32: 'u32'; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: never }
  readonly 'vec2<bool>': { js: boolean; scalar: 'bool'; splat: 'bool'; element: 'bool'; bool: 'vec2<bool>'; i32: 'vec2i'; u32: 'vec2u'; wider: never; x: 'bool'; z: never; w: never; v2: 'vec2<bool>'; v3: never; v4: 'vec4<bool>'; transposed: never }
  readonly 'vec3<bool>': { js: boolean; scalar: 'bool'; splat: 'bool'; element: 'bool'; bool: 'vec3<bool>'; i32: 'vec3i'; u32: 'vec3u'; wider: never; x: 'bool'; z: 'bool'; w: never; v2: 'vec2<bool>'; v3: 'vec3<bool>'; v4: 'vec4<bool>'; transposed: never }
  readonly 'vec4<bool>': { js: boolean; scalar: 'bool'; splat: 'bool'; element: 'bool'; bool: 'vec4<bool>'; i32: 'vec4i'; u32: 'vec4u'; wider: never; x: 'bool'; z: 'bool'; w: 'bool'; v2: 'vec2<bool>'; v3: 'vec3<bool>'; v4: 'vec4<bool>'; transposed: never }
  readonly f16: { js: number; scalar: 'f16'; splat: 'f16'; element: never; bool: 'bool'; i32: 'i32'; u32: 'u32'; wider: 'vec2h' | 'vec3h' | 'vec4h'; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: never }
  readonly vec2h: { js: number; scalar: 'f16'; splat: 'f16'; element: 'f16'; bool: 'vec2<bool>'; i32: 'vec2i'; u32: 'vec2u'; wider: never; x: 'f16'; z: never; w: never; v2: 'vec2h'; v3: never; v4: 'vec4h'; transposed: never }
  readonly vec3h: { js: number; scalar: 'f16'; splat: 'f16'; element: 'f16'; bool: 'vec3<bool>'; i32: 'vec3i'; u32: 'vec3u'; wider: never; x: 'f16'; z: 'f16'; w: never; v2: 'vec2h'; v3: 'vec3h'; v4: 'vec4h'; transposed: never }
  readonly vec4h: { js: number; scalar: 'f16'; splat: 'f16'; element: 'f16'; bool: 'vec4<bool>'; i32: 'vec4i'; u32: 'vec4u'; wider: never; x: 'f16'; z: 'f16'; w: 'f16'; v2: 'vec2h'; v3: 'vec3h'; v4: 'vec4h'; transposed: never }
  readonly f32: { js: number; scalar: 'f32'; splat: 'f32'; element: never; bool: 'bool'; i32: 'i32'; u32: 'u32'; wider: 'vec2f' | 'vec3f' | 'vec4f'; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: never }
  readonly vec2f: { js: number; scalar: 'f32'; splat: 'f32'; element: 'f32'; bool: 'vec2<bool>'; i32: 'vec2i'; u32: 'vec2u'; wider: never; x: 'f32'; z: never; w: never; v2: 'vec2f'; v3: never; v4: 'vec4f'; transposed: never }
  readonly vec3f: { js: number; scalar: 'f32'; splat: 'f32'; element: 'f32'; bool: 'vec3<bool>'; i32: 'vec3i'; u32: 'vec3u'; wider: never; x: 'f32'; z: 'f32'; w: never; v2: 'vec2f'; v3: 'vec3f'; v4: 'vec4f'; transposed: never }
  readonly vec4f: { js: number; scalar: 'f32'; splat: 'f32'; element: 'f32'; bool: 'vec4<bool>'; i32: 'vec4i'; u32: 'vec4u'; wider: never; x: 'f32'; z: 'f32'; w: 'f32'; v2: 'vec2f'; v3: 'vec3f'; v4: 'vec4f'; transposed: never }
  readonly i32: { js: number; scalar: 'i32'; splat: 'i32'; element: never; bool: 'bool'; i32: 'i32'; u32: 'u32'; wider: 'vec2i' | 'vec3i' | 'vec4i'; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: never }
  readonly vec2i: { js: number; scalar: 'i32'; splat: 'i32'; element: 'i32'; bool: 'vec2<bool>'; i32: 'vec2i'; u32: 'vec2u'; wider: never; x: 'i32'; z: never; w: never; v2: 'vec2i'; v3: never; v4: 'vec4i'; transposed: never }
  readonly vec3i: { js: number; scalar: 'i32'; splat: 'i32'; element: 'i32'; bool: 'vec3<bool>'; i32: 'vec3i'; u32: 'vec3u'; wider: never; x: 'i32'; z: 'i32'; w: never; v2: 'vec2i'; v3: 'vec3i'; v4: 'vec4i'; transposed: never }
  readonly vec4i: { js: number; scalar: 'i32'; splat: 'i32'; element: 'i32'; bool: 'vec4<bool>'; i32: 'vec4i'; u32: 'vec4u'; wider: never; x: 'i32'; z: 'i32'; w: 'i32'; v2: 'vec2i'; v3: 'vec3i'; v4: 'vec4i'; transposed: never }
  readonly u32: { js: number; scalar: 'u32'; splat: 'u32'; element: never; bool: 'bool'; i32: 'i32'; u32: 'u32'; wider: 'vec2u' | 'vec3u' | 'vec4u'; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: never }
  readonly vec2u: { js: number; scalar: 'u32'; splat: 'u32'; element: 'u32'; bool: 'vec2<bool>'; i32: 'vec2i'; u32: 'vec2u'; wider: never; x: 'u32'; z: never; w: never; v2: 'vec2u'; v3: never; v4: 'vec4u'; transposed: never }
  readonly vec3u: { js: number; scalar: 'u32'; splat: 'u32'; element: 'u32'; bool: 'vec3<bool>'; i32: 'vec3i'; u32: 'vec3u'; wider: never; x: 'u32'; z: 'u32'; w: never; v2: 'vec2u'; v3: 'vec3u'; v4: 'vec4u'; transposed: never }
  readonly vec4u: { js: number; scalar: 'u32'; splat: 'u32'; element: 'u32'; bool: 'vec4<bool>'; i32: 'vec4i'; u32: 'vec4u'; wider: never; x: 'u32'; z: 'u32'; w: 'u32'; v2: 'vec2u'; v3: 'vec3u'; v4: 'vec4u'; transposed: never }
  readonly mat2x2f: { js: never; scalar: 'f32'; splat: never; element: 'vec2f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x2f' }
  readonly mat2x3f: { js: never; scalar: 'f32'; splat: never; element: 'vec3f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x2f' }
  readonly mat2x4f: { js: never; scalar: 'f32'; splat: never; element: 'vec4f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x2f' }
  readonly mat3x2f: { js: never; scalar: 'f32'; splat: never; element: 'vec2f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x3f' }
  readonly mat3x3f: { js: never; scalar: 'f32'; splat: never; element: 'vec3f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x3f' }
  readonly mat3x4f: { js: never; scalar: 'f32'; splat: never; element: 'vec4f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x3f' }
  readonly mat4x2f: { js: never; scalar: 'f32'; splat: never; element: 'vec2f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x4f' }
  readonly mat4x3f: { js: never; scalar: 'f32'; splat: never; element: 'vec3f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x4f' }
  readonly mat4x4f: { js: never; scalar: 'f32'; splat: never; element: 'vec4f'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x4f' }
  readonly mat2x2h: { js: never; scalar: 'f16'; splat: never; element: 'vec2h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x2h' }
  readonly mat2x3h: { js: never; scalar: 'f16'; splat: never; element: 'vec3h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x2h' }
  readonly mat2x4h: { js: never; scalar: 'f16'; splat: never; element: 'vec4h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x2h' }
  readonly mat3x2h: { js: never; scalar: 'f16'; splat: never; element: 'vec2h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x3h' }
  readonly mat3x3h: { js: never; scalar: 'f16'; splat: never; element: 'vec3h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x3h' }
  readonly mat3x4h: { js: never; scalar: 'f16'; splat: never; element: 'vec4h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x3h' }
  readonly mat4x2h: { js: never; scalar: 'f16'; splat: never; element: 'vec2h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat2x4h' }
  readonly mat4x3h: { js: never; scalar: 'f16'; splat: never; element: 'vec3h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat3x4h' }
  readonly mat4x4h: { js: never; scalar: 'f16'; splat: never; element: 'vec4h'; bool: never; i32: never; u32: never; wider: never; x: never; z: never; w: never; v2: never; v3: never; v4: never; transposed: 'mat4x4h' }
}
