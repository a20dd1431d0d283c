import {
  type Block,
  type Cases,
  EFFECTS,
  type Effect,
  type Expr,
  forEachStmt,
  type If,
  isPlace,
  isScalar,
  isValueName,
  type Let,
  type Loop,
  type Place,
  PURE,
  placeOperands,
  type Range,
  type Result,
  type Stmt,
  type Store,
  scalarOf,
  type Type,
  type Var,
} from '@weft/dsl/ir'
import { argsOf, numberOf } from '../passes/graph'
import { type Context, RANK } from './context'
import { alone, infix, list, pointer, print, printPlace, splatted } from './expressions'
import { literal } from './literals'
import type { Region, Site } from './plan'

/** Lines of WGSL, each with the number of the builder's call that it comes from, or −1. */
export interface Output {
  readonly lines: string[]
  readonly ats: number[]
  indent: string
}

export const output = (): Output => ({ lines: [], ats: [], indent: '' })

export function line(out: Output, text: string, at = -1): void {
  out.lines.push(out.indent + text)
  out.ats.push(at)
}

interface Writer {
  readonly c: Context
  readonly out: Output
  /** How many `else if`s precede: compilers refuse more than 123. */
  chain: number
}

export function writeBody(region: Region, c: Context, out: Output): void {
  writeRegion({ c, out, chain: 0 }, region)
}

/** The statements of a block, within braces that the caller writes. */
function writeRegion(w: Writer, region: Region): void {
  w.c.names.open()
  w.out.indent += '  '
  writeSites(w, region.sites)
  w.out.indent = w.out.indent.slice(2)
  w.c.names.close()
}

function writeSites(w: Writer, sites: readonly Site[]): void {
  for (let i = 0; i < sites.length; i++) {
    const at = sites[i] as Site
    const { stmt } = at
    const next = sites[i + 1]
    if (stmt?.kind === 'var' && next?.stmt?.kind === 'loop' && isCounter(stmt, next, sites, w.c)) {
      writeBinds(w, at)
      writeFor(w, next.stmt, next, stmt)
      i++
      continue
    }
    writeBinds(w, at)
    if (stmt && !isSilent(stmt, w.c)) (STATEMENTS[stmt.kind] as (s: Stmt, w: Writer, at: Site) => void)(stmt, w, at)
  }
}

/** What was planned to be bound before a statement. */
function writeBinds(w: Writer, at: Site): void {
  for (let i = at.binds.length - 1; i >= 0; i--) {
    const e = at.binds[i] as Expr
    const text = print(e, w.c)
    const name = w.c.names.declare(w.c.plan.hint(e) ?? nameFor(e, w.c))
    w.c.bound[numberOf(e)] = name
    line(w.out, `let ${name} = ${text};`, 'at' in e ? e.at : -1)
  }
}

/** Statements that leave no text: what they read is written where it is used, or used nowhere. */
function isSilent(s: Stmt, c: Context): boolean {
  switch (s.kind) {
    case 'load':
      return c.plan.inlined[s.result.id] !== undefined || c.plan.uses(s.result) === 0
    case 'let':
      return c.plan.uses(s.result) === 0
    case 'call':
      return (
        s.result !== null &&
        (c.plan.inlinedCalls.has(s.result.id) || (c.plan.uses(s.result) === 0 && c.memory.isValue(s.func)))
      )
    default:
      return false
  }
}

const isQuiet = (sites: readonly Site[], c: Context): boolean =>
  sites.every((at) => at.binds.length === 0 && (at.stmt === null || isSilent(at.stmt, c)))

const STATEMENTS: Cases<Stmt, void, [Writer, Site]> = {
  let(s, w) {
    const { c } = w
    const { value } = s
    const alias = adoptedName(s, c) ?? nameOf(value, c)
    if (alias !== undefined) {
      c.results.set(s.result.id, alias)
      return
    }
    const carried = c.plan.carried.get(s.result.id)
    writeLet(w, s.result, carried?.name ?? s.name, alone(value, c), s.at)
    if (carried) c.bound[numberOf(carried.e)] = c.results.get(s.result.id) as string
  },
  var(s, w, at) {
    const { variable } = s
    const init = variable.init ? alone(variable.init, w.c) : inLoop(at) ? zero(variable.type, w.c) : null
    const name = w.c.names.declare(w.c.plan.adopted.get(variable.id)?.name ?? variable.name)
    w.c.variables.set(variable.id, name)
    line(w.out, init === null ? `var ${name}: ${w.c.module.type(variable.type)};` : `var ${name} = ${init};`, s.at)
  },
  load(s, w) {
    writeLet(w, s.result, `${rootName(s.place, w.c)}_value`, printPlace(s.place, w.c), s.at)
  },
  store: (s, w) => line(w.out, `${assignment(s, w.c)};`, s.at),
  effect: writeEffect,
  call(s, w) {
    const { c } = w
    const args = s.args.map((a) => (isPlace(a) ? pointer(a, c) : list([a], c)))
    const text = `${c.module.names.functions.get(s.func) ?? s.func}(${args.join(', ')})`
    if (s.result && c.plan.uses(s.result) > 0)
      writeLet(w, s.result, givenName(s.result, `${s.func}_value`, c), text, s.at)
    else line(w.out, `${text};`, s.at)
  },
  if: writeIf,
  switch(s, w, at) {
    const { out, c } = w
    line(out, `switch (${alone(s.selector, c)}) {`, s.at)
    out.indent += '  '
    const type = isValueName(s.selector.type) ? scalarOf(s.selector.type) : 'u32'
    s.cases.forEach((branch, i) => {
      line(out, `case ${branch.selectors.map((x) => literal(type, x)).join(', ')}: {`, s.at)
      writeRegion(w, at.inner[i] as Region)
      line(out, '}')
    })
    line(out, 'default: {', s.at)
    writeRegion(w, at.inner.at(-1) as Region)
    line(out, '}')
    out.indent = out.indent.slice(2)
    line(out, '}')
  },
  range: writeRange,
  loop: writeLoop,
  break: (s, w) => line(w.out, 'break;', s.at),
  continue: (s, w) => line(w.out, 'continue;', s.at),
  return: (s, w) => line(w.out, s.value ? `return ${alone(s.value, w.c)};` : 'return;', s.at),
}

function adoptedName(s: Let, c: Context): string | undefined {
  const load = s.value.kind === 'result' ? c.plan.inlined[s.value.id] : undefined
  if (load?.place.root.kind !== 'variable' || c.plan.adopted.get(load.place.root.id) !== s) return undefined
  return c.variables.get(load.place.root.id)
}

/** The name that an expression goes by already; a second one would only be in the way. */
function nameOf(e: Expr, c: Context): string | undefined {
  const bound = c.bound[numberOf(e)]
  if (bound !== undefined) return bound
  switch (e.kind) {
    case 'result':
      return c.plan.inlined[e.id] !== undefined || c.plan.inlinedCalls.has(e.id) ? undefined : c.results.get(e.id)
    case 'argument':
      return c.args.get(e.name)
    case 'builtin':
      return c.builtins.get(e.name)
    default:
      return undefined
  }
}

function inLoop(at: Site): boolean {
  for (let r: Region | undefined = at.region; r; r = r.owner?.region) if (r.loop) return true
  return false
}

/** The zero of a type: drivers have been seen not to reset a variable without initial value in each round. */
const zero = (type: Type, c: Context): string =>
  typeof type === 'string' && isValueName(type) && isScalar(type) ? literal(type, 0) : `${c.module.type(type)}()`

function writeLet(w: Writer, result: Result, wanted: string, text: string, at: number): void {
  const name = w.c.names.declare(wanted)
  w.c.results.set(result.id, name)
  line(w.out, `let ${name} = ${text};`, at)
}

// Assignments.

const COMMUTES = new Set(['+', '*', '&', '|', '^'])
/** Those that take a vector and a scalar. */
const MIXED = new Set(['+', '-', '*', '/', '%'])
const COMPOUND = new Set(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'])

function assignment(s: Store, c: Context): string {
  const { value } = s
  const target = printPlace(s.place, c)
  if (value.kind === 'op' && c.bound[numberOf(value)] === undefined) {
    const row = value.op === 'product' ? null : PURE[value.op]
    const operator = row ? (row.form === 'infix' ? row.wgsl : '') : '*'
    const [a, b] = value.args as [Expr, Expr]
    if (COMPOUND.has(operator)) {
      const operand = (e: Expr): string => alone((row && MIXED.has(operator) ? splatted(e, c) : null) ?? e, c)
      if (reads(a, s.place, c)) return `${target} ${operator}= ${operand(b)}`
      if (row && COMMUTES.has(operator) && reads(b, s.place, c)) return `${target} ${operator}= ${operand(a)}`
    }
  }
  return `${target} = ${alone(value, c)}`
}

/** Whether `e` is written as a reading of `place`. */
function reads(e: Expr, place: Place, c: Context): boolean {
  const load = e.kind === 'result' ? c.plan.inlined[e.id] : undefined
  return load !== undefined && samePlace(load.place, place)
}

function samePlace(a: Place, b: Place): boolean {
  if (a.root.kind !== b.root.kind || a.steps.length !== b.steps.length || a.root.kind === 'view') return false
  const same =
    a.root.kind === 'variable'
      ? a.root.id === (b.root as typeof a.root).id
      : a.root.name === (b.root as typeof a.root).name
  return (
    same &&
    a.steps.every((x, i) => {
      const y = b.steps[i]
      if (x.kind === 'member') return y?.kind === 'member' && x.name === y.name
      if (y?.kind !== 'index') return false
      return (
        x.index === y.index ||
        (x.index.kind === 'const' && y.index.kind === 'const' && x.index.lanes[0] === y.index.lanes[0])
      )
    })
  )
}

// Effects.

function writeEffect(s: Effect, w: Writer): void {
  const { c } = w
  const row = EFFECTS[s.op]
  const args: string[] = []
  if (s.place) args.push(row.family === 'texture' ? printPlace(s.place, c) : pointer(s.place, c))
  if (s.args.length > 0) args.push(list(s.args, c))
  const text = `${row.wgsl}${template(s, c)}(${args.join(', ')})`
  const used =
    (s.result !== null && c.plan.uses(s.result) > 0) || (s.exchanged !== null && c.plan.uses(s.exchanged) > 0)
  if (!used || !s.result) {
    // atomics may be called for their effect alone, everything else has to be used
    const plain = row.family === 'atomic' || row.out === null
    line(w.out, plain ? `${text};` : `_ = ${text};`, s.at)
    return
  }
  if (s.exchanged) {
    const name = c.names.declare('exchange')
    c.results.set(s.result.id, `${name}.old_value`)
    c.results.set(s.exchanged.id, `${name}.exchanged`)
    line(w.out, `let ${name} = ${text};`, s.at)
    return
  }
  writeLet(
    w,
    s.result,
    givenName(s.result, s.place ? `${rootName(s.place, c)}_value` : FAMILY_NAMES[row.family], c),
    text,
    s.at,
  )
}

const FAMILY_NAMES = {
  atomic: 'old',
  barrier: 'value',
  subgroup: 'group_value',
  quad: 'quad_value',
  texture: 'texel',
  matrix: 'matrix',
  buffer: 'size',
} as const

const givenName = (result: Result, otherwise: string, c: Context): string =>
  c.plan.renamed.get(result.id)?.name ?? otherwise

function template(s: Effect, c: Context): string {
  const majorness = s.majorness ? `${s.majorness}_major` : null
  switch (s.op) {
    case 'subgroupMatrixLoad':
      return `<${c.module.type((s.result as Result).type)}, ${majorness}>`
    case 'subgroupMatrixStore':
      return majorness ? `<${majorness}>` : ''
    case 'subgroupMatrixMultiply':
    case 'subgroupMatrixMultiplyAccumulate': {
      const type = (s.result as Result).type
      const component = typeof type !== 'string' && type.kind === 'subgroup_matrix' ? type.of : 'f32'
      return s.op === 'subgroupMatrixMultiply' ? `<${component}>` : ''
    }
    default:
      return ''
  }
}

// Branches.

function writeIf(s: If, w: Writer, at: Site): void {
  const { out, c } = w
  const [yes, no] = at.inner as [Region, Region]
  if (isQuiet(yes.sites, c)) {
    if (isQuiet(no.sites, c)) return
    line(out, `if (${negated(s.test, c)}) {`, s.at)
    writeRegion(w, no)
    line(out, '}')
    return
  }
  line(out, `if (${alone(s.test, c)}) {`, s.at)
  writeRegion(w, yes)
  writeElse(w, no)
}

const LONGEST_CHAIN = 100

function writeElse(w: Writer, no: Region): void {
  const { out, c } = w
  if (isQuiet(no.sites, c)) {
    line(out, '}')
    return
  }
  const only = no.sites.filter((at) => at.binds.length > 0 || (at.stmt && !isSilent(at.stmt, c)))
  const [first] = only
  const inner = first?.stmt
  if (
    only.length === 1 &&
    inner?.kind === 'if' &&
    first &&
    first.binds.length === 0 &&
    w.chain < LONGEST_CHAIN &&
    !isQuiet((first.inner[0] as Region).sites, c)
  ) {
    w.chain++
    line(out, `} else if (${alone(inner.test, c)}) {`, inner.at)
    writeRegion(w, first.inner[0] as Region)
    writeElse(w, first.inner[1] as Region)
    w.chain--
    return
  }
  const { chain } = w
  w.chain = 0
  line(out, '} else {')
  writeRegion(w, no)
  line(out, '}')
  w.chain = chain
}

const OPPOSITE: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

/** The opposite of a test; comparisons of integers turn round, those of floats do not, since NaN makes both false. */
function negated(test: Expr, c: Context): string {
  if (test.kind === 'op' && test.op !== 'product' && c.bound[numberOf(test)] === undefined) {
    const [a, b] = test.args as [Expr, Expr]
    if (test.op === 'not') return alone(a, c)
    const opposite = OPPOSITE[PURE[test.op].wgsl]
    const scalar = isValueName(a.type) ? scalarOf(a.type) : 'bool'
    if (opposite && test.type === 'bool' && scalar !== 'f32' && scalar !== 'f16') return infix(opposite, a, b, c)
  }
  const text = print(test, c)
  return c.rank <= RANK.unary ? `!${text}` : `!(${text})`
}

// Loops.

function writeRange(s: Range, w: Writer, at: Site): void {
  const { out, c } = w
  const start = alone(s.start, c)
  const down = s.step.kind === 'const' && (s.step.lanes[0] as number) < 0
  const size = s.step.kind === 'const' ? Math.abs(s.step.lanes[0] as number) : null
  const scalar = s.index.type === 'i32' ? 'i32' : 'u32'
  c.names.open()
  // before the name is declared: they do not see it
  const limit = operand(s.end, c)
  const stepText = size === null ? alone(s.step, c) : literal(scalar, size)
  const name = c.names.declare(s.name)
  c.results.set(s.index.id, name)
  const step = size === 1 ? (down ? `${name}--` : `${name}++`) : `${name} ${down ? '-=' : '+='} ${stepText}`
  line(out, `for (var ${name} = ${start}; ${name} ${down ? '>' : '<'} ${limit}; ${step}) {`, s.at)
  writeRegion(w, at.inner[0] as Region)
  line(out, '}')
  c.names.close()
}

/** As an operand of a comparison. */
function operand(e: Expr, c: Context): string {
  const text = print(e, c)
  return c.rank <= RANK.shift ? text : `(${text})`
}

interface LoopParts {
  readonly header: readonly Site[]
  readonly test: Site
  readonly body: Site
  readonly continuing: Region
}

function partsOf(s: Loop, at: Site): LoopParts {
  const { sites } = at.inner[0] as Region
  const n = s.header.length
  const body = sites[n + 1] as Site
  const last = sites[n + 2] ?? (body.inner[0] as Region).sites.at(-1)
  return { header: sites.slice(0, n), test: sites[n] as Site, body, continuing: (last as Site).inner[0] as Region }
}

/** Whether the head of a `while` or `for` can hold all that runs before the test. */
const hasHead = (s: Loop, parts: LoopParts, c: Context): boolean =>
  s.test !== null &&
  s.breakIf === null &&
  isQuiet(parts.header, c) &&
  parts.test.binds.length === 0 &&
  parts.body.binds.length === 0

/** The one store of a continuing block, if that is all that is in it. */
function updateOf(parts: LoopParts, c: Context): Store | null {
  let update: Store | null = null
  for (const at of parts.continuing.sites) {
    if (at.binds.length > 0) return null
    if (at.stmt === null || isSilent(at.stmt, c)) continue
    if (at.stmt.kind !== 'store' || update) return null
    update = at.stmt
  }
  if (!update) return null
  const counter = update.place.root.kind === 'variable' ? update.place.root.id : null
  return [...placeOperands(update.place), update.value].every((e) => isDeclared(e, c, counter)) ? update : null
}

/** Whether all that `e` mentions is declared by now: the head of a loop does not see what its body declares. */
function isDeclared(e: Expr, c: Context, counter: number | null): boolean {
  if (c.plan.bound.has(e)) return c.bound[numberOf(e)] !== undefined
  if (e.kind !== 'result') return argsOf(e).every((o) => isDeclared(o, c, counter))
  const load = c.plan.inlined[e.id]
  if (!load) return c.results.has(e.id)
  const { root } = load.place
  if (
    root.kind === 'variable' &&
    root.id !== counter &&
    !c.variables.has(root.id) &&
    !c.module.names.variables.has(root.id)
  )
    return false
  return placeOperands(load.place).every((o) => isDeclared(o, c, counter))
}

/** Whether `s` declares the counter of the loop that follows, and nothing else uses it. */
function isCounter(s: Var, next: Site, sites: readonly Site[], c: Context): boolean {
  const loop = next.stmt as Loop
  const parts = partsOf(loop, next)
  if (!s.variable.init || next.binds.length > 0 || !hasHead(loop, parts, c)) return false
  const update = updateOf(parts, c)
  if (update?.place.root.kind !== 'variable' || update.place.root.id !== s.variable.id) return false
  const after = sites.slice(sites.indexOf(next) + 1)
  return !after.some((at) => at.stmt !== null && mentions([at.stmt], s.variable.id))
}

function mentions(block: Block, variable: number): boolean {
  let found = false
  const check = (place: Place | null): void => {
    if (place?.root.kind === 'variable' && place.root.id === variable) found = true
  }
  forEachStmt(block, (s) => {
    if (s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') check(s.place)
    else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) check(a)
  })
  return found
}

function writeFor(w: Writer, s: Loop, at: Site, counter: Var): void {
  const { out, c } = w
  const parts = partsOf(s, at)
  const update = updateOf(parts, c) as Store
  const init = alone(counter.variable.init as Expr, c)
  c.names.open()
  const name = c.names.declare(counter.variable.name)
  c.variables.set(counter.variable.id, name)
  line(out, `for (var ${name} = ${init}; ${alone(s.test as Expr, c)}; ${assignment(update, c)}) {`, s.at)
  writeRegion(w, parts.body.inner[0] as Region)
  line(out, '}')
  c.names.close()
}

function writeLoop(s: Loop, w: Writer, at: Site): void {
  const { out, c } = w
  const parts = partsOf(s, at)
  if (hasHead(s, parts, c)) {
    const update = updateOf(parts, c)
    if (update || isQuiet(parts.continuing.sites, c)) {
      const test = alone(s.test as Expr, c)
      line(out, update ? `for (; ${test}; ${assignment(update, c)}) {` : `while (${test}) {`, s.at)
      writeRegion(w, parts.body.inner[0] as Region)
      line(out, '}')
      return
    }
  }
  line(out, 'loop {', s.at)
  c.names.open()
  out.indent += '  '
  writeSites(w, parts.header)
  writeBinds(w, parts.test)
  if (s.test) {
    line(out, `if (${negated(s.test, c)}) {`, s.at)
    line(out, '  break;', s.at)
    line(out, '}')
  }
  writeBinds(w, parts.body)
  c.names.open()
  writeSites(w, (parts.body.inner[0] as Region).sites)
  writeContinuing(w, s, parts.continuing)
  c.names.close()
  out.indent = out.indent.slice(2)
  c.names.close()
  line(out, '}')
}

function writeContinuing(w: Writer, s: Loop, continuing: Region): void {
  const { out, c } = w
  if (!s.breakIf && isQuiet(continuing.sites, c)) return
  line(out, 'continuing {', s.at)
  c.names.open()
  out.indent += '  '
  writeSites(w, continuing.sites)
  if (s.breakIf) line(out, `break if ${alone(s.breakIf, c)};`, s.at)
  out.indent = out.indent.slice(2)
  c.names.close()
  line(out, '}')
}

// Names.

/** The name of the variable that a place is in. */
export function rootName(place: Place, c: Context): string {
  const { root } = place
  if (root.kind === 'variable') return c.variables.get(root.id) ?? c.module.names.variables.get(root.id) ?? 'value'
  return root.name
}

/** A name for an expression that the author gave none: after what it is made of and how. */
function nameFor(e: Expr, c: Context): string {
  const base = baseOf(e, c)
  if (base === undefined) return typeName(e.type)
  const stem = base.replace(/_\d+$/, '')
  const suffix = e.kind === 'op' ? SUFFIX[e.op] : e.kind === 'convert' ? `_${typeName(e.type)}` : undefined
  return suffix === undefined || stem.endsWith(suffix) ? stem : stem + suffix
}

const SUFFIX: Readonly<Record<string, string>> = {
  mul: '_offset',
  div: '_div',
  shr: '_div',
  rem: '_rem',
  bitAnd: '_rem',
  lt: '_in',
  le: '_in',
}

/** The first name in an expression, looking only at what its value is close to. */
function baseOf(e: Expr, c: Context): string | undefined {
  const bound = c.bound[numberOf(e)]
  if (bound !== undefined) return bound
  switch (e.kind) {
    case 'result':
      return c.results.get(e.id)
    case 'param':
    case 'argument':
    case 'override':
      return e.name
    case 'length':
      return `${rootName(e.of, c)}_length`
    case 'swizzle': {
      const of = e.of.kind === 'builtin' ? c.builtins.get(e.of.name)?.replace(/_id$/, '') : baseOf(e.of, c)
      return of === undefined ? undefined : `${of}_${e.lanes.map((i) => 'xyzw'[i]).join('')}`
    }
    case 'builtin':
      return c.builtins.get(e.name)
    case 'convert':
      return baseOf(e.arg, c)
    case 'op':
      if (!(e.op in NAMING)) return undefined
      return baseOf(e.args[0] as Expr, c) ?? (e.args[1] && baseOf(e.args[1], c))
    default:
      return undefined
  }
}

const NAMING = {
  add: true,
  sub: true,
  mul: true,
  div: true,
  shr: true,
  rem: true,
  bitAnd: true,
  lt: true,
  le: true,
  min: true,
  max: true,
  clamp: true,
}

function typeName(type: Type): string {
  if (!isValueName(type)) return 'value'
  if (type.startsWith('vec')) return 'v'
  if (type.startsWith('mat')) return 'm'
  return type === 'bool' ? 'test' : type === 'u32' || type === 'i32' ? 'n' : 't'
}
