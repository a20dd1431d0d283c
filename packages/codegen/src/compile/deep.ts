import { type Expr, forEachStmt, type Kernel, loopTests, operands, statementOperands, WeftError } from '@weft/dsl/ir'

/**
 * Walks over expressions call themselves, so the stack of JavaScript limits how deep an expression may be. Runs such a
 * walk, and where the stack is full, throws `too-deep` with the deepest expression of the kernel.
 */
export function withinStack<R>(kernel: () => Kernel, walk: () => R): R {
  try {
    return walk()
  } catch (error) {
    // V8 and JavaScriptCore: a RangeError, "Maximum call stack size exceeded"; SpiderMonkey: "too much recursion"
    if (!/call stack|recursion/.test((error as Error)?.message) || error instanceof WeftError) throw error
    const { name, body, functions, constants, variables } = kernel()
    const roots = [...constants.map((c) => c.value), ...variables.flatMap((v) => v.init ?? [])]
    for (const block of [body, ...functions.map((f) => f.body)])
      forEachStmt(block, (s) => void roots.push(...statementOperands(s), ...loopTests(s)))
    const [depth, at] = deepest(roots)
    throw new WeftError({
      code: 'too-deep',
      message: `an expression of kernel '${name}' is ${depth} operations deep, more than the stack takes`,
      at,
      note: "name a part of it now and then: sum = k.let('sum', sum); or add up in a k.var, in a loop",
    })
  }
}

/** The greatest number of operations one in the other, and the builder's call that made the outermost. */
function deepest(roots: readonly Expr[]): readonly [depth: number, at: number] {
  const depths = new Map<Expr, number>()
  const open = [...roots]
  let most = 0
  let at = -1
  for (let e = open.pop(); e; e = open.pop()) {
    if (depths.has(e)) continue
    const parts = operands(e)
    const missing = parts.filter((o) => !depths.has(o))
    for (const o of missing.length > 0 ? [e, ...missing] : []) open.push(o)
    if (missing.length > 0) continue
    const depth = parts.reduce((d, o) => Math.max(d, 1 + (depths.get(o) as number)), 0)
    depths.set(e, depth)
    if (depth > most && 'at' in e) [most, at] = [depth, e.at]
  }
  return [most, at]
}
