import type { CompiledKernel } from '@weft/codegen'
import {
  argsOf,
  bound,
  bufferOr,
  input,
  integer,
  listOf,
  listOfArgs,
  maybe,
  object,
  oneOf,
  oneOrMore,
  outputOver,
  size,
} from '../args'
import { shown } from '../errors'
import { type BufferLike, badArgument, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'
import type { ElementwiseType, Operation } from './operation'
import { broadcastShape, broadcastStrides, collapse, reach, type Shape, sizeOf, type View } from './shape'

/** An input: a buffer of the shape of the output, or one with a shape, strides and an offset of its own. */
export type ElementwiseInput = BufferLike | ({ readonly data: BufferLike } & View)

export interface ElementwiseArgs {
  /** In the order of the operation's arguments. */
  readonly inputs: readonly ElementwiseInput[]
  /** Written, row-major without gaps. May be the first input, where that has the same type and shape: in place. */
  readonly out: BufferLike | readonly BufferLike[]
  /** Of the output; that to which the inputs broadcast when they have shapes and this is left out. */
  readonly shape?: Shape
  /** What the inputs hold, f32 when left out. Casts need none. */
  readonly type?: ElementwiseType
  readonly params?: Readonly<Record<string, number>>
}

interface Input extends View {
  readonly data: BufferLike
  readonly given: boolean
}

const VIEW_ARGS = argsOf<View & { readonly data: BufferLike }>({
  data: input,
  shape: listOf(size),
  strides: maybe(listOf(integer)),
  offset: maybe(integer),
})
const ELEMENTWISE_ARGS = argsOf<ElementwiseArgs>({
  inputs: listOfArgs(bufferOr<ElementwiseInput>(input, VIEW_ARGS)),
  out: oneOrMore(outputOver('inputs[0]')),
  shape: maybe(listOf(size)),
  type: maybe(oneOf('f32', 'f16', 'i32', 'bool')),
  params: maybe(object<NonNullable<ElementwiseArgs['params']>>()),
})

/**
 * `out[i] = operation(inputs[i])` for every element, in one dispatch: `runElementwise(runtime, ops.add, { inputs: [x, y],
 * out, shape: [rows, cols] })`. Inputs with shapes of their own are broadcast as in NumPy.
 *
 * @throws RangeError before anything is recorded: a number of inputs, a type or a layout that the operation has not, shapes that
 *   do not fit, a buffer that is too small for what its view reaches
 */
export async function runElementwise(
  runtime: Runtime,
  operation: Operation,
  args: ElementwiseArgs,
  options: HostOptions = {},
): Promise<void> {
  if (typeof operation !== 'object' || operation === null)
    throw badArgument(
      `runElementwise: the operation must be one of ops, got ${shown(operation)}`,
      'ops.add, not its name',
    )
  const { name } = operation
  checkCall(runtime, 'runElementwise', args, ELEMENTWISE_ARGS, options)
  const { inputs, out, shape: wanted, type = 'f32', params = {} } = args
  const layouts = operation[type] ?? operation.any
  if (!layouts)
    throw badArgument(`runElementwise: ${name} has no form for ${type}, but for ${typesOf(operation).join(', ')}`)
  checkParams(layouts.flat, name, params)
  const outs = [out].flat() as BufferLike[]
  const bindings = layouts.flat.bindings
  const ins = bindings.length - bindings.filter(({ access }) => access !== 'read').length
  if (inputs.length !== ins) throw badArgument(`runElementwise: ${name} takes ${ins} inputs, got ${inputs.length}`)
  if (outs.length !== bindings.length - ins)
    throw badArgument(`runElementwise: ${name} has ${bindings.length - ins} outputs, got ${outs.length}`)

  const views = inputs.map((input): Input => {
    if (!('data' in input)) return { data: input, shape: wanted ?? [], given: false }
    return { ...input, given: true }
  })
  const shape =
    wanted ??
    broadcastShape(
      'runElementwise',
      views.flatMap((view) => (view.given ? [view.shape] : [])),
    )
  if (wanted === undefined && views.some(({ given }) => !given))
    throw badArgument(`runElementwise: give the shape of the output, or a shape for every input`)
  const n = sizeOf(shape)
  if (!Number.isSafeInteger(n) || shape.some((extent) => !Number.isInteger(extent) || extent < 0) || n > 2 ** 32 - 256)
    throw badArgument(
      `runElementwise: the shape must be integers from 0 on with fewer than 2³² elements, got [${shape.join(', ')}]`,
    )

  // two f16 to a word, where there is nothing else
  const words = layouts === operation.f16 && bindings.every(({ element }) => element?.type === 'u32')
  const elementOf = (i: number): number => (words ? 2 : (bindings[i]?.element?.stride ?? 4))
  const strides = views.map((view) => broadcastStrides('runElementwise', view.given ? view : { shape }, shape))
  const buffers: Record<string, readonly [BufferLike, number, number]> = {}
  views.forEach((view, i) => {
    const range = reach(view, strides[i] as number[], shape)
    if (range === null) return
    if (range[0] < 0) throw badArgument(`runElementwise: inputs[${i}] reaches element ${range[0]}, before its buffer`)
    buffers[`inputs[${i}]`] = [view.data, range[1] + 1, elementOf(i)]
  })
  outs.forEach((buffer, i) => {
    buffers[outs.length === 1 ? 'out' : `out[${i}]`] = [buffer, n, elementOf(ins + i)]
  })
  checkBuffers('runElementwise', buffers)
  if (n === 0) return

  const walk = collapse('runElementwise', shape, strides)
  const flat = walk.strides.every((s, i) => (views[i]?.offset ?? 0) === 0 && isFlat(walk.shape, s))
  const kernel = flat ? layouts.flat : layouts.strided
  if (!kernel) throw badArgument(`runElementwise: broadcast and strided inputs have no kernel; copy them first`)
  if (views[0]?.data === outs[0] && kernel.aliases.length === 0)
    throw badArgument(
      `runElementwise: out must be another buffer than inputs[0], since ${name} reads it in another type or layout than it writes`,
    )
  await runtime.run(chosen(kernel, options), {
    ...Object.fromEntries(views.map(({ data }, i) => [bindings[i]?.name, data])),
    ...Object.fromEntries(outs.map((buffer, i) => [bindings[ins + i]?.name, buffer])),
    n,
    ...(flat ? {} : stridedParams(kernel, walk, views)),
    ...params,
  })
}

/** Refuses params that are not the operation's own, as the number of elements is not, and asks for those that are. */
function checkParams({ params }: CompiledKernel, name: string, given: Readonly<Record<string, unknown>>): void {
  const own = (params?.fields ?? []).filter((field) => field.name !== 'n')
  const names = own.map((field) => field.name)
  for (const key of Object.keys(given))
    if (!names.includes(key))
      throw badArgument(
        `runElementwise: ${name} has no param '${key}'; ${names.length === 0 ? 'it has none' : `its params are ${names.join(', ')}`}`,
      )
  for (const { name: key, type } of own)
    (type === 'i32' ? integer : bound).check('runElementwise', `params.${key} of ${name}`, given[key])
}

const typesOf = (operation: Operation): string[] => Object.keys(operation).filter((key) => key !== 'name')

/** Whether a collapsed walk goes through the input as through an array without gaps: over one axis, by steps of 1. */
const isFlat = (shape: Shape, strides: readonly number[]): boolean =>
  strides.every((step, axis) => shape[axis] === 1 || (axis === strides.length - 1 && step === 1))

function stridedParams(
  kernel: CompiledKernel,
  walk: { readonly shape: readonly number[]; readonly strides: readonly (readonly number[])[] },
  views: readonly Input[],
): Record<string, unknown> {
  const params: Record<string, unknown> = { shape: walk.shape }
  views.forEach((view, i) => {
    const { name } = kernel.bindings[i] as { readonly name: string }
    params[`${name}_offset`] = view.offset ?? 0
    params[`${name}_strides`] = walk.strides[i]
  })
  return params
}
