import type { Kernel, Root } from '@weft/dsl/ir'
import { rewrite, rewriting } from '../passes/rewrite'

/**
 * The kernel for callers that give one buffer as both bindings of an alias: there is only the writable one. `validate` has
 * made sure that the two are bindings of one type.
 */
export function mergeAlias(kernel: Kernel, [input, output]: readonly [string, string]): Kernel {
  const from = kernel.bindings.find((b) => b.name === input)
  const root = (r: Root): Root =>
    (r.kind === 'binding' || r.kind === 'view') && r.name === input ? { ...r, name: output } : r
  return {
    ...rewrite({ ...rewriting(kernel), root }),
    bindings: kernel.bindings
      .filter((b) => b !== from)
      .map((b) => (b.name === output ? { ...b, access: 'read_write' as const } : b)),
    aliases: [],
    launch: kernel.launch && { ...kernel.launch, workgroups: kernel.launch.workgroups.map(renameLength) },
  }

  function renameLength(e: NonNullable<Kernel['launch']>['workgroups'][number]): typeof e {
    if (typeof e === 'number' || e.kind === 'param' || e.kind === 'override') return e
    if (e.kind === 'length') return e.binding === input ? { ...e, binding: output } : e
    return { ...e, a: renameLength(e.a), b: renameLength(e.b) }
  }
}
