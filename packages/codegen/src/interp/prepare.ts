import { evaluateHost, type Kernel, WeftError } from '@weft/dsl/ir'
import type { ParamsLayout } from '../artifact'
import { withinStack } from '../compile/deep'
import { assemble, type Module } from './assemble'
import { type Bindings, boundValue, checkBindings, lengthOf } from './bindings'
import type { OutOfRange } from './memory'
import { lanesFromBytes, lanesFromValues, overrideValues, type ParamValues } from './params'
import { paramLanes, type RunValue } from './program'

export interface PrepareOptions {
  readonly overrides?: Readonly<Record<string, number>>
  /** Invocations of a subgroup, a power of two up to 128; 32 unless the kernel requires another. */
  readonly subgroupSize?: number
  /** Where params lie in their bytes; by default as in a struct of them. */
  readonly layout?: ParamsLayout | null
  /** Told of every access that is out of range of a binding; where it is left out, nothing looks for them. */
  readonly watch?: (access: OutOfRange) => void
}

export interface RunOptions {
  /** The bytes of each binding by name, written in place; the same memory under two names is the same buffer. */
  readonly bindings: Bindings
  /** Values by name (lanes of vectors as arrays), or the bytes of the block. */
  readonly params?: ParamValues | Uint8Array
  readonly workgroups: readonly [number, number, number] | readonly number[]
}

/** A kernel compiled for fixed overrides, to be run any number of times. */
export interface Prepared {
  /** The JavaScript that it became. */
  readonly source: string
  run(options: RunOptions): void
}

/**
 * Compiles a kernel to JavaScript. Throws a WeftError: `bad-override`, `workgroup-size`.
 */
export function prepare(kernel: Kernel, options: PrepareOptions = {}): Prepared {
  const overrides = overrideValues(kernel, options.overrides ?? {})
  const subgroupSize = checkSubgroupSize(options.subgroupSize ?? kernel.subgroupSize ?? 32)
  checkSize(kernel, overrides)
  const module = moduleOf(kernel, overrides, subgroupSize, options.watch)
  return {
    source: module.source,
    run: (launch) => run(kernel, module, overrides, options.layout ?? null, launch),
  }
}

/** Runs a kernel once: `prepare(kernel, options).run(options)`. */
export function interpret(kernel: Kernel, options: PrepareOptions & RunOptions): void {
  prepare(kernel, options).run(options)
}

const modules = new WeakMap<Kernel, Map<string, Module>>()

/** A kernel is compiled once for the same overrides: IR is frozen, and what a module keeps is anew for each run. */
function moduleOf(
  kernel: Kernel,
  overrides: Readonly<Record<string, number>>,
  subgroupSize: number,
  watch: PrepareOptions['watch'],
): Module {
  const compiled = (): Module =>
    withinStack(
      () => kernel,
      () => assemble(kernel, overrides, subgroupSize, watch),
    )
  // what is watched belongs to its watcher
  if (watch) return compiled()
  const known = modules.get(kernel) ?? new Map<string, Module>()
  modules.set(kernel, known)
  const key = `${subgroupSize} ${Object.values(overrides).join(' ')}`
  const module = known.get(key) ?? compiled()
  known.set(key, module)
  return module
}

function checkSubgroupSize(size: number): number {
  if (Number.isInteger(Math.log2(size)) && size >= 1 && size <= 128) return size
  throw new WeftError({
    code: 'bad-argument',
    message: `${size} is not a subgroup size`,
    note: 'it is a power of two up to 128',
  })
}

function checkSize(kernel: Kernel, overrides: Readonly<Record<string, number>>): void {
  const size = kernel.workgroupSize.map((e) => (typeof e === 'number' ? e : (overrides[e.override] ?? 0)))
  const count = size.reduce((a, b) => a * b, 1)
  if (size.every((n) => Number.isInteger(n) && n >= 1) && count <= 65536) return
  throw new WeftError({
    code: 'workgroup-size',
    message: `kernel '${kernel.name}' has workgroups of ${size.join(' × ')} invocations`,
  })
}

function run(
  kernel: Kernel,
  module: Module,
  overrides: Readonly<Record<string, number>>,
  layout: ParamsLayout | null,
  launch: RunOptions,
): void {
  checkBindings(kernel, launch.bindings)
  const params = paramsOf(kernel, layout, launch.params)
  const [nx = 1, ny = 1, nz = 1] = launch.workgroups
  for (const n of [nx, ny, nz]) {
    if (!Number.isInteger(n) || n < 0)
      throw new WeftError({ code: 'bad-workgroups', message: `${n} is not a number of workgroups` })
  }
  const limit = limitOf(kernel, overrides, params, launch.bindings)
  const values = Object.fromEntries(
    [...module.values].map(([name, value]) => [name, runValue(kernel, value, params, launch.bindings)]),
  )
  module.run({ ...values, nx, ny, nz, limit })
}

function paramsOf(kernel: Kernel, layout: ParamsLayout | null, given: RunOptions['params']): number[] {
  if (given instanceof Uint8Array) return lanesFromBytes(kernel.params, given, layout)
  return lanesFromValues(kernel.params, given ?? {})
}

function runValue(kernel: Kernel, value: RunValue, params: readonly number[], bindings: Bindings): unknown {
  if (value.kind === 'param') return value.scalar === 'bool' ? params[value.index] !== 0 : params[value.index]
  const binding = kernel.bindings.find((b) => b.name === value.name)
  const given = bindings[value.name]
  return binding && given ? boundValue(binding, given, value.what) : undefined
}

/** A linear launch says how many workgroups there are; those above, which folding adds, do nothing. */
function limitOf(
  kernel: Kernel,
  overrides: Readonly<Record<string, number>>,
  params: readonly number[],
  bindings: Bindings,
): number {
  const { launch } = kernel
  const rule = launch?.folds ? launch.workgroups[0] : undefined
  if (rule === undefined) return Infinity
  const positions = paramLanes(kernel.params)
  return evaluateHost(rule, {
    param: (name) => params[positions.get(name)?.[0] ?? -1] ?? 0,
    override: (name) => overrides[name] ?? 0,
    length: (name) => {
      const binding = kernel.bindings.find((b) => b.name === name)
      const given = bindings[name]
      return binding && given instanceof Uint8Array ? lengthOf(binding, given) : 0
    },
  })
}
