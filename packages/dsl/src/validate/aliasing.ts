import { type Block, type Call, type Func, forEachStmt, isPlace, type Place } from '../ir'
import { EFFECTS, type EffectRow } from '../ops'
import { isValue } from '../types'
import type { Context } from './context'

/**
 * Pointers to the same memory in one call, and pointers to memory that the function also uses by name, where one of
 * the two is written. As in WGSL, two places of one variable are the same memory, whatever their indices are.
 */
export function checkAliasing(context: Context): void {
  const { functions } = context.kernel
  if (!functions.some((f) => f.params.some((p) => !isValue(p.type) && p.type.kind === 'ptr'))) return
  const uses = new Map<string, Uses>()
  for (const f of functions) uses.set(f.name, usesOf(f.body, f, uses, context))
  usesOf(context.kernel.body, null, uses, context)
}

const READ = 1
const WRITE = 2
/** By root: a binding, a module variable or a pointer parameter, what is done to it. */
type Uses = Map<string, number>

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

const keyOf = ({ root }: Place): string =>
  root.kind === 'variable'
    ? `variable ${root.id}`
    : root.kind === 'pointer'
      ? `pointer ${root.name}`
      : `binding ${root.name}`

function usesOf(body: Block, func: Func | null, callees: ReadonlyMap<string, Uses>, context: Context): Uses {
  const uses: Uses = new Map()
  const add = (key: string, use: number): void => void uses.set(key, (uses.get(key) ?? 0) | use)
  forEachStmt(body, (s) => {
    if (s.kind === 'load') add(keyOf(s.place), READ)
    else if (s.kind === 'store') add(keyOf(s.place), WRITE)
    else if (s.kind === 'effect' && s.place) add(keyOf(s.place), ROWS[s.op]?.memory === 'read' ? READ : READ | WRITE)
    else if (s.kind === 'call') checkCall(s, func, callees, add, context)
  })
  return uses
}

function checkCall(
  s: Call,
  caller: Func | null,
  callees: ReadonlyMap<string, Uses>,
  add: (key: string, use: number) => void,
  context: Context,
): void {
  const callee = context.functions.get(s.func)
  const uses = callees.get(s.func)
  if (!callee || !uses) return
  const given = new Map<string, { name: string; use: number }>()
  callee.params.forEach(({ name }, i) => {
    const arg = s.args[i]
    if (!arg || !isPlace(arg)) return
    const key = keyOf(arg)
    const use = uses.get(`pointer ${name}`) ?? 0
    const other = given.get(key)
    const direct = uses.get(key) ?? 0
    if (other && use && other.use && (use | other.use) & WRITE)
      report(`'${other.name}' and '${name}' of '${s.func}' point to the same memory, which it writes`, s, context)
    else if (use && direct && !key.startsWith('pointer') && (use | direct) & WRITE)
      report(`'${name}' of '${s.func}' points to memory that the function also uses by name and writes`, s, context)
    given.set(key, { name, use: use | (other?.use ?? 0) })
    add(key, use)
  })
  for (const [key, use] of uses)
    if (!key.startsWith('pointer') && !(caller === null && key.startsWith('pointer'))) add(key, use)
}

const report = (message: string, s: Call, context: Context): void =>
  context.report('pointer-alias', message, s.at, 'copy one of them into a variable first')
