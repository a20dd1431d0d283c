import type { Kernel } from '@weft/dsl/ir'
import type { Context, Module } from './context'
import type { Memory } from './memory'
import { names } from './names'
import { rootName } from './naming'
import { plan } from './plan'

/** What is known before a body is written; an empty body, of which nothing is planned, for expressions outside of any. */
export function functionContext(
  m: Module,
  memory: Memory,
  body: Kernel['body'],
  visible: ReadonlySet<string> = m.names.visible,
): Context {
  const c: { plan: Context['plan'] } & Omit<Context, 'plan'> = {
    module: m,
    memory,
    plan: NO_PLAN,
    names: names(visible),
    bound: [],
    results: new Map(),
    variables: new Map(),
    args: new Map(),
    builtins: new Map(),
    specials: new Map(),
    rank: 0,
  }
  if (body.length > 0) c.plan = plan(body, memory, (place) => rootName(place, c), m.kernel.graph.size)
  return c
}

const EMPTY = { owner: null, depth: 0, loop: false, sites: [], end: 0 }
const NO_PLAN: Context['plan'] = {
  root: EMPTY,
  bound: new Set(),
  inlined: [],
  carried: new Map(),
  adopted: new Map(),
  inlinedCalls: new Map(),
  uses: () => 0,
  hint: () => undefined,
  builtins: new Set(),
  specials: new Set(),
  renamed: new Map(),
}
