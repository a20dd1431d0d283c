import { argsOf, count, flag, floatType, input, maybe, number, oneOf, outputOver, size, that } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  type ChoiceOptions,
  checkBuffers,
  checkCall,
  chosen,
  type Runtime,
  type SeveralOptions,
} from '../host'
import type { FastChoice, FastDevice } from '../matmul-fast/choose'
import { kernels, tuning, verify } from '../options'
import type { Storage } from '../parts/storage'
import { plainest } from '../plainest'
import { tuningFor } from '../tuning'
import { chooseMatmul, type MatmulChoice, splitKernel } from './choose'
import { chunkSizes, type Extent, parts } from './chunks'
import { runFast } from './fast'
import { type ColumnsChoice, chooseColumns, chooseLines } from './few-choose'
import type { Activation } from './options'
import { joinParts } from './parts'
import { isRight, WHOLE_SIZES } from './right'
import { chooseSerial } from './serial-choose'
import { type MatrixLike, matrix, type Placed, placed, reach } from './views'
import { type Chunk, operands, type Product, results } from './windows'

export interface MatmulArgs {
  /** m × k, row-major; k × m when `transposeA` */
  readonly a: MatrixLike
  /** k × n, row-major; n × k when `transposeB` */
  readonly b: MatrixLike
  /** m × n, row-major, written */
  readonly c: MatrixLike
  readonly m: number
  readonly n: number
  readonly k: number
  /** How many products; 1 when left out. */
  readonly batch?: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** 1 when left out. */
  readonly alpha?: number
  /** n elements, added to every row */
  readonly bias?: BufferLike
  readonly activation?: Activation
  /** m × n, added at the end; may be `c` itself, which is then added to. */
  readonly residual?: MatrixLike
  /** Of all matrices. */
  readonly type?: Storage
  /**
   * f32 when left out. `f16`, of f16: sums may be f16 where a device adds those faster, which is some percent; their error grows to k · 2⁻¹¹ of
   * Σ|a·b|, and they end at 65,504.
   */
  readonly sums?: Storage
}

/** Kernels in place of those that ship are given by their names: a product may take several. */
export interface MatmulOptions extends SeveralOptions, ChoiceOptions {
  /** The most bytes of a binding; what the device allows when left out. Operands beyond it are bound in parts. */
  readonly bindingLimit?: number
  /** What kernels are chosen by, in place of what the runtime says of its device. */
  readonly device?: FastDevice
}

/** Whether it is what `runtime.info` says of a device. */
const isDevice = (value: unknown): value is FastDevice => {
  const { software, features, languageFeatures, subgroupMatrices, limits } = (value ?? {}) as Partial<FastDevice>
  const lists = [features, languageFeatures, subgroupMatrices]
  return typeof software === 'boolean' && lists.every(Array.isArray) && typeof limits === 'object'
}

export const bindingLimit = maybe(count)
export const device = maybe(that<FastDevice>('what runtime.info of a device says', isDevice))
export const MATMUL_OPTIONS = argsOf<MatmulOptions>({ kernels, verify, tuning, bindingLimit, device })
const MATMUL_ARGS = argsOf<MatmulArgs>({
  a: matrix(input),
  b: matrix(input),
  c: matrix(outputOver('residual')),
  m: size,
  n: size,
  k: size,
  batch: maybe(size),
  transposeA: maybe(flag),
  transposeB: maybe(flag),
  alpha: maybe(number),
  bias: maybe(input),
  activation: maybe(oneOf('none', 'relu', 'gelu', 'silu')),
  residual: maybe(matrix(input)),
  type: floatType,
  sums: floatType,
})

/**
 * c = activation(alpha · a · b + bias) + residual, for any sizes, in batches with strides: f32, or f16 with sums in f32. k = 0 is an
 * empty sum. Operands larger than a binding may be are read in parts.
 *
 * @throws RangeError before anything is recorded: sizes, strides, buffers that are too small, an unknown activation, a row that is
 *   larger than a binding may be
 */
export async function matmul(runtime: Runtime, args: MatmulArgs, options: MatmulOptions = {}): Promise<void> {
  checkCall(runtime, 'matmul', args, MATMUL_ARGS, options, MATMUL_OPTIONS)
  await planned(runtime, 'matmul', checked('matmul', args), options)()
}

/** A checked product: what runs it, after a check that it fits the bindings of the device. */
export function planned(runtime: Runtime, what: string, product: Product, options: MatmulOptions): () => Promise<void> {
  const { m, n, batch } = product
  if (m * n * batch === 0) return async () => {}
  const limit = options.bindingLimit ?? runtime.info.limits.maxStorageBufferBindingSize ?? 2 ** 27
  const alignment = runtime.info.limits.minStorageBufferOffsetAlignment ?? 256
  const serial = chooseSerial(product, runtime.info, limit)
  if (serial) {
    const [a, b, c] = [product.a.data, product.b.data, product.c.data]
    return () => runtime.run(chosen(serial.kernel, options), { a, b, c, ...serial.sizes, alpha: product.alpha })
  }
  const extent = (p: Placed): Extent => ({ ...p, bytes: product.bytes })
  const sizes = chunkSizes(what, {
    ...product,
    a: extent(product.a),
    b: extent(product.b),
    results: [extent(product.c), ...(product.residual ? [extent(product.residual)] : [])],
    limit,
    alignment,
  })
  return async () => {
    for (const z of parts(batch, sizes.batch))
      for (const i of parts(m, sizes.m))
        for (const j of parts(n, sizes.n)) await runChunk(runtime, product, { z, i, j, alignment, sizes }, options)
  }
}

/** What the caller calls the matrices of a product. */
const NAMES = { a: 'a', b: 'b', c: 'c' }

/** The product that is meant, its sizes, views and buffers checked in the words of the function that takes them. */
export function checked(
  what: string,
  args: MatmulArgs,
  names: Readonly<Record<'a' | 'b' | 'c', string>> = NAMES,
): Product {
  const { m, n, k, batch = 1, transposeA = false, transposeB = false, alpha = 1, activation = 'none' } = args
  const { type = 'f32', bias = null } = args
  for (const [name, size] of Object.entries({ 'm · n · batch': m * n * batch, m, n, k, batch })) {
    if (size >= 2 ** 32) throw badArgument(`${what}: ${name} must be less than 2³², got ${size}`)
  }
  const a = transposeA ? placed(what, names.a, args.a, k, m) : placed(what, names.a, args.a, m, k)
  const b = transposeB ? placed(what, names.b, args.b, n, k) : placed(what, names.b, args.b, k, n)
  const c = placed(what, names.c, args.c, m, n)
  const residual = args.residual === undefined ? null : placed(what, 'residual', args.residual, m, n)
  const apart = c.batch >= (m - 1) * c.row + n
  const sideBySide = c.batch >= n && c.row >= (batch - 1) * c.batch + n
  if (batch > 1 && !apart && !sideBySide)
    throw badArgument(
      `${what}: ${names.c}.batch = ${c.batch} and ${names.c}.row = ${c.row} let the ${batch} results overlap`,
    )
  const bytes = bytesIn(type)
  checkBuffers(what, {
    [names.a]: [a.data, reach(a, batch), bytes],
    [names.b]: [b.data, reach(b, batch), bytes],
    [names.c]: [c.data, reach(c, batch), bytes],
    ...(bias ? { bias: [bias, n, bytes] as const } : {}),
    ...(residual ? { residual: [residual.data, reach(residual, batch), bytes] as const } : {}),
  })
  const { sums = 'f32' } = args
  if (sums !== 'f32' && (sums !== 'f16' || type !== 'f16'))
    throw badArgument(`${what}: sums must be f32, or f16 of f16, got ${String(sums)} of ${type}`)
  return { m, n, k, batch, transposeA, transposeB, alpha, activation, type, sums, bytes, a, b, c, bias, residual }
}

/** A part of the result: one dispatch, or partial products over k and a dispatch that joins them. */
async function runChunk(runtime: Runtime, product: Product, chunk: Chunk, options: MatmulOptions): Promise<void> {
  const { k, type, sums, transposeA, transposeB } = product
  const [m, n, batch] = [chunk.i[1], chunk.j[1], chunk.z[1]]
  const epilogue = product.bias !== null || product.residual !== null || product.activation !== 'none'
  const overK = parts(k, chunk.sizes.k)
  const problem = { m, n, k, batch, transposeA, transposeB, type, sums, epilogue }
  const tuning = options.tuning === null ? undefined : (options.tuning ?? tuningFor(runtime.info))
  const best = chooseMatmul(problem, options.device ?? runtime.info, tuning)
  const choice = best.fast && !(await areRight(runtime, product, best.fast, options)) ? chooseMatmul(problem) : best
  if (overK.length === 1 && choice.way !== 'split') {
    if (choice.fast) await runFast(runtime, product, chunk, choice.fast, options)
    else if (choice.way === 'tiled')
      await runtime.run(chosen(choice.kernel, options), tiledArgs(product, chunk, epilogue))
    else await runFew(runtime, product, chunk, choice, options)
    return
  }
  const split = chosen(splitKernel({ transposeA, transposeB, type }), options)
  const inOne = overK.length === 1 ? choice.splits : 1
  const span = Math.ceil(k / inOne / 16) * 16
  const splits = overK.length === 1 ? Math.ceil(k / span) : 1
  using partial = runtime.buffer({ size: 4 * splits * overK.length * batch * m * n })
  for (const [at, part] of overK.entries()) {
    const { a, b, params } = operands(product, chunk, part)
    const to = { c: partial, c_offset: at * batch * m * n, splits, span: overK.length === 1 ? span : part[1] }
    await runtime.run(split, { a, b, ...to, m, n, k: part[1], batch, ...params })
  }
  await joinParts(runtime, product, chunk, { partial, splits: splits * overK.length, width: n }, options)
}

/**
 * Whether fast kernels may be used: with `verify`, they compute a small product first, one for results in whole words and one for sums that
 * results are joined from.
 */
async function areRight(
  runtime: Runtime,
  { transposeA, transposeB, type }: Product,
  { kernel, parts: summing, isWhole, sums }: FastChoice,
  options: MatmulOptions,
): Promise<boolean> {
  if (!options.verify) return true
  const trial = { transposeA, transposeB, type }
  if (isWhole) return isRight(runtime, chosen(kernel, options), { ...trial, ...WHOLE_SIZES }, options, matmul)
  const whole = await isRight(runtime, chosen(kernel, options), { ...trial, n: 140, sums }, options, matmul)
  return whole && isRight(runtime, chosen(summing, options), { ...trial, n: 139 }, options, matmul)
}

function tiledArgs(product: Product, chunk: Chunk, epilogue: boolean) {
  const { alpha } = product
  const sizes = { m: chunk.i[1], n: chunk.j[1], k: product.k, batch: chunk.z[1], alpha }
  const inputs = operands(product, chunk, [0, product.k])
  const { c, bias, residual, params } = results(product, chunk, inputs.a)
  const common = { a: inputs.a, b: inputs.b, c, ...sizes, ...inputs.params }
  if (epilogue) return { ...common, bias, residual, ...params }
  return { ...common, c_offset: params.c_offset, c_row: params.c_row, c_batch: params.c_batch }
}

async function runFew(
  runtime: Runtime,
  product: Product,
  chunk: Chunk,
  choice: MatmulChoice,
  options: MatmulOptions,
): Promise<void> {
  const args = fewArgs(product, chunk, choice)
  const { rows, transposed } = choice.few as NonNullable<MatmulChoice['few']>
  const lines = chooseLines(transposed, rows, product.type, args)
  const columns = chooseColumns(transposed, rows, product.type, args)
  const { a_col: _, ...alongK } = args
  if (columns && columns.splits > 1) {
    await runParts(runtime, product, chunk, choice, columns, options)
    return
  }
  const kernel = chosen(lines ?? columns?.kernel ?? choice.kernel, options)
  // the trial is of the same kind: as many rows or columns, and k as such loads want it
  const few = choice.way === 'rows' ? { m: args.m } : { n: args.m }
  const { transposeA, transposeB, type } = product
  const trial = { transposeA, transposeB, type, ...few, k: lines ? 80 : 77 }
  const right = plainest(kernel) === kernel || (await isRight(runtime, kernel, trial, options, matmul))
  await runtime.run(right ? kernel : plainest(kernel), lines ? alongK : args)
}

/** Few rows in parts of k, whose sums are joined. */
async function runParts(
  runtime: Runtime,
  product: Product,
  chunk: Chunk,
  choice: MatmulChoice,
  { kernel, splits, span }: ColumnsChoice,
  options: MatmulOptions,
): Promise<void> {
  const [m, n, batch] = [chunk.i[1], chunk.j[1], chunk.z[1]]
  const args = fewArgs(product, chunk, choice)
  using partial = runtime.buffer({ size: 4 * splits * batch * m * n })
  const turned = choice.way === 'columns'
  const to = { c: partial, c_offset: 0, c_row: turned ? 1 : n, c_col: turned ? n : 1, c_batch: m * n }
  const { a, b, m: few, n: many, k, a_offset, a_row, a_col, a_batch, b_offset, b_row, b_batch } = args
  const places = { a_offset, a_row, a_col, a_batch, b_offset, b_row, b_batch }
  await runtime.run(chosen(kernel, options), { a, b, m: few, n: many, k, batch, span, splits, ...places, ...to })
  await joinParts(runtime, product, chunk, { partial, splits, width: n }, options)
}

/** Few rows; or few columns, which are the rows of cᵀ = bᵀ · aᵀ. */
function fewArgs(product: Product, chunk: Chunk, { way }: MatmulChoice) {
  const { transposeA, transposeB, alpha } = product
  const { a, b, params } = operands(product, chunk, [0, product.k])
  const out = results(product, chunk, a)
  const { c_row, residual_row, ...rest } = out.params
  const turned = way === 'columns'
  const [few, many] = turned ? (['b', 'a'] as const) : (['a', 'b'] as const)
  // whether the few rows lie along k in memory
  const alongK = turned ? transposeB : !transposeA
  const row = params[`${few}_row`]
  return {
    a: turned ? b : a,
    b: turned ? a : b,
    c: out.c,
    bias: out.bias,
    residual: out.residual,
    ...rest,
    alpha,
    m: turned ? chunk.j[1] : chunk.i[1],
    n: turned ? chunk.i[1] : chunk.j[1],
    k: product.k,
    batch: chunk.z[1],
    a_offset: params[`${few}_offset`],
    a_row: alongK ? row : 1,
    a_col: alongK ? 1 : row,
    a_batch: params[`${few}_batch`],
    b_offset: params[`${many}_offset`],
    b_row: params[`${many}_row`],
    b_batch: params[`${many}_batch`],
    c_row: turned ? 1 : c_row,
    c_col: turned ? c_row : 1,
    bias_row: turned ? 1 : 0,
    bias_col: turned ? 0 : 1,
    residual_row: turned ? 1 : residual_row,
    residual_col: turned ? residual_row : 1,
  }
}
