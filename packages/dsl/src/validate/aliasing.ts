import { type Block, type Call, forEachStmt, isPlace, type Place } from '../ir'
import { EFFECTS, type EffectRow } from '../ops'
import { isKind } from '../types'
import type { Context } from './context'

/**
 * Pointers to the same memory in one call, and pointers to memory that the function also uses by name, where one of
 * the two is written. As in WGSL, two places of one variable are the same memory, whatever their indices are.
 */
export function checkAliasing(context: Context): void {
  const { functions, body } = context.kernel
  if (!functions.some((f) => f.params.some((p) => isKind(p.type, 'ptr')))) return
  const uses = new Map<string, Uses>()
  for (const f of functions) uses.set(f.name, usesOf(f.body, uses, context))
  usesOf(body, uses, context)
}

const READ = 1
const WRITE = 2
/** By root: a binding, a variable or a pointer parameter, what is done to it. */
type Uses = Map<string, number>

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS
const POINTER = 'pointer '
const keyOf = ({ root }: Place): string =>
  root.kind === 'variable' ? `${root.id}` : root.kind === 'pointer' ? POINTER + root.name : `binding ${root.name}`

const add = (uses: Uses, key: string, use: number): void => void uses.set(key, (uses.get(key) ?? 0) | use)

function usesOf(body: Block, callees: ReadonlyMap<string, Uses>, context: Context): Uses {
  const uses: Uses = new Map()
  forEachStmt(body, (s) => {
    if (s.kind === 'load') add(uses, keyOf(s.place), READ)
    else if (s.kind === 'store') add(uses, keyOf(s.place), WRITE)
    else if (s.kind === 'effect' && s.place)
      add(uses, keyOf(s.place), ROWS[s.op]?.memory === 'read' ? READ : READ | WRITE)
    else if (s.kind === 'call') checkCall(s, uses, callees.get(s.func) ?? new Map(), context)
  })
  return uses
}

/** `own`: what the caller uses, to which what the call uses is added. */
function checkCall(s: Call, own: Uses, uses: Uses, context: Context): void {
  const given = new Map<string, { name: string; use: number }>()
  const fault = (message: string): void =>
    context.report('pointer-alias', message, s.at, 'copy one of them into a variable first')
  context.functions.get(s.func)?.params.forEach(({ name }, i) => {
    const arg = s.args[i]
    if (!arg || !isPlace(arg)) return
    const key = keyOf(arg)
    const use = uses.get(POINTER + name) ?? 0
    const other = given.get(key)
    const direct = key.startsWith(POINTER) ? 0 : (uses.get(key) ?? 0)
    if (other && use && other.use && (use | other.use) & WRITE)
      fault(`'${other.name}' and '${name}' of '${s.func}' point to the same memory, which it writes`)
    else if (use && direct && (use | direct) & WRITE)
      fault(`'${name}' of '${s.func}' points to memory that the function also uses by name and writes`)
    given.set(key, { name, use: use | (other?.use ?? 0) })
    add(own, key, use)
  })
  for (const [key, use] of uses) if (!key.startsWith(POINTER)) add(own, key, use)
}
