import { EFFECTS, PURE, VALUE_NAMES } from '@weft/dsl/ir'

const words = (text: string): readonly string[] => text.split(/\s+/)

/** Keywords, then reserved words: illegal everywhere, also as members of structs. */
export const WORDS: ReadonlySet<string> = new Set(
  words(`alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if
let loop override requires return struct switch true var while
NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become binding_array cast catch
class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval
constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends
extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import
inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new
nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset
partition pass patch pixelfragment precise precision premerge priv protected pub public readonly ref regardless register
reinterpret_cast require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std
subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union unless
unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`),
)

const TEXTURES = ['1d', '2d', '2d_array', '3d', 'cube', 'cube_array', 'multisampled_2d']

/**
 * Illegal or unwise as a name of anything but a member: also what is predeclared and a module may mention. That may be
 * shadowed, and then no longer means what the rest of the module takes it for. What no module mentions, as `dpdx`, and
 * the formats of textures, which only declarations mention, are the author's to use.
 */
export const TAKEN: ReadonlySet<string> = new Set([
  ...WORDS,
  ...VALUE_NAMES.flatMap((name) => [name, name.replace(/<bool>|[fhiu]$/, '')]),
  ...Object.values({ ...PURE, ...EFFECTS }).map((row) => row.wgsl),
  ...TEXTURES.flatMap((t) => [`texture_${t}`, `texture_depth_${t}`, `texture_storage_${t}`]),
  ...words(`array atomic ptr buffer subgroup_matrix_left subgroup_matrix_right subgroup_matrix_result i8 u8 i64 u64 f64
sampler bitcast arrayLength bufferView read write read_write function private workgroup uniform storage immediate
row_major col_major`),
])
