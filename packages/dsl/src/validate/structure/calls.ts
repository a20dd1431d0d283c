import { type Call, type Func, forEachStmt, isPlace } from '../../ir'
import { isValue, spell } from '../../types'
import type { Context } from '../context'
import type { Expressions } from './expressions'

/** A call against the declaration of its function. The arguments themselves were checked; what pointers point to, `validate` checks. */
export function checkCall(s: Call, x: Expressions): void {
  const func = x.context.functions.get(s.func)
  if (!func) {
    x.context.report('unknown-name', `there is no function '${s.func}'`, s.at)
    return
  }
  if (func.params.length !== s.args.length) {
    x.fault(s.at, `'${s.func}' takes ${func.params.length} arguments, not ${s.args.length}`)
    return
  }
  func.params.forEach(({ name, type }, i) => {
    const arg = s.args[i]
    if (!arg) return
    const pointer = !isValue(type) && type.kind === 'ptr'
    if (isPlace(arg) !== pointer)
      x.fault(
        s.at,
        `argument '${name}' of '${s.func}' must be ${pointer ? 'a place' : `a value of type ${spell(type)}`}`,
      )
    else if (!isPlace(arg)) x.expect(`argument '${name}' of '${s.func}'`, type, arg.type, s.at)
  })
  if (s.result && func.result === null) x.fault(s.at, `'${s.func}' returns nothing`)
  else if (s.result && func.result !== null) x.expect(`the result of '${s.func}'`, func.result, s.result.type, s.at)
}

/** Recursion, with the path of calls, and functions that stand after their callers. */
export function checkCallGraph(context: Context): boolean {
  const done = new Set<Func>()
  const path: Func[] = []
  const order = new Map(context.kernel.functions.map((f, i) => [f.name, i]))
  let fine = true
  let misplaced = null as { callee: string; caller: string; at: number } | null
  const visit = (f: Func): void => {
    if (done.has(f)) return
    path.push(f)
    forEachStmt(f.body, (s) => {
      const callee = s.kind === 'call' ? context.functions.get(s.func) : undefined
      if (!callee) return
      const cycle = path.indexOf(callee)
      if (cycle >= 0) {
        fine = false
        const names = [...path.slice(cycle), callee].map((g) => g.name)
        context.report(
          'recursion',
          `'${callee.name}' calls itself: ${names.join(' → ')}`,
          s.at,
          'WGSL has no recursion: use a loop',
        )
        return
      }
      if ((order.get(callee.name) ?? 0) > (order.get(f.name) ?? 0))
        misplaced ??= { callee: callee.name, caller: f.name, at: s.at }
      visit(callee)
    })
    path.pop()
    done.add(f)
  }
  for (const f of context.kernel.functions) visit(f)
  if (!fine || misplaced === null) return fine
  context.report(
    'invalid-ir',
    `function '${misplaced.callee}' stands after its caller '${misplaced.caller}'`,
    misplaced.at,
  )
  return false
}
