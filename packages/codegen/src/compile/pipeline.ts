import { type Diagnostic, type Kernel, validate, WeftError } from '@weft/dsl/ir'
import { PASSES, type PassName, runAll } from '../passes'
import { isUnrolled } from '../passes/rewrite'
import type { Profile } from '../profiles'
import type { CompileOptions } from './options'

/** A kernel after the passes; `watch` sees it after each. */
export function runPasses(
  kernel: Kernel,
  profile: Profile,
  options: CompileOptions = {},
  watch?: (pass: PassName, kernel: Kernel) => void,
): Kernel {
  const { without = [], validate: when = 'once' } = options
  const passes = PASSES.filter((p) => p.required || !without.includes(p.name))
  const groups = watch || when === 'each' ? passes.map((p) => [p]) : [passes]
  let current = kernel
  for (const group of groups) {
    current = runAll(current, profile, group)
    const name = group.at(-1)?.name
    if (name === undefined) continue
    if (when === 'each') checkPass(name, current, options)
    // an index that was right for some rounds may be a constant out of range in others
    else if (when === 'once' && isUnrolled(current)) checkPass('unroll', current, options)
    watch?.(name, current)
  }
  return current
}

/**
 * Faults of the author's, which a kernel may have without being wrong for a compiler, are not the passes'. Operands that
 * turn out to be constants may be outside of the domain of constant expressions until the last pass, which sees to that.
 */
function checkPass(pass: PassName, kernel: Kernel, options: CompileOptions): void {
  const all = [
    ...(options.check?.(kernel) ?? []),
    ...validate({ ...kernel, guards: 'off' }, { ...(options.limits ? { limits: options.limits } : {}) }),
  ]
  const found = pass === PASSES.at(-1)?.name ? all : all.filter((d) => d.code !== 'const-domain')
  if (found.length === 0) return
  const [first, ...more] = found.map(
    (d): Diagnostic => ({ ...d, message: `after the pass '${pass}': ${d.message}` }),
  ) as [Diagnostic, ...Diagnostic[]]
  throw new WeftError(first, ...more)
}
