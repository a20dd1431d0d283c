/** Every row of the table of pure ops, over every type of its `over`: the probes that are derived from it. */
import { type AnyExpr, fn } from '@weft/dsl'
import {
  laneCount,
  PURE,
  type PureName,
  type Row,
  refusal,
  type Slot,
  scalarOf,
  slotType,
  type ValueName,
} from '@weft/dsl/ir'
import { acceptable } from './accept.js'
import type { Expected } from './judge.js'
import type { Probe } from './probe.js'
import { combinations, listsFor, mixed, sequence } from './values.js'

export interface PureProbe extends Probe {
  readonly op: PureName
  /** What `T` stands for. */
  readonly t: ValueName
}

const ROWS = Object.entries(PURE) as unknown as readonly (readonly [PureName, Row])[]
/** Methods whose names are not those of their rows. */
const METHOD: Readonly<Record<string, string>> = { boolAnd: 'and', boolOr: 'or' }

/** How authors write the operation. */
function write(op: PureName, row: Row, args: readonly AnyExpr[]): AnyExpr {
  const [first, ...rest] = args as unknown as [Record<string, (...a: unknown[]) => AnyExpr>, ...unknown[]]
  if (row.form !== 'call') return (first[METHOD[op] ?? op] as (...a: unknown[]) => AnyExpr).apply(first, rest)
  const functions = fn as unknown as Record<string, (...a: unknown[]) => unknown>
  const result = functions[row.wgsl]?.(...args)
  return (row.member === undefined ? result : (result as Record<string, unknown>)[row.member]) as AnyExpr
}

/** The types of the arguments; where a slot takes a vector or its scalar, both. */
function signatures(row: Row, t: ValueName): readonly ValueName[][] {
  const choices = row.in.map((slot): ValueName[] => {
    const type = slotType(slot, t)
    if (laneCount(t) === 1) return [type]
    return slot === 'TS' ? [type, scalarOf(t)] : slot === 'BS' ? [type, 'bool'] : [type]
  })
  return choices.reduce<ValueName[][]>((all, options) => all.flatMap((head) => options.map((o) => [...head, o])), [[]])
}

const COUNTS = new Set(['shl', 'shr', 'extractBits', 'insertBits'])
const roleOf = (op: PureName, slot: Slot): 'value' | 'count' | 'exponent' =>
  op === 'ldexp' && slot === 'I' ? 'exponent' : COUNTS.has(op) && (slot === 'U' || slot === 'u32') ? 'count' : 'value'

/** Lane by lane: every combination of scalars, side by side in the lanes. */
function lanewiseCalls(op: PureName, row: Row, types: readonly ValueName[]): number[][][] {
  const lists = listsFor(row.in.map((slot, i) => ({ scalar: scalarOf(types[i] as ValueName), role: roleOf(op, slot) })))
  const all = combinations(lists)
  const width = Math.max(...types.map(laneCount))
  const calls: number[][][] = []
  for (let i = 0; i < all.length; i += width) {
    calls.push(
      types.map((type, n) =>
        Array.from({ length: laneCount(type) }, (_, lane) => (all[(i + lane) % all.length] as number[])[n] as number),
      ),
    )
  }
  return calls
}

const MIXED_CALLS = 192

function mixedCalls(types: readonly ValueName[], seed: number): number[][][] {
  const next = sequence(seed)
  return Array.from({ length: MIXED_CALLS }, () =>
    types.map((type) => Array.from({ length: laneCount(type) }, () => mixed(scalarOf(type), next))),
  )
}

export const pureProbes: readonly PureProbe[] = ROWS.flatMap(([op, row]) =>
  (row.over.length === 0 ? (['u32'] as const) : row.over).flatMap((t) =>
    signatures(row, t as ValueName).map((types, form): PureProbe => {
      const matrix = types.some((type) => type.startsWith('mat'))
      return {
        op,
        t,
        types,
        out: slotType(row.out, t),
        name: `${op}${row.over.length === 0 ? '' : ` ${t}`}${form === 0 ? '' : ` (${types.join(', ')})`}`,
        apply: (args) => write(op, row, args),
        calls: row.whole || matrix ? mixedCalls(types, op.length * 7919 + form) : lanewiseCalls(op, row, types),
      }
    }),
  ),
)

const CONSTANTS = 24

/** The same on constants: some of the calls that WGSL does not refuse, spread over all of them. */
export function constantProbe(p: PureProbe): PureProbe | null {
  const allowed = p.calls.filter(
    (call) =>
      finite(call) &&
      refusal(
        p.op,
        p.out,
        call.map((lanes, i) => ({ type: p.types[i] as ValueName, lanes })),
        p.types,
      ) === null,
  )
  const step = Math.max(1, Math.floor(allowed.length / CONSTANTS))
  const calls = allowed.filter((_, i) => i % step === 0).slice(0, CONSTANTS)
  return calls.length === 0 ? null : { ...p, name: `${p.name}, constants`, calls }
}

const finite = (call: Probe['calls'][number]): boolean => call.every((lanes) => lanes.every(Number.isFinite))

/** What a probe must give. */
export const expectedOf = (
  probe: PureProbe,
  when: 'run time' | 'constant',
): Expected & { readonly probe: PureProbe } => ({
  probe,
  when,
  allowed: probe.calls.map((call) =>
    acceptable(probe.op, PURE[probe.op] as unknown as Row, probe.types, probe.out, call),
  ),
})
