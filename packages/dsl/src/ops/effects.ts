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

/**
 * The table of effects. What most rows have is left out of them: the op's own name in WGSL, no
 * memory, a result that differs within a subgroup; the features and the flow by family (`BY_FAMILY`).
 */
const TABLE = {
  // Atomics, on `atomic<i32>` and `atomic<u32>` in storage and workgroup memory; all are relaxed.
  /** The value. */
  atomicLoad: { family: 'atomic', over: ATOMIC, place: 'atomic', in: [], out: 'T', memory: 'read' },
  /** Sets the value. */
  atomicStore: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: null, memory: 'write' },
  /** Adds; gives the value before. */
  atomicAdd: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Subtracts; gives the value before. */
  atomicSub: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Keeps the greater; gives the value before. */
  atomicMax: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Keeps the lesser; gives the value before. */
  atomicMin: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Bitwise and; gives the value before. */
  atomicAnd: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Bitwise or; gives the value before. */
  atomicOr: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Bitwise exclusive or; gives the value before. */
  atomicXor: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Sets the value; gives the one before. */
  atomicExchange: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T'], out: 'T', memory: 'read_write' },
  /** Sets the value if it equals the first argument; may fail spuriously, so loop. Gives the value before and whether it was exchanged. */
  atomicCompareExchangeWeak: { family: 'atomic', over: ATOMIC, place: 'atomic', in: ['T', 'T'], out: 'cas', memory: 'read_write' },

  // Barriers wait for all invocations of the workgroup, and order the memory named.
  /** Orders workgroup memory. */
  workgroupBarrier: { family: 'barrier', over: F.NONE, in: [], out: null, flow: 'workgroup', result: 'workgroup', memory: 'read_write' },
  /** Orders storage memory within the workgroup; not between workgroups. */
  storageBarrier: { family: 'barrier', over: F.NONE, in: [], out: null, flow: 'workgroup', result: 'workgroup', memory: 'read_write' },
  /** Orders storage textures within the workgroup. */
  textureBarrier: { family: 'barrier', over: F.NONE, in: [], out: null, flow: 'workgroup', result: 'workgroup', memory: 'read_write' },
  /** Reads workgroup memory between two barriers; the value is uniform. */
  workgroupUniformLoad: { family: 'barrier', over: F.PLAIN, place: 'workgroup', in: [], out: 'T', flow: 'workgroup', result: 'workgroup', memory: 'read_write' },

  // Subgroups. The number of invocations of a subgroup is the device's choice: 4 to 128.
  /** The sum over the subgroup. */
  subgroupAdd: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T', result: 'subgroup' },
  /** The sum over the invocations before this one. */
  subgroupExclusiveAdd: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** The sum over the invocations up to this one. */
  subgroupInclusiveAdd: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** The product over the subgroup. */
  subgroupMul: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T', result: 'subgroup' },
  /** The product over the invocations before this one. */
  subgroupExclusiveMul: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** The product over the invocations up to this one. */
  subgroupInclusiveMul: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** The least over the subgroup. */
  subgroupMin: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T', result: 'subgroup' },
  /** The greatest over the subgroup. */
  subgroupMax: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T', result: 'subgroup' },
  /** Bitwise and over the subgroup. */
  subgroupAnd: { family: 'subgroup', over: F.INT, in: ['T'], out: 'T', result: 'subgroup' },
  /** Bitwise or over the subgroup. */
  subgroupOr: { family: 'subgroup', over: F.INT, in: ['T'], out: 'T', result: 'subgroup' },
  /** Bitwise exclusive or over the subgroup. */
  subgroupXor: { family: 'subgroup', over: F.INT, in: ['T'], out: 'T', result: 'subgroup' },
  /** Whether it is true in every invocation of the subgroup. */
  subgroupAll: { family: 'subgroup', over: F.NONE, in: ['bool'], out: 'bool', result: 'subgroup' },
  /** Whether it is true in any invocation of the subgroup. */
  subgroupAny: { family: 'subgroup', over: F.NONE, in: ['bool'], out: 'bool', result: 'subgroup' },
  /** One bit for each invocation, by its id in the subgroup. */
  subgroupBallot: { family: 'subgroup', over: F.NONE, in: ['bool'], out: 'vec4u', result: 'subgroup' },
  /** The value of the invocation with the given id, a constant. */
  subgroupBroadcast: { family: 'subgroup', over: F.NUMERIC, in: ['T', 'const:u32'], out: 'T', result: 'subgroup' },
  /** The value of the first active invocation. */
  subgroupBroadcastFirst: { family: 'subgroup', over: F.NUMERIC, in: ['T'], out: 'T', result: 'subgroup' },
  /** True in exactly one active invocation. */
  subgroupElect: { family: 'subgroup', over: F.NONE, in: [], out: 'bool' },
  /** The value of the invocation with the given id. */
  subgroupShuffle: { family: 'subgroup', over: F.NUMERIC, in: ['T', 'u32'], out: 'T' },
  /** The value of the invocation `delta` further on. */
  subgroupShuffleDown: { family: 'subgroup', over: F.NUMERIC, in: ['T', 'uniform:u32'], out: 'T' },
  /** The value of the invocation `delta` before. */
  subgroupShuffleUp: { family: 'subgroup', over: F.NUMERIC, in: ['T', 'uniform:u32'], out: 'T' },
  /** The value of the invocation whose id is this one's with the bits of `mask` flipped. */
  subgroupShuffleXor: { family: 'subgroup', over: F.NUMERIC, in: ['T', 'uniform:u32'], out: 'T' },
  /** The value of invocation `id` (a constant, 0…3) of the quad. */
  quadBroadcast: { family: 'quad', over: F.NUMERIC, in: ['T', 'const:u32'], out: 'T' },
  /** Swaps 0↔1 and 2↔3 within the quad. */
  quadSwapX: { family: 'quad', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** Swaps 0↔2 and 1↔3 within the quad. */
  quadSwapY: { family: 'quad', over: F.NUMERIC, in: ['T'], out: 'T' },
  /** Swaps 0↔3 and 1↔2 within the quad. */
  quadSwapDiagonal: { family: 'quad', over: F.NUMERIC, in: ['T'], out: 'T' },

  // Textures, without filtering: samplers are out of scope.
  /** The texel at integer coordinates; outside: any texel or zeros. */
  textureLoad: { family: 'texture', over: F.NONE, place: 'texture', in: ['coords', 'index', 'level'], out: 'texel', result: 'args', memory: 'read' },
  /** Writes a texel; outside: nothing. */
  textureStore: { family: 'texture', over: F.NONE, place: 'texture', in: ['coords', 'index', 'texel'], out: null, memory: 'write' },
  /** Width, height, depth in texels. */
  textureDimensions: { family: 'texture', over: F.NONE, place: 'texture', in: ['level'], out: 'coords', result: 'args' },
  /** The number of array layers. */
  textureNumLayers: { family: 'texture', over: F.NONE, place: 'texture', in: [], out: 'u32', result: 'args' },
  /** The number of mip levels. */
  textureNumLevels: { family: 'texture', over: F.NONE, place: 'texture', in: [], out: 'u32', result: 'args' },
  /** The number of samples of a texel. */
  textureNumSamples: { family: 'texture', over: F.NONE, place: 'texture', in: [], out: 'u32', result: 'args' },

  // Subgroup matrices (experimental): held by a whole subgroup, in a layout that only the device knows.
  /** Loads a matrix from an array in workgroup or storage memory, from element `offset` on, rows `stride` elements apart. */
  subgroupMatrixLoad: { family: 'matrix', over: F.NONE, place: 'elements', in: ['u32', 'u32'], out: 'matrix', result: 'subgroup', memory: 'read' },
  /** Stores a matrix. */
  subgroupMatrixStore: { family: 'matrix', over: F.NONE, place: 'elements', in: ['u32', 'matrix', 'u32'], out: null, result: 'subgroup', memory: 'write' },
  /** left · right. */
  subgroupMatrixMultiply: { family: 'matrix', over: F.NONE, in: ['left', 'right'], out: 'matrix', result: 'subgroup' },
  /** left · right + result. */
  subgroupMatrixMultiplyAccumulate: { family: 'matrix', over: F.NONE, in: ['left', 'right', 'result'], out: 'matrix', result: 'subgroup' },
  /** Adds a scalar to each element. */
  subgroupMatrixScalarAdd: { family: 'matrix', over: F.NONE, in: ['matrix', 'component'], out: 'matrix', result: 'subgroup' },
  /** Subtracts a scalar from each element. */
  subgroupMatrixScalarSubtract: { family: 'matrix', over: F.NONE, in: ['matrix', 'component'], out: 'matrix', result: 'subgroup' },
  /** Multiplies each element by a scalar. */
  subgroupMatrixScalarMultiply: { family: 'matrix', over: F.NONE, in: ['matrix', 'component'], out: 'matrix', result: 'subgroup' },
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
