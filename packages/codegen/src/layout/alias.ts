import { type Expr, type Kernel, type Place, sameType, WeftError } from '@weft/dsl/ir'
import { mapBodies, mapStmt } from '../passes/map'
import { rewrite } from '../passes/rewrite'

/** The kernel for callers that give one buffer as both bindings of an alias: there is only the writable one. */
export function mergeAlias(kernel: Kernel, [input, output]: readonly [string, string]): Kernel {
  const from = kernel.bindings.find((b) => b.name === input)
  const to = kernel.bindings.find((b) => b.name === output)
  if (!from || !to)
    throw new WeftError({ code: 'unknown-name', message: `the alias ['${input}', '${output}'] names no two bindings` })
  if (!sameType(from.type, to.type)) {
    throw new WeftError({
      code: 'bad-type',
      message: `the alias ['${input}', '${output}'] joins bindings of different types`,
    })
  }
  const rename = (p: Place): Place =>
    (p.root.kind === 'binding' || p.root.kind === 'view') && p.root.name === input
      ? { ...p, root: { ...p.root, name: output } }
      : p
  const lengths = rewrite(kernel, [renameBinding], false)
  const block = (b: Kernel['body']): Kernel['body'] =>
    b.map((s) => {
      const next = mapStmt(s, (e) => e, block)
      switch (next.kind) {
        case 'load':
        case 'store':
          return { ...next, place: rename(next.place) }
        case 'effect':
          return next.place ? { ...next, place: rename(next.place) } : next
        case 'call':
          return { ...next, args: next.args.map((a) => (a.kind === 'place' ? rename(a) : a)) }
        default:
          return next
      }
    })
  const merged = mapBodies(lengths, block)
  return {
    ...merged,
    bindings: kernel.bindings
      .filter((b) => b !== from)
      .map((b) => (b === to ? { ...b, access: 'read_write' as const } : b)),
    aliases: [],
    launch: kernel.launch && { ...kernel.launch, workgroups: kernel.launch.workgroups.map(renameLength) },
  }

  function renameBinding(e: Expr): Expr {
    if (e.kind !== 'length') return e
    const of = rename(e.of)
    return of === e.of ? e : { kind: 'length', at: e.at, type: e.type, of }
  }

  function renameLength(e: NonNullable<Kernel['launch']>['workgroups'][number]): typeof e {
    if (typeof e === 'number' || e.kind === 'param' || e.kind === 'override') return e
    if (e.kind === 'length') return e.binding === input ? { ...e, binding: output } : e
    return { ...e, a: renameLength(e.a), b: renameLength(e.b) }
  }
}
