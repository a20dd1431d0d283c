/**
 * Random kernels in batches: interpreter (as written, optimized), Dawn and wgpu must agree. fast-check makes the genes and
 * shrinks the one that fails; only shrinking runs kernels one by one.
 */
import { compile } from '@weft/codegen'
import { print, WeftError } from '@weft/dsl/ir'
import fc from 'fast-check'
import type { ParityCase } from '../parity/case.js'
import type { Engines } from '../parity/engines.js'
import { type Finished, type Plan, planOf, runPlans } from '../parity/run.js'
import { faultOf } from '../parity/verdict.js'
import { caseOf } from './build.js'
import { type KernelGene, kernelGene } from './gene.js'

export interface Batch {
  /** Kernels that ran everywhere. */
  readonly kernels: number
  /** By executor, how many runs were compared. */
  readonly runs: Readonly<Record<string, number>>
  readonly failure: Failure | null
  readonly finished: readonly Finished[]
}

export interface Failure {
  readonly seed: number
  readonly index: number
  readonly gene: KernelGene
  readonly text: string
}

interface Attempt {
  readonly case: ParityCase | null
  readonly plan: Plan | null
  readonly fault: string | null
}

/** Building and compiling; a kernel that weft itself refuses is a fault of the generator or of weft. */
function attempt(gene: KernelGene, name: string, engines: Engines): Attempt {
  let c: ParityCase | null = null
  try {
    c = caseOf(gene, name)
    return { case: c, plan: planOf(c, engines), fault: null }
  } catch (error) {
    const text =
      error instanceof WeftError
        ? `weft refuses it: ${error.message}`
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)
    return { case: c, plan: null, fault: text }
  }
}

const faultIn = (finished: Finished): string | null => {
  for (const [i, run] of finished.plan.runs.entries()) {
    const fault = faultOf(finished, i)
    if (fault !== null) return `${run.name}: ${fault}`
  }
  return null
}

/** What is wrong with one gene, or null. */
export async function faultOfGene(gene: KernelGene, engines: Engines): Promise<string | null> {
  const { plan, fault } = attempt(gene, 'shrinking', engines)
  if (!plan) return fault
  const [finished] = await runPlans('fuzz', [plan], engines)
  return finished ? faultIn(finished) : null
}

export async function runBatch(seed: number, size: number, engines: Engines): Promise<Batch> {
  const genes = fc.sample(kernelGene, { seed, numRuns: size })
  const attempts = genes.map((gene, i) => attempt(gene, `fuzz ${seed}/${i}`, engines))
  const refused = attempts.findIndex((a) => a.fault !== null)
  if (refused >= 0)
    return {
      kernels: refused,
      runs: {},
      finished: [],
      failure: failureOf(seed, refused, genes, attempts[refused]?.fault ?? ''),
    }
  const finished = await runPlans(
    'fuzz',
    attempts.map((a) => a.plan as Plan),
    engines,
  )
  const runs: Record<string, number> = {}
  for (const [index, f] of finished.entries()) {
    const fault = faultIn(f)
    if (fault !== null) return { kernels: index, runs, finished, failure: failureOf(seed, index, genes, fault) }
    f.plan.runs.forEach((run, i) => {
      const outcome = f.outcomes[i]
      if (outcome && 'outputs' in outcome) runs[run.executor] = (runs[run.executor] ?? 0) + 1
    })
  }
  return { kernels: genes.length, runs, finished, failure: null }
}

const failureOf = (seed: number, index: number, genes: readonly KernelGene[], text: string): Failure => ({
  seed,
  index,
  gene: genes[index] as KernelGene,
  text,
})

/** The smallest gene that still fails, found from the one at `index` of the batch. */
export async function shrink(failure: Failure, engines: Engines, tries = 400): Promise<Failure> {
  const kind = (text: string): string => /refuses it: (\S+)/.exec(text)?.[1] ?? /^\w+/.exec(text)?.[0] ?? ''
  const wanted = kind(failure.text)
  let best = failure
  let left = tries
  let progress = true
  while (progress && left > 0) {
    progress = false
    for (const smaller of smallerGenes(best.gene)) {
      if (left-- <= 0) break
      const text = await faultOfGene(smaller, engines)
      if (text === null || kind(text) !== wanted) continue
      best = { ...best, gene: smaller, text }
      progress = true
      break
    }
  }
  return best
}

/** One step smaller, in each possible way, the large steps first. */
function* smallerGenes(gene: KernelGene): Generator<KernelGene> {
  if (gene.size > 0) yield { ...gene, size: 0 }
  if (gene.groups > 1) yield { ...gene, groups: 1 }
  for (const body of smallerTrees(gene.body)) yield { ...gene, body: body as KernelGene['body'] }
  for (let i = gene.functions.length - 1; i >= 0; i--)
    yield { ...gene, functions: gene.functions.filter((_, j) => j !== i) }
  for (const [i, f] of gene.functions.entries()) {
    for (const body of smallerTrees(f.body))
      yield { ...gene, functions: gene.functions.map((g, j) => (j === i ? { ...f, body: body as typeof f.body } : g)) }
    for (const [result] of smallerTrees([f.result]))
      if (result)
        yield {
          ...gene,
          functions: gene.functions.map((g, j) => (j === i ? { ...f, result: result as typeof f.result } : g)),
        }
  }
}

/** Lists of statements or expressions with one left out, replaced by its children, or itself smaller. */
function* smallerTrees<T extends object>(list: readonly T[]): Generator<readonly T[]> {
  const without = (i: number, ...by: readonly T[]): readonly T[] => [...list.slice(0, i), ...by, ...list.slice(i + 1)]
  if (list.length > 3) yield list.slice(0, list.length >> 1)
  if (list.length > 3) yield list.slice(list.length >> 1)
  for (let i = 0; i < list.length; i++) yield without(i)
  for (const [i, item] of list.entries()) {
    for (const [key, children] of Object.entries(item)) {
      if (!Array.isArray(children) || children.length === 0) continue
      if (key !== 'exprs') yield without(i, ...(children as T[]))
      for (const fewer of smallerTrees(children as T[]))
        if (key !== 'exprs' || fewer.length > 0) yield without(i, { ...item, [key]: fewer })
    }
  }
}

/** For a person: what differs, the kernel as IR and as WGSL, and how to see it again. */
export function describeFailure({ seed, index, gene, text }: Failure): string {
  const parts = [`kernel ${index} of the batch with seed ${seed}: ${text}`, `gene: ${JSON.stringify(gene)}`]
  try {
    const { kernel } = caseOf(gene, 'shown')
    parts.push(print(kernel.ir()))
    parts.push(compile(kernel).variants[0]?.wgsl ?? '')
  } catch (error) {
    parts.push(String(error))
  }
  return parts.join('\n\n')
}
