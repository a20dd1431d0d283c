import type { Block, Call, Effect, Expr, If, Loop, Range, Result, Return, Stmt, Switch, ValueName } from '@weft/dsl/ir'
import { isCode, jump, loose, op, within } from './regions'
import { isMatrixType } from './shape'
import type { Mask, Region, Step } from './steps'
import { familyOf, type Sync, touchesMatrix } from './sync'
import type { Uniformity } from './uniform'
import type { Unit } from './unit'

/** The plan of a kernel: see steps.ts. Items are still loose; schedule.ts gathers them into segments. */
export interface Plan {
  readonly steps: readonly Step[]
  readonly masks: number
}

export function planOf(unit: Unit, sync: Sync, uniform: Uniformity): Plan {
  const planner = new Planner(unit, sync, uniform)
  const waits = unit.body.some(sync.waits)
  const everywhere: Region = { mask: null, break: null, continue: null, return: { masks: [] }, returns: null }
  if (!waits) return { steps: planner.block(unit.body, everywhere), masks: 0 }
  if (uniform.leavesTogether(null)) {
    const region: Region = { ...everywhere, return: { code: 'continue workgroups' } }
    return { steps: planner.block(unit.body, region), masks: planner.masks }
  }
  const mask = planner.mask()
  const steps = planner.block(unit.body, { ...everywhere, mask, return: { masks: [mask] } })
  return { steps: [{ kind: 'copy', to: mask, from: null }, ...steps], masks: planner.masks }
}

type Branch = (region: Region) => readonly Step[]

class Planner {
  masks = 0
  private labels = 0

  constructor(
    private readonly unit: Unit,
    private readonly sync: Sync,
    private readonly uniform: Uniformity,
  ) {}

  mask = (): Mask => this.masks++
  private label = (): string => `S${this.labels++}`

  block(block: Block, region: Region): Step[] {
    return block.flatMap((s) =>
      this.isShared(s, region) ? this.shared(s, region) : [loose({ kind: 'stmt', stmt: s }, region)],
    )
  }

  /** Whether the workgroup does `s` as a whole: it waits, or all leave something together from inside. */
  private isShared(s: Stmt, region: Region): boolean {
    if (this.sync.waits(s)) return true
    if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'return') return isCode(region[s.kind])
    if (this.sync.jumps(s).size === 0) return false
    return [region.break, region.continue, region.return].some(isCode)
  }

  private shared(s: Stmt, region: Region): readonly Step[] {
    if (touchesMatrix(s)) return [loose({ kind: 'stmt', stmt: s }, region, 'subgroup')]
    switch (s.kind) {
      case 'effect':
        return this.effect(s, region)
      case 'if':
        return this.if(s, region)
      case 'switch':
        return this.switch(s, region)
      case 'range':
        return this.range(s, region)
      case 'loop':
        return this.loop(s, region)
      case 'call':
        return this.call(s, region)
      case 'return':
        return this.return(s, region)
      case 'break':
      case 'continue':
        return [jump(region[s.kind])]
      default:
        return [loose({ kind: 'stmt', stmt: s }, region)]
    }
  }

  private effect(s: Effect, region: Region): readonly Step[] {
    if (familyOf(s.op) === 'barrier') {
      const barrier: Step = { kind: 'barrier', at: s.at, mask: region.mask }
      if (s.op !== 'workgroupUniformLoad') return [barrier]
      return [barrier, loose({ kind: 'stmt', stmt: s }, region), barrier]
    }
    const args = s.args.map((value) => ({ value, result: this.unit.fresh(value.type) }))
    const sends = args.map(({ value, result }) => loose({ kind: 'set', result, value }, region))
    return [...sends, { kind: 'exchange', effect: s, args: args.map((a) => a.result), mask: region.mask }]
  }

  private if(s: If, region: Region): readonly Step[] {
    return this.choose(
      s.test,
      region,
      (r) => this.block(s.then, r),
      (r) => this.block(s.else, r),
    )
  }

  private choose(test: Expr, region: Region, then: Branch, otherwise: Branch): readonly Step[] {
    if (region.mask === null && this.uniform.isUniform(test)) {
      return [{ kind: 'if', test, then: then(region), else: otherwise(region) }]
    }
    const yes = this.mask()
    const no = this.mask()
    return [
      { kind: 'clear', mask: yes },
      { kind: 'clear', mask: no },
      loose({ kind: 'split', test, yes, no }, region),
      { kind: 'ifAny', mask: yes, steps: then(within(region, yes)) },
      { kind: 'ifAny', mask: no, steps: otherwise(within(region, no)) },
    ]
  }

  private switch(s: Switch, region: Region): readonly Step[] {
    const together = region.mask === null && this.uniform.isUniform(s.selector) && this.uniform.leavesTogether(s)
    const label = this.label()
    const mask = together ? null : this.mask()
    const inner: Region =
      mask === null
        ? { ...region, break: { code: `break ${label}` } }
        : { ...within(region, mask), break: { masks: [mask] } }
    const type = s.selector.type as ValueName
    const matches = (value: number): Expr => op('eq', 'bool', s.selector, { kind: 'const', type, lanes: [value] })
    const from =
      (i: number): Branch =>
      (r) => {
        const c = s.cases[i]
        if (!c) return this.block(s.default, r)
        const test = c.selectors.map(matches).reduce((a, b) => op('or', 'bool', a, b))
        return this.choose(test, r, (x) => this.block(c.body, x), from(i + 1))
      }
    const steps = from(0)(inner)
    return mask === null ? [{ kind: 'block', label, steps }] : [{ kind: 'copy', to: mask, from: region.mask }, ...steps]
  }

  private range(s: Range, region: Region): readonly Step[] {
    const bounds = [s.start, s.end, s.step]
    if (region.mask !== null || !bounds.every((e) => this.uniform.isUniform(e)) || !this.uniform.leavesTogether(s)) {
      return this.maskedRange(s, region)
    }
    const label = this.label()
    const inner: Region = { ...region, break: { code: `break ${label}` }, continue: { code: `continue ${label}` } }
    return [{ kind: 'range', stmt: s, label, steps: this.block(s.body, inner) }]
  }

  /** A range whose bounds differ between invocations is a loop with an index of its own for each. */
  private maskedRange(s: Range, region: Region): readonly Step[] {
    const type = s.index.type as ValueName
    const end = this.unit.fresh(type)
    const step = this.unit.fresh(type)
    const down = s.step.kind === 'const' && (s.step.lanes[0] ?? 0) < 0
    const set = (result: Result, value: Expr): Step => loose({ kind: 'set', result, value }, region)
    return [
      set(s.index, s.start),
      set(end, s.end),
      set(step, s.step),
      ...this.maskedLoop(region, {
        header: () => [],
        test: op(down ? 'gt' : 'lt', 'bool', s.index, end),
        body: (r) => this.block(s.body, r),
        continuing: (r) => [loose({ kind: 'set', result: s.index, value: op('add', type, s.index, step) }, r)],
        breakIf: null,
      }),
    ]
  }

  private loop(s: Loop, region: Region): readonly Step[] {
    if (region.mask === null && this.uniform.leavesTogether(s)) {
      const label = this.label()
      const inner: Region = { ...region, break: { code: `break ${label}` }, continue: { code: `break ${label}b` } }
      const part = (b: Block): Step[] => this.block(b, inner)
      return [
        { kind: 'loop', stmt: s, label, header: part(s.header), body: part(s.body), continuing: part(s.continuing) },
      ]
    }
    return this.maskedLoop(region, {
      header: (r) => this.block(s.header, r),
      test: s.test,
      body: (r) => this.block(s.body, r),
      continuing: (r) => this.block(s.continuing, r),
      breakIf: s.breakIf,
    })
  }

  private maskedLoop(
    region: Region,
    parts: { header: Branch; test: Expr | null; body: Branch; continuing: Branch; breakIf: Expr | null },
  ): Step[] {
    const live = this.mask()
    const turn = this.mask()
    const label = this.label()
    const outer: Region = { ...within(region, live), break: { masks: [live] } }
    const body: Region = { ...within(outer, turn), continue: { masks: [turn] } }
    const leave: Step = { kind: 'leaveUnlessAny', mask: live, label }
    const stay = (test: Expr | null, when: boolean): Step[] =>
      test ? [loose({ kind: 'stay', test, when, mask: live }, outer)] : []
    return [
      { kind: 'copy', to: live, from: region.mask },
      {
        kind: 'forever',
        label,
        steps: [
          ...parts.header(outer),
          ...stay(parts.test, true),
          leave,
          { kind: 'copy', to: turn, from: live },
          ...parts.body(body),
          ...parts.continuing(outer),
          ...stay(parts.breakIf, false),
          leave,
        ],
      },
    ]
  }

  private call(s: Call, region: Region): readonly Step[] {
    const expansion = this.unit.calls.get(s)
    if (!expansion) return []
    const params = this.block(expansion.params, region)
    const inner: Region = { ...region, break: null, continue: null, returns: s.result }
    if (region.mask === null && this.uniform.leavesTogether(s)) {
      const label = this.label()
      const steps = this.block(expansion.body, { ...inner, return: { code: `break ${label}` } })
      return [...params, { kind: 'block', label, steps }]
    }
    const mask = this.mask()
    const steps = this.block(expansion.body, { ...inner, mask, return: { masks: [mask] } })
    return [...params, { kind: 'copy', to: mask, from: region.mask }, ...steps]
  }

  private return(s: Return, region: Region): readonly Step[] {
    if (!s.value || !region.returns) return [jump(region.return)]
    const per = isMatrixType(s.value.type) ? 'subgroup' : 'invocation'
    return [loose({ kind: 'set', result: region.returns, value: s.value }, region, per), jump(region.return)]
  }
}
