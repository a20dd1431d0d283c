/** Words that authors may use as names and WGSL does not: by the specification, not by the emitter's own lists. */
export const KEYWORDS = 'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while'.split(' ')

export const RESERVED = `NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become binding_array cast catch class
co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype
delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto
groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace
new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partition pass patch
pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set
shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid
typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`.split(/\s+/)

/** Legal to shadow, but then the built-in is gone. */
export const PREDECLARED = `bool f16 f32 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h vec4h mat2x2 mat3x3f mat4x4f array
atomic ptr sampler texture_2d texture_storage_2d abs acos all any arrayLength atan2 atomicAdd atomicLoad bitcast ceil clamp cos countOneBits cross
distance dot exp exp2 extractBits floor fma fract frexp inverseSqrt ldexp length log log2 max min mix modf normalize pow quantizeToF16 reflect round
saturate select sign sin smoothstep sqrt step storageBarrier subgroupAdd tanh transpose trunc unpack2x16float workgroupBarrier workgroupUniformLoad
read write read_write function private workgroup uniform storage rgba8unorm r32float`.split(/\s+/)

/** Identifiers of TypeScript that WGSL has not, or only just. */
export const ODD = ['_', '__x', '__', '_x', 'Δx', 'größe', 'x__i', 'main', 'params', 'workgroup_index', 'inf_bits', 'local_index']

export const WORDS: readonly string[] = [...KEYWORDS, ...RESERVED, ...PREDECLARED, ...ODD]
