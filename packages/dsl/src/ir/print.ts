import { spell } from '../types'
import type { Extent, Func, Kernel } from './kernel'
import type { HostExpr } from './launch'
import type { Block, Cases, Expr, Of, Place, Result, Root, Stmt, Variable } from './nodes'
import { forEachExpr, forEachStmt, isPlace, loopTests, operands, statementOperands } from './walk'

/**
 * The IR as text: one statement a line, results as `%3`, pure operands nested where they are used once and named
 * `$1` where they are shared. Numbers count from 1 in order of appearance, so that equal kernels print equally,
 * whatever ids the builder gave.
 */
export interface PrintOptions {
  /** Appends `@n`, the number of the builder call, to every statement. */
  readonly at?: boolean
}

const BINARY: Readonly<Record<string, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  product: '*',
  div: '/',
  rem: '%',
  bitAnd: '&',
  bitOr: '|',
  bitXor: '^',
  shl: '<<',
  shr: '>>',
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  and: '&&',
  or: '||',
  boolAnd: '&',
  boolOr: '|',
}
const LANES = 'xyzw'

const number = (x: number): string => (Object.is(x, -0) ? '-0' : String(x))
const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)
const comment = (name: string): string => (name === '' ? '' : ` ${name}`)

/** Prints the bodies of one kernel. Shared operands are printed before the statement that first uses them. */
class Printer {
  private readonly results = new Map<number, number>()
  private readonly variables = new Map<number, string>()
  private readonly uses = new Map<Expr, number>()
  private readonly shared = new Map<Expr, string>()
  private sharedCount = 0
  private pending: string[] = []

  constructor(private readonly options: PrintOptions) {}

  declare(variable: Variable): string {
    const taken = new Set(this.variables.values())
    let name = variable.name || 'v'
    for (let n = 2; taken.has(name); n++) name = `${variable.name || 'v'}.${n}`
    this.variables.set(variable.id, name)
    return name
  }

  result(r: Result): string {
    if (!this.results.has(r.id)) this.results.set(r.id, this.results.size + 1)
    return `%${this.results.get(r.id)}`
  }

  /** Counts the places where each operand is mentioned, to tell shared ones. */
  count(body: Block): void {
    const add = (e: Expr): void => void this.uses.set(e, (this.uses.get(e) ?? 0) + 1)
    forEachExpr(body, (e) => operands(e).forEach(add))
    forEachStmt(body, (s) => [...statementOperands(s), ...loopTests(s)].forEach(add))
  }

  expr(e: Expr): string {
    const known = this.shared.get(e)
    if (known !== undefined) return known
    const text = (EXPR[e.kind] as (e: Expr, p: Printer) => string)(e, this)
    if (operands(e).length === 0 || (this.uses.get(e) ?? 0) < 2) return text
    const name = `$${++this.sharedCount}`
    this.pending.push(`${name} = ${text}`)
    this.shared.set(e, name)
    this.scoped.at(-1)?.push(e)
    return name
  }

  /** Names of shared operands end with the block that they were printed in. */
  private readonly scoped: Expr[][] = []

  block(body: Block): string[] {
    this.scoped.push([])
    const lines = body.flatMap((s) => this.statement(s))
    for (const e of this.scoped.pop() ?? []) this.shared.delete(e)
    return indent(lines)
  }

  /** The text of `make`, after the lines of the shared operands that it mentions first. */
  flush(make: () => string): string[] {
    const outer = this.pending
    this.pending = []
    const text = make()
    const lines = [...this.pending, text]
    this.pending = outer
    return lines
  }

  private statement(s: Stmt): string[] {
    const lines = (STMT[s.kind] as (s: Stmt, p: Printer) => string[])(s, this)
    if (!this.options.at) return lines
    const own = lines.findIndex((line) => !line.startsWith('$'))
    return lines.map((line, i) => (i === own ? `${line} @${s.at}` : line))
  }

  place(place: Place): string {
    let text = this.root(place.root)
    for (const step of place.steps) text += step.kind === 'index' ? `[${this.expr(step.index)}]` : `.${step.name}`
    return text
  }

  private root(root: Root): string {
    switch (root.kind) {
      case 'binding':
        return root.name
      case 'pointer':
        return `*${root.name}`
      case 'variable':
        return this.variables.get(root.id) ?? `?${root.id}`
      case 'view':
        return `view<${spell(root.type)}>(${root.name}, ${this.expr(root.offset)})`
    }
  }

  list(args: readonly (Expr | Place)[]): string {
    return args.map((a) => (isPlace(a) ? `&${this.place(a)}` : this.expr(a))).join(', ')
  }
}

const operand = (e: Expr, p: Printer): string => {
  const text = p.expr(e)
  return text.includes(' ') && !/^[\w<>%$.]*\([^()]*\)$/.test(text) && !text.startsWith('$') ? `(${text})` : text
}

const EXPR: Cases<Expr, string, [Printer]> = {
  const: (e) => (e.lanes.length === 1 ? scalar(e) : `${e.type}(${e.lanes.map(number).join(', ')})`),
  builtin: (e) => e.name,
  param: (e) => e.name,
  override: (e) => e.name,
  constant: (e) => e.name,
  argument: (e) => e.name,
  result: (e, p) => p.result(e),
  op: (e, p) => {
    const [a, b] = e.args
    const infix = BINARY[e.op]
    return infix && a && b ? `${operand(a, p)} ${infix} ${operand(b, p)}` : `${e.op}(${p.list(e.args)})`
  },
  construct: (e, p) => `${spell(e.type)}(${p.list(e.args)})`,
  convert: (e, p) => `${e.type}(${p.expr(e.arg)})`,
  bitcast: (e, p) => `bitcast<${e.type}>(${p.expr(e.arg)})`,
  swizzle: (e, p) => `${operand(e.of, p)}.${e.lanes.map((i) => LANES[i] ?? '?').join('')}`,
  index: (e, p) => `${operand(e.of, p)}[${p.expr(e.index)}]`,
  member: (e, p) => `${operand(e.of, p)}.${e.name}`,
  length: (e, p) => `length(${p.place(e.of)})`,
}

function scalar(e: Of<Expr, 'const'>): string {
  const x = e.lanes[0] ?? 0
  return e.type === 'bool' ? (x ? 'true' : 'false') : `${number(x)}:${e.type}`
}

const body = (head: string[], block: string[]): string[] => [...head.slice(0, -1), `${head.at(-1)} {`, ...block, '}']

const STMT: Cases<Stmt, string[], [Printer]> = {
  let: (s, p) =>
    p
      .flush(() => `${p.expr(s.value)}`)
      .map((line, i, all) => (i === all.length - 1 ? `${p.result(s.result)} = let${comment(s.name)} = ${line}` : line)),
  var: (s, p) =>
    p.flush(() => {
      const init = s.variable.init ? ` = ${p.expr(s.variable.init)}` : ''
      return `var ${p.declare(s.variable)}: ${spell(s.variable.type)}${init}`
    }),
  load: (s, p) =>
    p.flush(() => {
      const place = p.place(s.place)
      return `${p.result(s.result)} = load ${place}`
    }),
  store: (s, p) =>
    p.flush(() => {
      const place = p.place(s.place)
      return `store ${place} = ${p.expr(s.value)}`
    }),
  effect: (s, p) =>
    p.flush(() => {
      const order = s.majorness ? `.${s.majorness}` : ''
      const args = [...(s.place ? [`&${p.place(s.place)}`] : []), ...(s.args.length ? [p.list(s.args)] : [])]
      const results = [s.result, s.exchanged].flatMap((r) => (r ? [p.result(r)] : []))
      return `${results.length ? `${results.join(', ')} = ` : ''}${s.op}${order}(${args.join(', ')})`
    }),
  call: (s, p) =>
    p.flush(() => {
      const args = p.list(s.args)
      return `${s.result ? `${p.result(s.result)} = ` : ''}call ${s.func}(${args})`
    }),
  if: (s, p) => {
    const head = p.flush(() => `if ${p.expr(s.test)}`)
    const then = body(head, p.block(s.then))
    return s.else.length === 0 ? then : [...then.slice(0, -1), '} else {', ...p.block(s.else), '}']
  },
  switch: (s, p) => {
    const head = p.flush(() => `switch ${p.expr(s.selector)}`)
    const cases = s.cases.flatMap((c) => body([`case ${c.selectors.join(', ')}`], p.block(c.body)))
    return body(head, indent([...cases, ...body(['default'], p.block(s.default))]))
  },
  range: (s, p) => {
    const parts = p.flush(() => `${p.expr(s.start)}, ${p.expr(s.end)}, ${p.expr(s.step)}`)
    const head = `range ${p.result(s.index)}${comment(s.name)} = ${parts.at(-1)}${s.unroll ? ' unroll' : ''}${typeof s.unroll === 'number' ? ` ${s.unroll}` : ''}`
    return body([...parts.slice(0, -1), head], p.block(s.body))
  },
  loop: (s, p) => {
    const header = [...p.block(s.header), ...(s.test ? indent(p.flush(() => `while ${p.expr(s.test as Expr)}`)) : [])]
    const after = p.block(s.continuing)
    if (s.breakIf) after.push(...indent(p.flush(() => `break if ${p.expr(s.breakIf as Expr)}`)))
    const inner = [...header, ...p.block(s.body)]
    return after.length === 0
      ? body(['loop'], inner)
      : body(['loop'], [...inner, ...indent(body(['continuing'], after))])
  },
  break: () => ['break'],
  continue: () => ['continue'],
  return: (s, p) => p.flush(() => (s.value ? `return ${p.expr(s.value)}` : 'return')),
}

/** One statement block as text, for tests of passes. */
export function printBlock(block: Block, options: PrintOptions = {}): string {
  const printer = new Printer(options)
  printer.count(block)
  return printer
    .block(block)
    .map((line) => line.slice(2))
    .join('\n')
}

const extent = (e: Extent): string => (typeof e === 'number' ? String(e) : e.override)

function hostText(e: HostExpr): string {
  if (typeof e === 'number') return String(e)
  switch (e.kind) {
    case 'param':
    case 'override':
      return e.name
    case 'length':
      return `length(${e.binding})`
    default:
      return `${e.kind}(${hostText(e.a)}, ${hostText(e.b)})`
  }
}

function header(kernel: Kernel): string[] {
  const lines = [
    `kernel ${kernel.name}${kernel.variant ? ` ${kernel.variant}` : ''} [${kernel.workgroupSize.map(extent).join(', ')}]`,
  ]
  if (kernel.subgroupSize !== null) lines.push(`subgroup size ${kernel.subgroupSize}`)
  if (kernel.guards === 'off') lines.push('guards off')
  for (const b of kernel.bindings)
    lines.push(`${b.kind} ${b.name}: ${spell(b.type)} ${b.access}${b.writes ? ` ${b.writes}` : ''}`)
  for (const f of kernel.params) lines.push(`param ${f.name}: ${spell(f.type)}`)
  for (const o of kernel.overrides)
    lines.push(
      `override ${o.name}: ${o.type}${o.default === null ? '' : ` = ${number(o.default)}`}${o.id === null ? '' : ` id ${o.id}`}`,
    )
  if (kernel.launch) lines.push(`launch ${kernel.launch.workgroups.map(hostText).join(', ')}`)
  for (const [a, b] of kernel.aliases) lines.push(`alias ${a} = ${b}`)
  return lines
}

function funcText(f: Func, printer: Printer): string[] {
  printer.count(f.body)
  const params = f.params.map((p) => `${p.name}: ${spell(p.type)}`).join(', ')
  return body([`fn ${f.name}(${params})${f.result === null ? '' : ` -> ${spell(f.result)}`}`], printer.block(f.body))
}

/** The whole kernel as text. */
export function print(kernel: Kernel, options: PrintOptions = {}): string {
  const printer = new Printer(options)
  const lines = header(kernel)
  for (const c of kernel.constants) lines.push(`const ${c.name}: ${spell(c.type)} = ${printer.expr(c.value)}`)
  for (const v of kernel.variables)
    lines.push(`${v.space} ${printer.declare(v)}: ${spell(v.type)}${v.init ? ` = ${printer.expr(v.init)}` : ''}`)
  for (const f of kernel.functions) lines.push(...funcText(f, printer))
  printer.count(kernel.body)
  return [...lines, ...body(['body'], printer.block(kernel.body))].join('\n')
}
