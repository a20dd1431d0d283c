import type { Cases, Expr } from '@weft/dsl/ir'
import { evaluate, zeros } from './expressions'
import { Frame } from './frame'
import { matrixItem } from './matrix'
import { define } from './program'
import { lanesOf } from './shape'
import { continues, rangeHead, statement } from './statements'
import type { Item, Region, Segment, Step, Target } from './steps'
import { type Exchange, exchange } from './subgroups'

/** The workgroup's control flow as JavaScript; each segment becomes a loop over the invocations. */

export function steps(frame: Frame, list: readonly Step[]): void {
  for (const s of list) (STEP[s.kind] as (s: Step, frame: Frame) => void)(s, frame)
}

const STEP: Cases<Step, void, [Frame]> = {
  segment: (s, frame) => segment(frame, s),
  loose: () => {
    throw new RangeError('an item is in no segment')
  },
  once: (s, frame) => item(frame, s.item),
  barrier: (s, frame) => {
    if (s.mask === null) return
    const fault = frame.program.helper('fault', frame.program.fault)
    frame.line(`if (${mask(frame, s.mask)}.includes(0)) ${fault}('divergent-barrier', ${s.at});`)
  },
  exchange: (s, frame) => exchangeStep(frame, s),
  clear: (s, frame) => frame.line(`${mask(frame, s.mask)}.fill(0);`),
  copy: (s, frame) =>
    frame.line(s.from === null ? `${mask(frame, s.to)}.fill(1);` : `${mask(frame, s.to)}.set(${mask(frame, s.from)});`),
  ifAny: (s, frame) => {
    if (s.steps.length > 0) frame.block(`if (${mask(frame, s.mask)}.includes(1)) {`, () => steps(frame, s.steps))
  },
  forever: (s, frame) => frame.block(`${s.label}: for (;;) {`, () => steps(frame, s.steps)),
  leaveUnlessAny: (s, frame) => frame.line(`if (!${mask(frame, s.mask)}.includes(1)) break ${s.label};`),
  if: (s, frame) => {
    frame.block(`if (${evaluate(frame, s.test)[0]}) {`, () => steps(frame, s.then))
    if (s.else.length > 0) frame.block('else {', () => steps(frame, s.else))
  },
  range: (s, frame) => {
    const index = `r${s.stmt.index.id}_0`
    const head = rangeHead(frame, s.stmt, 'i')
    frame.program.locals.add(index)
    frame.block(`${s.label}: ${head} {`, () => {
      frame.line(`${index} = i;`)
      steps(frame, s.steps)
    })
  },
  loop: (s, frame) => loop(frame, s),
  block: (s, frame) => frame.block(`${s.label}: {`, () => steps(frame, s.steps)),
  jump: (s, frame) => frame.line(`${s.code};`),
}

const mask = (frame: Frame, m: number): string => frame.use(frame.program.mask(m))

function loop(frame: Frame, s: Extract<Step, { kind: 'loop' }>): void {
  const test = (e: Expr | null, sign: string): void => {
    if (e) frame.line(`if (${sign}${evaluate(frame, e)[0]}) break ${s.label};`)
  }
  frame.block(`${s.label}: for (;;) {`, () => {
    steps(frame, s.header)
    test(s.stmt.test, '!')
    if (continues(s.stmt.body)) frame.block(`${s.label}b: {`, () => steps(frame, s.body))
    else steps(frame, s.body)
    steps(frame, s.continuing)
    test(s.stmt.breakIf, '')
  })
}

/** Lane by lane, since invocations exchange vectors componentwise; a ballot has all its words at once. */
function exchangeStep(frame: Frame, s: Extract<Step, { kind: 'exchange' }>): void {
  const { program } = frame
  const { result, op } = s.effect
  if (!result) return
  const [value, other] = s.args
  const { subgroupSize, count } = program.unit
  const scalar = lanesOf(value?.type ?? 'bool')[0]?.scalar ?? 'bool'
  const name = program.helper(`${op}_${scalar}`, exchange(op as Exchange, scalar, count, subgroupSize))
  const taking = s.mask === null ? 'null' : mask(frame, s.mask)
  const outs = lanesOf(result.type).map((_, i) => frame.use(program.keptResult(result, i)))
  const kept = (r: typeof value, i: number): string => (r ? frame.use(program.keptResult(r, i)) : 'null')
  if (op === 'subgroupBallot') {
    frame.line(`${name}(${kept(value, 0)}, null, ${taking}, ${outs.join(', ')});`)
    return
  }
  for (const [i, out] of outs.entries()) frame.line(`${name}(${kept(value, i)}, ${kept(other, 0)}, ${taking}, ${out});`)
}

/** Where a program has but one segment, it stands in place; else it is a function, which the engine compiles by itself. */
function segment(outer: Frame, s: Segment): void {
  const frame = new Frame(outer.program, s.per, evaluate)
  body(frame, s)
  const loop = invocations(frame, s)
  const { program } = outer
  if (program.schedule.segments.length === 1) {
    for (const name of frame.needs) outer.use(name)
    for (const name of frame.outer) outer.shared(name)
    for (const line of loop) outer.line(line)
    return
  }
  const shared = [...frame.outer].sort()
  const copies = [...frame.needs].map((name) => `const ${name} = $${name};`)
  program.functions.push([`function segment${s.id}(${shared.join(', ')}) {`, ...copies, ...loop, '}'].join('\n'))
  for (const name of shared) outer.shared(name)
  outer.line(`segment${s.id}(${shared.join(', ')});`)
}

function body(frame: Frame, s: Segment): void {
  const { region } = s
  const lanes = region.returns && s.per === 'invocation' ? zeros(region.returns.type) : []
  const returns = lanes.map((zero) => [frame.program.name('c'), zero] as const)
  const jump = (target: Target | null, before = ''): string | undefined => {
    if (!target || !('masks' in target)) return undefined
    const leaves = target.masks.map((m) => `${mask(frame, m)}[li] = 0;`).join(' ')
    return `${before}${leaves} break invocation;`
  }
  frame.jumps.push({
    break: jump(region.break),
    continue: jump(region.continue),
    return: jump(region.return, keepReturn(frame, region, returns)),
    returns: returns.map(([name]) => name).join(' '),
  })
  for (const [name, zero] of returns) frame.head.push(`let ${name} = ${zero};`)
  for (const i of s.items) item(frame, i)
}

/** What a return from a function of the workgroup does with its value. */
function keepReturn(frame: Frame, region: Region, names: readonly (readonly [string, string])[]): string {
  const { returns } = region
  if (!returns || names.length === 0 || !frame.program.isKept(returns.id)) return ''
  return names.map(([name], i) => `${frame.use(frame.program.keptResult(returns, i))}[li] = ${name}; `).join('')
}

function item(frame: Frame, i: Item): void {
  if (frame.level === 'subgroup') {
    matrixItem(frame, i)
    return
  }
  switch (i.kind) {
    case 'stmt':
      statement(frame, i.stmt)
      return
    case 'set':
      define(frame, i.result, evaluate(frame, i.value))
      return
    case 'split': {
      const test = frame.atom(evaluate(frame, i.test)[0] as string)
      frame.line(`if (${test}) ${mask(frame, i.yes)}[li] = 1; else ${mask(frame, i.no)}[li] = 1;`)
      return
    }
    case 'stay': {
      const test = evaluate(frame, i.test)[0]
      frame.line(`if (${i.when ? '!' : ''}${test}) ${mask(frame, i.mask)}[li] = 0;`)
      return
    }
  }
}

/** The loop over the invocations, or over the first of each subgroup that takes part. */
function invocations(frame: Frame, s: Segment): readonly string[] {
  const { region } = s
  const inner = [...frame.head, 'invocation: {', ...frame.lines, '}', ...frame.tail]
  if (frame.level === 'subgroup') return subgroupLoop(frame, region, inner)
  const masked = region.mask === null ? inner : [`if (${maskName(frame, region.mask)}[li] !== 0) {`, ...inner, '}']
  return [`${loopHead(frame)} {`, ...masked, '}']
}

const maskName = (frame: Frame, m: number): string => frame.use(frame.program.mask(m))

function subgroupLoop(frame: Frame, region: Region, inner: readonly string[]): readonly string[] {
  const { subgroups, subgroupSize, count } = frame.program.unit
  const head = `for (let sg = 0; sg < ${subgroups}; sg++) {`
  if (region.mask === null) return [head, `const li = sg * ${subgroupSize};`, ...inner, '}']
  const m = maskName(frame, region.mask)
  const last = `Math.min(sg * ${subgroupSize} + ${subgroupSize}, ${count})`
  return [
    head,
    `const li = ${m}.indexOf(1, sg * ${subgroupSize});`,
    `if (li >= 0 && li < ${last}) {`,
    ...inner,
    '}',
    '}',
  ]
}

/** One loop, or one for each axis when the ids on the axes are needed. */
function loopHead(frame: Frame): string {
  const { size, count } = frame.program.unit
  const text = [...frame.head, ...frame.lines, ...frame.tail].join('\n')
  if (!/\bl[xyz]\b/.test(text)) return `for (let li = 0; li < ${count}; li++)`
  const [x, y, z] = size
  const outer = `for (let li = 0, lz = 0; lz < ${z}; lz++) for (let ly = 0; ly < ${y}; ly++)`
  return `${outer} for (let lx = 0; lx < ${x}; lx++, li++)`
}
