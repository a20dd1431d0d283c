// Entries of weft: a function of the library as a consumer calls it, or one kernel with its arguments.

import type { CompiledKernel } from '@weft/codegen'
import type { Arguments, Runtime } from '@weft/runtime'
import type { Contest, Entry, Opened } from './contest'
import { buffersOf, type Lab, type Named, reader, turnsOf } from './lab'

/** As many sets of buffers as make every run a cold one. */
export async function sets(lab: Lab, contest: Contest): Promise<Named[]> {
  const all: Named[] = []
  for (let turn = turnsOf(contest); turn > 0; turn--) all.push(await buffersOf(lab, contest))
  return all
}

/** An entry that works on buffers of the lab. */
export function opened(
  lab: Lab,
  contest: Contest,
  all: readonly Named[],
  rest: Pick<Opened, 'run' | 'compileMs'>,
): Opened {
  let last = 0
  return {
    ...rest,
    turns: all.length,
    run: (turn) => {
      last = turn
      return rest.run(turn)
    },
    read: (name, first, count) => reader(lab, contest, all[last] as Named)(name, first, count),
    close: () => {
      for (const buffers of all) for (const buffer of Object.values(buffers)) buffer.destroy()
    },
  }
}

type Call = (runtime: Runtime, buffers: Named) => Promise<unknown>

export interface LibraryOptions {
  /** Further buffers: bytes by name. */
  readonly scratch?: Readonly<Record<string, number>>
  /** What is run once on each set of buffers, before anything is timed: the forward, for a backward. */
  readonly before?: Call
}

/** A function of the library: `library('weft', (runtime, { a, b, c }) => matmul(runtime, { a, b, c, m, n, k }))`. */
export function library(name: string, call: Call, { scratch = {}, before }: LibraryOptions = {}): Entry {
  return {
    name,
    open: async (lab, contest) => {
      const more = Object.entries(scratch).map(
        ([label, size]) => [label, lab.runtime.buffer({ size }, { label })] as const,
      )
      const all = (await sets(lab, contest)).map((set) => ({ ...set, ...Object.fromEntries(more) }))
      for (const set of all) await before?.(lab.runtime, set)
      const start = performance.now()
      await call(lab.runtime, all[0] as Named)
      const compileMs = performance.now() - start
      return opened(lab, contest, all, { compileMs, run: (turn) => call(lab.runtime, all[turn] as Named) })
    },
  }
}

export interface Step<K extends CompiledKernel = CompiledKernel> {
  readonly kernel: K
  /** Bindings that are buffers of the contest, or of `scratch`, by their names there; and params. */
  readonly args: (buffers: Named) => Arguments<K>
}

export interface KernelOptions {
  /** Further buffers: bytes by name. */
  readonly scratch?: Readonly<Record<string, number>>
}

/** One launch, or several in a row, of kernels: `kernels('128x128x16', [step(kernel, ({ a, b, c }) => ({ a, b, c, m, n, k }))])`. */
export function kernels(name: string, steps: () => readonly Step[], { scratch = {} }: KernelOptions = {}): Entry {
  return {
    name,
    open: async (lab, contest) => {
      const start = performance.now()
      const launches = steps()
      await lab.runtime.warmup(launches.map(({ kernel }) => kernel))
      const compileMs = performance.now() - start
      const more = Object.entries(scratch).map(
        ([label, size]) => [label, lab.runtime.buffer({ size }, { label })] as const,
      )
      const all = (await sets(lab, contest)).map((set) => ({ ...set, ...Object.fromEntries(more) }))
      const recordings = await Promise.all(
        all.map(async (set) => {
          const prepared = await Promise.all(launches.map(({ kernel, args }) => lab.runtime.prepare(kernel, args(set))))
          return lab.runtime.record((r) => {
            for (const one of prepared) r.dispatch(one)
            return []
          })
        }),
      )
      return opened(lab, contest, all, { compileMs, run: (turn) => recordings[turn]?.replay() })
    },
  }
}

export const step = <K extends CompiledKernel>(kernel: K, args: Step<K>['args']): Step => ({ kernel, args }) as Step
