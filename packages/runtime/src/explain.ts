import type { HostExpr, HostOp } from '@weft/codegen'
import type { RuntimeInfo } from './info'
import type { Draft } from './kernel'
import type { Workgroups } from './launch'
import type { RunOptions } from './signature'

/** How a launch comes about. */
export interface LaunchExplanation {
  readonly kernel: string
  /** The variant that runs, and why each one before it does not. */
  readonly variant: string
  readonly rejected: readonly { readonly id: string; readonly because: string }[]
  /** The kernel's launch rule, for each dimension: `ceilDiv(n, 64)`; null where it has none or the caller gave counts. */
  readonly rule: readonly string[] | null
  /** What the rule, or the caller, asks for; null where the device finds it in a buffer. */
  readonly asked: readonly number[] | null
  /** What is launched. */
  readonly workgroups: Workgroups | null
  /** Whether a linear count above the limit is spread over more dimensions. */
  readonly folded: boolean
  /** Workgroups that are launched on top, since a fold is a box; the kernel leaves them alone. */
  readonly surplus: number
  readonly workgroupSize: readonly number[]
  /** Of all workgroups. */
  readonly invocations: number | null
  /** Nothing is run for 0 workgroups. */
  readonly empty: boolean
  readonly params: 'immediates' | 'uniform' | null
  /** What each binding takes: bytes from an offset. */
  readonly bindings: Readonly<Record<string, { readonly offset: number; readonly size: number }>>
  /** What the device allows of it. */
  readonly limits: Readonly<Record<string, number | undefined>>
}

const INFIX: Partial<Record<HostOp, string>> = { add: '+', sub: '-', mul: '*' }

function print(e: HostExpr): string {
  if (typeof e === 'number') return String(e)
  if (e.kind === 'param' || e.kind === 'override') return e.name
  if (e.kind === 'length') return `length(${e.binding})`
  const [a, b] = [print(e.a), print(e.b)]
  const infix = INFIX[e.kind]
  return infix ? `(${a} ${infix} ${b})` : `${e.kind}(${a}, ${b})`
}

const LIMITS = [
  'maxComputeWorkgroupsPerDimension',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
  'maxStorageBufferBindingSize',
]

const product = (counts: readonly number[]): number => counts.reduce((a, b) => a * b, 1)

/** How the `draft` of a launch with these options came about; `asked` is what the launch rule asks for, where the counts are by it. */
export function explain(
  draft: Draft,
  asked: readonly number[] | null,
  options: RunOptions,
  limits: RuntimeInfo['limits'],
): LaunchExplanation {
  const { kernel, variant, rejected, overrides, ranges, workgroups, indirect } = draft
  const { workgroups: given = null } = options
  const rule = asked && kernel.launch
  const wanted = indirect ? null : (asked ?? (typeof given === 'number' ? [given] : given))
  const launched = workgroups ? product(workgroups) : 0
  const wantedInAll = wanted ? product(wanted) : 0
  const workgroupSize = variant.workgroupSize.map((n) => (typeof n === 'number' ? n : (overrides[n.override] ?? 1)))
  return {
    kernel: kernel.name,
    variant: variant.id,
    rejected,
    rule: rule?.workgroups.map(print) ?? null,
    asked: wanted,
    workgroups,
    folded: Boolean(rule?.folds) && launched > 0 && workgroups?.[0] !== wantedInAll,
    surplus: Math.max(0, launched - wantedInAll),
    workgroupSize,
    invocations: workgroups && launched * product(workgroupSize),
    empty: workgroups !== null && launched === 0,
    params: variant.params?.via ?? null,
    bindings: Object.fromEntries([...ranges].map(([name, { offset, size }]) => [name, { offset, size }])),
    limits: Object.fromEntries(LIMITS.map((name) => [name, limits[name]])),
  }
}
