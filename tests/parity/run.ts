/**
 * Runs many cases on everything: the interpreter (the IR as written, and optimized), Dawn and wgpu (each variant of
 * the artifact), all jobs of an engine in one batch.
 */
import type { CompiledVariant } from '@weft/codegen'
import type { Kernel } from '@weft/dsl/ir'
import { countCase } from '../engines/counts.js'
import { describeError, type Engine, type Job, type Result } from '../engines/engine.js'
import type { EngineName, ParityCase } from './case.js'
import { type Compiled, compileOnce, optimizedIr, rawIr } from './compiled.js'
import { type Engines, obstacle } from './engines.js'
import { interpretCase } from './interpreted.js'
import { bytesIn, jobOf, writtenOf } from './jobs.js'

export type Executor = 'interpreter' | EngineName

/** One execution of a case, or why there was none. */
export interface Run {
  /** As `interpreter, optimized` or `dawn, portable+immediates`. */
  readonly name: string
  readonly executor: Executor
  /** Which source variant it ran: what is to be compared with what. */
  readonly source: string
  readonly skipped?: string
  execute?(): Outputs
  readonly job?: Job
}

/** The bytes of the written bindings by name. */
export type Outputs = Readonly<Record<string, Uint8Array>>

export interface Plan {
  readonly case: ParityCase
  readonly compiled: Compiled
  readonly runs: readonly Run[]
  ir(source: string): Kernel
}

/** What there is to run; throws what the compiler throws. */
export function planOf(c: ParityCase, engines: Engines): Plan {
  const compiled = compileOnce(c.kernel, c.compile)
  const { artifact } = compiled
  const variants = artifact.variants.filter((v) => String(v.needs.alias) === String(c.alias ?? null))
  const sources = [...new Set(variants.map((v) => v.source))]
  const runs = [
    ...sources.flatMap((source) => interpreterRuns(c, compiled, source)),
    ...(['dawn', 'wgpu'] as const).flatMap((name) => variants.map((v) => engineRun(c, compiled, engines, name, v))),
  ]
  return { case: c, compiled, runs, ir: (source) => rawIr(c.kernel, source) }
}

function interpreterRuns(c: ParityCase, { artifact }: Compiled, source: string): readonly Run[] {
  const suffix = artifact.variants.every((v) => v.source === source) ? '' : `, ${source}`
  const run = (name: string, ir: () => Kernel, lowered: boolean): Run => ({
    name: `interpreter${name}${suffix}`,
    executor: 'interpreter',
    source,
    execute: () => {
      const kernel = ir()
      const memory = interpretCase(c, kernel, artifact, lowered)
      return Object.fromEntries(writtenOf(kernel).map(({ name: n }) => [n, bytesIn(memory, n)]))
    },
  })
  return [run('', () => rawIr(c.kernel, source), false), run(', optimized', () => optimizedIr(c.kernel, source), true)]
}

function engineRun(
  c: ParityCase,
  { artifact }: Compiled,
  engines: Engines,
  name: EngineName,
  variant: CompiledVariant,
): Run {
  const why = obstacle(name, engines[name], variant, c)
  const base = { name: `${name}, ${variant.id}`, executor: name, source: variant.source }
  if (why !== null) return { ...base, skipped: why }
  return { ...base, job: jobOf(c, rawIr(c.kernel, variant.source), artifact, variant) }
}

export type Outcome = { readonly outputs: Outputs } | { readonly error: string } | { readonly skipped: string }

export interface Finished {
  readonly plan: Plan
  /** In the order of `plan.runs`. */
  readonly outcomes: readonly Outcome[]
}

/**
 * Runs everything that was planned: both engines at the same time, and the interpreter while they work. What ran is counted for
 * the `suite`.
 */
export async function runPlans(suite: string, plans: readonly Plan[], engines: Engines): Promise<Finished[]> {
  const onDawn = batch(plans, engines.dawn, 'dawn')
  const onWgpu = batch(plans, engines.wgpu, 'wgpu')
  const onCpu = new Map<Run, Outcome>()
  for (const plan of plans) {
    for (const run of plan.runs) if (run.execute) onCpu.set(run, attempt(run.execute))
    // the engines' answers come in between
    await new Promise((resolve) => setImmediate(resolve))
  }
  const results = new Map([...onCpu, ...(await onDawn), ...(await onWgpu)])
  return plans.map((plan) => ({ plan, outcomes: plan.runs.map((run) => finish(suite, plan, run, results.get(run))) }))
}

function attempt(execute: () => Outputs): Outcome {
  try {
    return { outputs: execute() }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function batch(plans: readonly Plan[], engine: Engine | string, name: EngineName): Promise<Map<Run, Outcome>> {
  if (typeof engine === 'string') return new Map()
  const todo = plans.flatMap((plan) =>
    plan.runs.flatMap((run) => (run.executor === name && run.job ? [{ plan, run, job: run.job }] : [])),
  )
  const results = await engine.runMany(todo.map(({ job }) => job))
  return new Map(todo.map(({ plan, run, job }, i) => [run, outcomeOf(plan, run, job, results[i] as Result)]))
}

function outcomeOf(plan: Plan, run: Run, job: Job, result: Result): Outcome {
  if (!result.ok) return { error: `${describeError(result.label, result.error)}\n\n${job.wgsl}` }
  const { variants } = plan.compiled.artifact
  const variant = variants.find((v) => run.name.endsWith(`, ${v.id}`)) as CompiledVariant
  const entries = result.outputs.flatMap(({ group, binding, bytes }) => {
    const slots = variant.slots.filter((s) => s.group === group && s.binding === binding)
    return slots.map((slot): [string, Uint8Array] => [slot.name, bytes])
  })
  return { outputs: Object.fromEntries(entries) }
}

function finish(suite: string, plan: Plan, run: Run, outcome: Outcome | undefined): Outcome {
  if (run.skipped !== undefined) return { skipped: run.skipped }
  const features = plan.compiled.artifact.variants.find((v) => run.name.endsWith(`, ${v.id}`))?.needs.features ?? []
  if (outcome && 'outputs' in outcome) countCase(suite, run.executor, { f16: features.includes('shader-f16') })
  return outcome ?? { error: 'it did not run' }
}
