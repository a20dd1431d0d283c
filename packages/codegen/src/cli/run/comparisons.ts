import type { CompiledKernel } from '../../artifact'
import { CommandError, type Io } from '../command'
import type { FoundKernel } from '../load/discover'
import type { RunArguments } from './arguments'
import { type Comparison, compare, outputsByName, type Reference, referenceAt, referenceOf, TOLERANCE } from './compare'
import { openEngine } from './engine'
import { type Contents, numbers, type Ran, runOn, written } from './execute'

/** A run, and what it was made of. */
export interface Run {
  readonly found: FoundKernel
  readonly kernel: CompiledKernel
  readonly given: RunArguments
  readonly contents: Contents
  readonly ran: Ran
  readonly onGpu: boolean
}

/** What a run is compared with: the reference, and, with --check, the interpreter. */
export async function comparisonsOf(run: Run, io: Io): Promise<Comparison[]> {
  const { found, kernel, given, contents, onGpu } = run
  const own = () => referenceOf(found.module, kernel.name, found.exportName)
  const reference = given.reference === undefined ? own() : await referenceAt(given.reference, io)
  const comparisons = againstReference(run, reference)
  if (!given.check) return comparisons
  if (onGpu) {
    const other = await runOn(await openEngine('cpu'), kernel, { ...given, variant: undefined }, contents)
    return [...comparisons, ...againstInterpreter(run, other)]
  }
  if (comparisons.length > 0) return comparisons
  throw new CommandError(
    'nothing-to-check',
    'the kernel ran on the interpreter and has no reference',
    'export references from its module, give --reference, or run it on WebGPU',
  )
}

const NOTHING = new Uint8Array()

/** Against the reference, where there is one. */
function againstReference({ kernel, given, contents, ran }: Run, reference: Reference | null): Comparison[] {
  if (reference === null) return []
  const inputs = Object.fromEntries(kernel.bindings.map((b) => [b.name, numbers(b, contents[b.name] ?? NOTHING)]))
  const expected = outputsByName(kernel, reference.run({ ...inputs, ...given.params }))
  const tolerance = given.tolerance ?? reference.tolerance ?? TOLERANCE
  return written(kernel).flatMap((binding) => {
    const [want, got] = [expected[binding.name], numbers(binding, ran.outputs[binding.name] ?? NOTHING)]
    return want && got ? [compare(binding.name, 'the reference', got, want, tolerance)] : []
  })
}

function againstInterpreter({ kernel, given, ran }: Run, other: Ran): Comparison[] {
  const tolerance = given.tolerance ?? TOLERANCE
  return written(kernel).map((binding) => {
    const { name } = binding
    // what has no plain lanes is compared by its bytes
    const lanes = ({ outputs: { [name]: bytes = NOTHING } }: Ran) => numbers(binding, bytes) ?? bytes
    return compare(name, 'the interpreter', lanes(ran), lanes(other), tolerance)
  })
}
