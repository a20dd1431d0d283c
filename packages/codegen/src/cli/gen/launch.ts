import type { HostExpr, LaunchRule } from '@weft/dsl/ir'
import { key, quote } from './literal'

/** What a launch rule asks for besides params. */
export interface LaunchNeeds {
  /** Bindings whose lengths it uses, in order. */
  readonly lengths: readonly string[]
  readonly params: boolean
  readonly overrides: boolean
}

export function launchNeeds(rule: LaunchRule | null): LaunchNeeds {
  const lengths = new Set<string>()
  let [params, overrides] = [false, false]
  const visit = (e: HostExpr): void => {
    if (typeof e === 'number') return
    if (e.kind === 'length') lengths.add(e.binding)
    else if (e.kind === 'param') params = true
    else if (e.kind === 'override') overrides = true
    else [e.a, e.b].forEach(visit)
  }
  rule?.workgroups.forEach(visit)
  return { lengths: [...lengths].sort(), params, overrides }
}

const member = (object: string, name: string): string =>
  key(name) === name ? `${object}.${name}` : `${object}[${quote(name)}]`

/** How tightly an operator binds: sums, products, everything else. */
type Level = 1 | 2 | 3

const INFIX = { add: ['+', 1], sub: ['-', 1], mul: ['*', 2] } as const

function code(e: HostExpr): { readonly text: string; readonly level: Level } {
  if (typeof e === 'number') return { text: String(e), level: 3 }
  switch (e.kind) {
    case 'param':
      return { text: member('params', e.name), level: 3 }
    case 'override':
      return { text: `Number(${member('overrides', e.name)})`, level: 3 }
    case 'length':
      return { text: member('lengths', e.binding), level: 3 }
    case 'min':
    case 'max':
      return { text: `Math.${e.kind}(${code(e.a).text}, ${code(e.b).text})`, level: 3 }
    case 'div':
    case 'ceilDiv':
      return { text: `Math.${e.kind === 'div' ? 'floor' : 'ceil'}(${within(e.a, 2)} / ${within(e.b, 3)})`, level: 3 }
    default: {
      const [sign, level] = INFIX[e.kind]
      // the right operand of a difference or a product keeps its parentheses
      return { text: `${within(e.a, level)} ${sign} ${within(e.b, e.kind === 'add' ? 1 : 3)}`, level }
    }
  }
}

function within(e: HostExpr, least: Level): string {
  const { text, level } = code(e)
  return level < least ? `(${text})` : text
}

/** A number of workgroups as an expression over `params`, `lengths` and `overrides`. */
export const hostCode = (e: HostExpr): string => code(e).text
