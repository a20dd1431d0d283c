import { EFFECTS, PURE, VALUE_NAMES } from '@weft/dsl/ir'

/**
 * Words that a WGSL identifier must not be. `WORDS` are illegal everywhere, also as members of structs; the
 * predeclared names may be shadowed, and then no longer mean what the rest of the module takes them for.
 */

const KEYWORDS = `alias break case const const_assert continue continuing default diagnostic discard else enable false
fn for if let loop override requires return struct switch true var while`

const RESERVED = `NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become
binding_array cast catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept
const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum
explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp
impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut
mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of
operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub public
readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static
static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid
typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`

const GENERIC_TYPES = `array atomic ptr vec2 vec3 vec4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4
sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array
texture_multisampled_2d texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array
texture_depth_multisampled_2d texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d
texture_external texel_buffer input_attachment buffer subgroup_matrix_left subgroup_matrix_right subgroup_matrix_result
i8 u8 i64 u64 f64`

const ENUMERANTS = `read write read_write function private workgroup uniform storage immediate handle pixel_local
row_major col_major vertex fragment compute`

const FUNCTIONS = `bitcast arrayLength dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
frexp modf textureGather textureGatherCompare textureSample textureSampleBias textureSampleCompare
textureSampleCompareLevel textureSampleGrad textureSampleLevel textureSampleBaseClampToEdge atomicStoreMin atomicStoreMax
bufferView bufferArrayView bufferLength print hasResource getResource inputAttachmentLoad`

const words = (text: string): readonly string[] => text.split(/\s+/)
const TEXEL_FORMATS = [
  '8unorm',
  '8snorm',
  '8uint',
  '8sint',
  '16unorm',
  '16snorm',
  '16uint',
  '16sint',
  '16float',
  '32uint',
  '32sint',
  '32float',
]
const formats = [
  ...['r', 'rg', 'rgba'].flatMap((c) => TEXEL_FORMATS.map((f) => c + f)),
  'bgra8unorm',
  'rgb10a2uint',
  'rgb10a2unorm',
  'rg11b10ufloat',
]

/** Illegal everywhere. */
export const WORDS: ReadonlySet<string> = new Set([...words(KEYWORDS), ...words(RESERVED)])

/** Illegal or unwise as a name of anything but a member. */
export const TAKEN: ReadonlySet<string> = new Set([
  ...WORDS,
  ...words(GENERIC_TYPES),
  ...words(ENUMERANTS),
  ...words(FUNCTIONS),
  ...formats,
  ...VALUE_NAMES.filter((name) => !name.includes('<')),
  ...Object.values(PURE).map((row) => row.wgsl),
  ...Object.values(EFFECTS).map((row) => row.wgsl),
])
