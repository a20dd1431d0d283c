import type { CompiledKernel, HostExpr, LaunchRule } from '@weft/codegen'
import type { OverrideValues } from './backend'
import type { Range } from './bindings'
import { isCount } from './bytes'
import { count, fault, shown } from './errors'
import { evaluateHost, type HostScope } from './host'

export type Workgroups = readonly [number, number, number]

const AXES = ['x', 'y', 'z'] as const
/** The linear index of a workgroup is a u32, so a folded launch has fewer workgroups than this. */
const LINEAR_LIMIT = 2 ** 32

const bad = (kernel: string, message: string, note?: string) => fault('bad-workgroups', `'${kernel}': ${message}`, note)

/**
 * Spreads `n` workgroups over x, y and z, each at most `max`: one dimension while that is enough, then a rectangle as
 * near to a square as it gets, then a box. The product is at least `n`; the kernel leaves the surplus alone, which is
 * less than one row (or one layer's row). Throws `bad-workgroups` where no box is large enough.
 */
export function fold(kernel: string, n: number, max: number): Workgroups {
  if (n <= max) return [n, 1, 1]
  const z = Math.ceil(n / (max * max))
  const x = Math.ceil(Math.sqrt(n / z))
  const y = Math.ceil(n / (x * z))
  if (z > max || x * y * z >= LINEAR_LIMIT) {
    throw bad(
      kernel,
      `${count(n)} workgroups are more than one launch can have (${count(Math.min(max ** 3, LINEAR_LIMIT))})`,
    )
  }
  return [x, y, z]
}

/** A workgroup count as a caller or a rule gave it. */
function checked(kernel: string, value: number, what: string): number {
  if (!isCount(value)) throw bad(kernel, `${what} is ${value}, which is not a number of workgroups`)
  return value
}

function within(kernel: string, groups: Workgroups, max: number): Workgroups {
  groups.forEach((n, axis) => {
    if (n > max) {
      throw bad(
        kernel,
        `${count(n)} workgroups in ${AXES[axis]}, and the device allows ${count(max)}`,
        'launch it in parts; a launch rule of one dimension is folded where the kernel uses k.workgroupIndex or k.globalIndex',
      )
    }
  })
  return groups
}

/** What a rule asks for. */
export const askedBy = (kernel: string, { workgroups }: LaunchRule, scope: HostScope): number[] =>
  workgroups.map((e, axis) => checked(kernel, evaluateHost(e, scope), `the launch rule for ${AXES[axis]}`))

/**
 * The workgroups of a launch: by the rule, or as `given` by the caller, whose counts are taken as they are. A count of
 * 0 in any dimension means that there is nothing to run. Throws `bad-workgroups`.
 */
export function planLaunch(
  kernel: string,
  rule: LaunchRule | null,
  given: number | readonly number[] | undefined,
  scope: HostScope,
  max: number,
): Workgroups {
  if (given !== undefined) {
    const list: readonly number[] = typeof given === 'number' ? [given] : given
    if (!Array.isArray(list) || list.length < 1 || list.length > 3) {
      throw bad(kernel, `workgroups is ${Array.isArray(list) ? `[${list}]` : shown(given)}, expected 1 to 3 numbers`)
    }
    const [x = 1, y = 1, z = 1] = list.map((n, axis) => checked(kernel, n, `workgroups.${AXES[axis]}`))
    return within(kernel, [x, y, z], max)
  }
  if (!rule) throw bad(kernel, 'the kernel has no launch rule', 'say how many: { workgroups: [x, y, z] }')
  const [x = 1, y = 1, z = 1] = askedBy(kernel, rule, scope)
  return rule.folds ? fold(kernel, x, max) : within(kernel, [x, y, z], max)
}

/** What the launch rule of a kernel refers to, looked up in a call's values. Throws `bad-launch` for what is not there. */
export function launchScope(
  { name: kernelName, bindings }: CompiledKernel,
  values: Readonly<Record<string, unknown>>,
  overrides: OverrideValues,
  ranges: ReadonlyMap<string, Range>,
): HostScope {
  const unknown = (what: string) => fault('bad-launch', `the launch rule of '${kernelName}' refers to ${what}`)
  return {
    param: (name) => {
      const value = values[name]
      if (typeof value !== 'number') throw unknown(`the param '${name}', which is not a number`)
      return value
    },
    override: (name) => {
      const value = overrides[name]
      if (value === undefined) throw unknown(`the override '${name}', which it does not have`)
      return value
    },
    length: (name) => {
      const stride = bindings.find((binding) => binding.name === name)?.element?.stride
      const range = ranges.get(name)
      if (!stride || !range) throw unknown(`the length of '${name}', which is not an array`)
      return Math.floor(range.size / stride)
    },
  }
}

/** The params that a launch rule depends on. */
export function paramsOf({ workgroups }: LaunchRule): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (e: HostExpr): void => {
    if (typeof e === 'number') return
    if (e.kind === 'param') names.add(e.name)
    else if ('a' in e) {
      visit(e.a)
      visit(e.b)
    }
  }
  workgroups.forEach(visit)
  return names
}
