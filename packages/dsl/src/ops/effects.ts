import * as F from './families'
import type { Slot } from './row'
import type { ValueName } from '../types'
import type { FeatureName } from './features'

/**
 * One row of the table of effects: built-ins that touch memory, wait for other invocations or exchange values
 * with them, and so have a time. Loads and stores of variables are statements of their own.
 */
export interface EffectRow {
  readonly family: 'atomic' | 'barrier' | 'subgroup' | 'quad' | 'texture' | 'matrix' | 'buffer'
  readonly over: readonly ValueName[]
  /** What the first argument refers to, when it is a place and not a value. */
  readonly place?: 'atomic' | 'texture' | 'workgroup' | 'elements'
  readonly in: readonly EffectSlot[]
  /** `texel`: four lanes of the texture's component type; `matrix`: a subgroup matrix; null: nothing. */
  readonly out: Slot | 'texel' | 'coords' | 'matrix' | 'cas' | 'place' | null
  readonly wgsl: string
  readonly feature?: FeatureName
  /** The uniformity of control flow that the specification requires. */
  readonly flow: 'any' | 'workgroup' | 'subgroup'
  /** The uniformity of the result, at best: it is no more uniform than the arguments, which the specification keeps
   * even for ops that give a whole subgroup one value. */
  readonly result: 'workgroup' | 'subgroup' | 'divergent' | 'args'
  readonly memory: 'none' | 'read' | 'write' | 'read_write'
}

/**
 * `const:T` must be a constant expression; `uniform:T` must have the same value in the whole subgroup; `coords`,
 * `index`, `level` address a texel; `matrix` is a subgroup matrix; `offset` and `stride` count elements.
 */
export type EffectSlot =
  | Slot | 'const:u32' | 'uniform:u32' | 'coords' | 'index' | 'level' | 'texel' | 'matrix' | 'left' | 'right' | 'result' | 'component'

const ATOMIC = ['i32', 'u32'] as const

// What many rows have in common.
const CHANGE = { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' } as const
const BARRIER = { family: 'barrier', over: F.NONE, in: [], out: null, flow: 'workgroup', result: 'workgroup', memory: 'read_write' } as const
/** Gives each invocation a value of its own. */
const SCAN = { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T' } as const
/** Gives all invocations of the subgroup one value. */
const REDUCE = { ...SCAN, result: 'subgroup' } as const
const VOTE = { ...REDUCE, over: F.NONE, in: ['bool'], out: 'bool' } as const
const SHUFFLE = { ...SCAN, in: ['T', 'uniform:u32'] } as const
const QUAD = { ...SCAN, family: 'quad' } as const
const QUERY = { family: 'texture', over: F.NONE, place: 'texture', in: [], out: 'u32', result: 'args' } as const
const MATRIX = { family: 'matrix', over: F.NONE, in: ['matrix', 'component'], out: 'matrix', result: 'subgroup' } as const

/**
 * The table of effects. What most rows have is left out of them: the op's own name in WGSL, no
 * memory, a result that differs within a subgroup; the features and the flow by family (`BY_FAMILY`).
 */
const TABLE = {
  // Atomics, on `atomic<i32>` and `atomic<u32>` in storage and workgroup memory; all are relaxed.
  /** The value. */
  atomicLoad: { ...CHANGE, in: [], memory: 'read' },
  /** Sets the value. */
  atomicStore: { ...CHANGE, out: null, memory: 'write' },
  /** Adds; gives the value before. */
  atomicAdd: CHANGE,
  /** Subtracts; gives the value before. */
  atomicSub: CHANGE,
  /** Keeps the greater; gives the value before. */
  atomicMax: CHANGE,
  /** Keeps the lesser; gives the value before. */
  atomicMin: CHANGE,
  /** Bitwise and; gives the value before. */
  atomicAnd: CHANGE,
  /** Bitwise or; gives the value before. */
  atomicOr: CHANGE,
  /** Bitwise exclusive or; gives the value before. */
  atomicXor: CHANGE,
  /** Sets the value; gives the one before. */
  atomicExchange: CHANGE,
  /** Sets the value if it equals the first argument; may fail spuriously, so loop. Gives the value before and whether it was exchanged. */
  atomicCompareExchangeWeak: { ...CHANGE, in: ['T', 'T'], out: 'cas' },

  // Barriers wait for all invocations of the workgroup, and order the memory named.
  /** Orders workgroup memory. */
  workgroupBarrier: BARRIER,
  /** Orders storage memory within the workgroup; not between workgroups. */
  storageBarrier: BARRIER,
  /** Orders storage textures within the workgroup. */
  textureBarrier: BARRIER,
  /** Reads workgroup memory between two barriers; the value is uniform. */
  workgroupUniformLoad: { ...BARRIER, over: F.PLAIN, place: 'workgroup', out: 'T' },

  // Subgroups. The number of invocations of a subgroup is the device's choice: 4 to 128.
  /** The sum over the subgroup. */
  subgroupAdd: REDUCE,
  /** The sum over the invocations before this one. */
  subgroupExclusiveAdd: SCAN,
  /** The sum over the invocations up to this one. */
  subgroupInclusiveAdd: SCAN,
  /** The product over the subgroup. */
  subgroupMul: REDUCE,
  /** The product over the invocations before this one. */
  subgroupExclusiveMul: SCAN,
  /** The product over the invocations up to this one. */
  subgroupInclusiveMul: SCAN,
  /** The least over the subgroup. */
  subgroupMin: REDUCE,
  /** The greatest over the subgroup. */
  subgroupMax: REDUCE,
  /** Bitwise and over the subgroup. */
  subgroupAnd: { ...REDUCE, over: F.INT },
  /** Bitwise or over the subgroup. */
  subgroupOr: { ...REDUCE, over: F.INT },
  /** Bitwise exclusive or over the subgroup. */
  subgroupXor: { ...REDUCE, over: F.INT },
  /** Whether it is true in every invocation of the subgroup. */
  subgroupAll: VOTE,
  /** Whether it is true in any invocation of the subgroup. */
  subgroupAny: VOTE,
  /** One bit for each invocation, by its id in the subgroup. */
  subgroupBallot: { ...VOTE, out: 'vec4u' },
  /** The value of the invocation with the given id, a constant. */
  subgroupBroadcast: { ...REDUCE, in: ['T', 'const:u32'] },
  /** The value of the first active invocation. */
  subgroupBroadcastFirst: REDUCE,
  /** True in exactly one active invocation. */
  subgroupElect: { ...SCAN, over: F.NONE, in: [], out: 'bool' },
  /** The value of the invocation with the given id. */
  subgroupShuffle: { ...SCAN, in: ['T', 'u32'] },
  /** The value of the invocation `delta` further on. */
  subgroupShuffleDown: SHUFFLE,
  /** The value of the invocation `delta` before. */
  subgroupShuffleUp: SHUFFLE,
  /** The value of the invocation whose id is this one's with the bits of `mask` flipped. */
  subgroupShuffleXor: SHUFFLE,
  /** The value of invocation `id` (a constant, 0…3) of the quad. */
  quadBroadcast: { ...QUAD, in: ['T', 'const:u32'] },
  /** Swaps 0↔1 and 2↔3 within the quad. */
  quadSwapX: QUAD,
  /** Swaps 0↔2 and 1↔3 within the quad. */
  quadSwapY: QUAD,
  /** Swaps 0↔3 and 1↔2 within the quad. */
  quadSwapDiagonal: QUAD,

  // Textures, without filtering: samplers are out of scope.
  /** The texel at integer coordinates; outside: any texel or zeros. */
  textureLoad: { ...QUERY, in: ['coords', 'index', 'level'], out: 'texel', memory: 'read' },
  /** Writes a texel; outside: nothing. */
  textureStore: { ...QUERY, in: ['coords', 'index', 'texel'], out: null, memory: 'write' },
  /** Width, height, depth in texels. */
  textureDimensions: { ...QUERY, in: ['level'], out: 'coords' },
  /** The number of array layers. */
  textureNumLayers: QUERY,
  /** The number of mip levels. */
  textureNumLevels: QUERY,
  /** The number of samples of a texel. */
  textureNumSamples: QUERY,

  // Subgroup matrices (experimental): held by a whole subgroup, in a layout that only the device knows.
  /** Loads a matrix from an array in workgroup or storage memory, from element `offset` on, rows `stride` elements apart. */
  subgroupMatrixLoad: { ...MATRIX, place: 'elements', in: ['u32', 'u32'], memory: 'read' },
  /** Stores a matrix. */
  subgroupMatrixStore: { ...MATRIX, place: 'elements', in: ['u32', 'matrix', 'u32'], out: null, memory: 'write' },
  /** left · right. */
  subgroupMatrixMultiply: { ...MATRIX, in: ['left', 'right'] },
  /** left · right + result. */
  subgroupMatrixMultiplyAccumulate: { ...MATRIX, in: ['left', 'right', 'result'] },
  /** Adds a scalar to each element. */
  subgroupMatrixScalarAdd: MATRIX,
  /** Subtracts a scalar from each element. */
  subgroupMatrixScalarSubtract: MATRIX,
  /** Multiplies each element by a scalar. */
  subgroupMatrixScalarMultiply: MATRIX,
} as const satisfies Record<string, Said>

type Defaults = 'wgsl' | 'flow' | 'result' | 'memory'
type Said = Omit<EffectRow, Defaults> & Partial<Pick<EffectRow, Defaults>>

export type EffectName = keyof typeof TABLE

const SUBGROUP = { feature: 'subgroups', flow: 'subgroup' } as const
const BY_FAMILY: { readonly [F in EffectRow['family']]?: Partial<EffectRow> } = { subgroup: SUBGROUP, quad: SUBGROUP, matrix: { feature: 'subgroup-matrix', flow: 'subgroup' } }

/** The rows, with what they leave out. */
export const EFFECTS = Object.fromEntries(
  Object.entries<Said>(TABLE).map(([op, row]) => [op, { wgsl: op, flow: 'any', result: 'divergent', memory: 'none', ...BY_FAMILY[row.family], ...row }]),
) as unknown as { readonly [K in EffectName]: (typeof TABLE)[K] & Omit<EffectRow, keyof (typeof TABLE)[K]> }
