import type { Kernel, OverrideDecl } from '@weft/dsl/ir'
import { keepsName } from './names'

/**
 * How the host addresses overrides: by name, or by `@id`. One whose name WGSL cannot have is called otherwise in the
 * module, and gets an id, so that the author's name need not be known to the host in two spellings.
 */
export function overrideIds(kernel: Pick<Kernel, 'overrides'>): ReadonlyMap<string, number> {
  const ids = new Map<string, number>()
  const taken = new Set(kernel.overrides.map((o) => o.id))
  let next = 0
  for (const o of kernel.overrides) {
    if (o.id === null && keepsName(o.name)) continue
    if (o.id === null) while (taken.has(next)) next++
    ids.set(o.name, o.id ?? next++)
  }
  return ids
}

/** Those that keep their names first, so that no other name takes theirs. */
export const overridesFirst = (overrides: readonly OverrideDecl[]): readonly OverrideDecl[] => [
  ...overrides.filter((o) => keepsName(o.name)),
  ...overrides.filter((o) => !keepsName(o.name)),
]
