import {
  type Block,
  BUILTINS,
  type BuiltinName,
  type Extent,
  FEATURES,
  type FeatureName,
  type Func,
  forEachExpr,
  forEachStmt,
  isPlace,
  type Kernel,
  type Place,
  type StructType,
  spell,
  type Type,
} from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import { working } from '../passes/rewrite'
import { comment } from './comments'
import type { Context, Module } from './context'
import { print } from './expressions'
import { line, type Output, output } from './lines'
import { literal, SPECIAL, type Special } from './literals'
import { type Memory, memoryOf } from './memory'
import { memberNames, names } from './names'
import { rootName } from './naming'
import { overrideIds, overridesFirst } from './overrides'
import { plan } from './plan'
import { writeBody } from './statements'
import { type Survey, survey } from './survey'

/** Where the bindings of a kernel go. */
export interface Slots {
  readonly bindings: ReadonlyMap<string, { readonly group: number; readonly binding: number }>
  readonly params: { readonly group: number; readonly binding: number } | null
}

/** The text of a module. The line that declares the params can be exchanged: the rest does not depend on it. */
export interface Emitted {
  readonly lines: readonly string[]
  /** For each line, the number of the builder's call that it comes from, or −1. */
  readonly ats: readonly number[]
  readonly entryPoint: string
  readonly survey: Survey
  /** The whole text, with params in a uniform block or in immediates. */
  text(via: 'uniform' | 'immediates'): string
}

/** Writes a kernel that has been validated and legalized: never fails, and gives the same text for the same kernel. */
export function emit(source: Kernel, slots: Slots, doc = ''): Emitted {
  const kernel = working(source)
  const found = survey(kernel)
  const memory = memoryOf(kernel)
  const { module, entryPoint } = moduleNames(kernel, found, memory)
  const out = output()

  for (const text of comment(doc)) line(out, text)
  const enables = enablesOf(found.features)
  for (const name of enables) line(out, `enable ${name};`)
  gap(out)
  for (const s of found.structs) writeStruct(s, module, out)
  if (kernel.params.length > 0) writeStruct({ kind: 'struct', name: '', fields: kernel.params }, module, out)
  writeDeclarations(kernel, module, slots, out)
  const paramsLine = out.lines.length
  if (slots.params) line(out, '//')
  writeVariables(kernel, module, out)
  for (const f of kernel.functions) writeFunction(f, module, memory.within(f), out)
  writeEntry(kernel, entryPoint, module, memory, out)

  const declaration = (via: 'uniform' | 'immediates'): string =>
    via === 'immediates'
      ? `var<immediate> ${module.names.params}: ${module.names.structs.get('')};`
      : `@group(${slots.params?.group}) @binding(${slots.params?.binding}) var<uniform> ${module.names.params}: ${module.names.structs.get('')};`
  const joined = (from: number, to?: number): (() => string) => {
    let text: string | undefined
    return () => (text ??= `${out.lines.slice(from, to).join('\n')}\n`)
  }
  const before = joined(0, paramsLine)
  const after = joined(slots.params ? paramsLine + 1 : 0)
  return {
    lines: out.lines,
    ats: out.ats,
    entryPoint,
    survey: found,
    text: (via) => (slots.params ? `${before()}${declaration(via)}\n${after()}` : after()),
  }
}

/** The `enable` names of features, in the order of the table. */
export function enablesOf(features: ReadonlySet<FeatureName>): readonly string[] {
  const out: string[] = []
  for (const [name, feature] of Object.entries(FEATURES) as [FeatureName, { enable?: string }][]) {
    if (feature.enable && features.has(name)) out.push(feature.enable)
  }
  return out
}

function gap(out: Output): void {
  if (out.lines.length > 0 && out.lines.at(-1) !== '') line(out, '')
}

// Names and types.

function moduleNames(
  kernel: Working,
  found: Survey,
  memory: Memory,
): { readonly module: Module; readonly entryPoint: string } {
  const all = names()
  const globals = new Map<string, string>()
  for (const d of [...overridesFirst(kernel.overrides), ...kernel.bindings, ...kernel.constants])
    globals.set(d.name, all.declare(d.name))
  const variables = new Map<number, string>()
  for (const v of kernel.variables) variables.set(v.id, all.declare(v.name))
  const functions = new Map<string, string>()
  for (const f of kernel.functions) functions.set(f.name, all.declare(f.name))
  const structs = new Map<string, string>()
  for (const s of found.structs) structs.set(s.name, all.declare(s.name))
  if (kernel.params.length > 0) structs.set('', all.declare('Params'))
  const params = kernel.params.length > 0 ? all.declare('params') : 'params'
  const entryPoint = all.declare('main')
  const members = new Map<string, ReadonlyMap<string, string>>()
  for (const s of found.structs) members.set(s.name, memberNames(s.fields))
  const paramMembers = memberNames(kernel.params)
  const none = new Map<string, string>()
  const type = (t: Type): string => (typeof t === 'string' ? t : respell(t))
  const respell = (t: Exclude<Type, string>): string => {
    switch (t.kind) {
      case 'struct':
        return structs.get(t.name) ?? t.name
      case 'array':
        if (t.count === null) return `array<${type(t.of)}>`
        return `array<${type(t.of)}, ${typeof t.count === 'number' ? t.count : (globals.get(t.count.override) ?? t.count.override)}>`
      case 'ptr': {
        const access = t.space === 'storage' && t.access !== 'read' ? ', read_write' : ''
        return `ptr<${t.space}, ${type(t.of)}${access}>`
      }
      default:
        return spell(t)
    }
  }
  const module: Module = {
    kernel,
    memory,
    type,
    names: {
      globals,
      variables,
      functions,
      structs,
      params,
      visible: all.visible,
      members: (struct) => (struct === null ? paramMembers : (members.get(struct) ?? none)),
    },
  }
  return { module, entryPoint }
}

// Declarations.

function writeStruct(s: StructType, m: Module, out: Output): void {
  const members = m.names.members(s.name === '' ? null : s.name)
  line(out, `struct ${m.names.structs.get(s.name)} {`)
  for (const f of s.fields) {
    const attributes = `${f.align === undefined ? '' : `@align(${f.align}) `}${f.size === undefined ? '' : `@size(${f.size}) `}`
    line(out, `  ${attributes}${members.get(f.name)}: ${m.type(f.type)},`)
  }
  line(out, '}')
  line(out, '')
}

function writeDeclarations(kernel: Kernel, m: Module, slots: Slots, out: Output): void {
  const { globals } = m.names
  const ids = overrideIds(kernel)
  for (const o of kernel.overrides) {
    const id = ids.has(o.name) ? `@id(${ids.get(o.name)}) ` : ''
    line(
      out,
      `${id}override ${globals.get(o.name)}: ${o.type}${o.default === null ? '' : ` = ${literal(o.type, o.default)}`};`,
    )
  }
  const c = functionContext(m, m.memory, [])
  for (const k of kernel.constants) line(out, `const ${globals.get(k.name)} = ${print(k.value, c)};`)
  if (kernel.overrides.length + kernel.constants.length > 0) line(out, '')
  const written = new Set<string>()
  for (const b of kernel.bindings) {
    const slot = slots.bindings.get(b.name)
    const name = globals.get(b.name) as string
    if (!slot || written.has(name)) continue
    written.add(name)
    const space =
      b.kind === 'texture'
        ? 'var'
        : b.kind === 'uniform'
          ? 'var<uniform>'
          : `var<storage, ${b.access === 'read' ? 'read' : 'read_write'}>`
    line(out, `@group(${slot.group}) @binding(${slot.binding}) ${space} ${name}: ${m.type(b.type)};`)
  }
}

function writeVariables(kernel: Kernel, m: Module, out: Output): void {
  gap(out)
  if (kernel.variables.length === 0) return
  const c = functionContext(m, m.memory, [])
  for (const v of kernel.variables) {
    const init = v.init ? ` = ${print(v.init, c)}` : ''
    line(out, `var<${v.space}> ${m.names.variables.get(v.id)}: ${m.type(v.type)}${init};`)
  }
  line(out, '')
}

// Functions.

function functionContext(
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

function writeFunction(f: Func, m: Module, memory: Memory, out: Output): void {
  const c = functionContext(m, memory, f.body, mentioned(f, m))
  const params = f.params.map((p) => {
    const name = c.names.declare(p.name)
    c.args.set(p.name, name)
    return `${name}: ${m.type(p.type)}`
  })
  line(out, `fn ${m.names.functions.get(f.name)}(${params.join(', ')})${f.result ? ` -> ${m.type(f.result)}` : ''} {`)
  writeSpecials(c, out)
  writeBody(c.plan.root, c, out)
  // naga wants a return after a loop that is only left by returning
  if (f.result && !returns(f.body)) line(out, `  return ${m.type(f.result)}();`)
  line(out, '}')
  line(out, '')
}

/** The module's names that a function mentions: others its own may hide, so that a parameter keeps its name. */
function mentioned(f: Func, m: Module): ReadonlySet<string> {
  const { globals, variables, functions, structs, params } = m.names
  const out = new Set<string>([params, ...structs.values(), ...functions.values()])
  const add = (name: string | undefined): void => void (name !== undefined && out.add(name))
  const root = (place: Place | null): void => {
    if (place?.root.kind === 'variable') add(variables.get(place.root.id))
    else if (place) add(globals.get(place.root.name))
  }
  forEachStmt(f.body, (s) => {
    if (s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') root(s.place)
    else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) root(a)
  })
  forEachExpr(f.body, (e) => {
    if (e.kind === 'length') root(e.of)
    else if (e.kind === 'constant' || e.kind === 'override') add(globals.get(e.name))
  })
  return out
}

/** Whether a body ends by returning, as naga sees it. */
function returns(body: Block): boolean {
  const last = body.at(-1)
  switch (last?.kind) {
    case 'return':
      return true
    case 'if':
      return returns(last.then) && returns(last.else)
    case 'switch':
      return returns(last.default) && last.cases.every((c) => returns(c.body))
    default:
      return false
  }
}

/** Short names of the built-in values: those of the builder, in the letters of WGSL. */
const PARAMETER_NAMES: { readonly [K in BuiltinName]: string } = {
  local_invocation_id: 'local_id',
  local_invocation_index: 'local_index',
  global_invocation_id: 'global_id',
  workgroup_id: 'workgroup_id',
  num_workgroups: 'num_workgroups',
  global_invocation_index: 'global_index',
  workgroup_index: 'workgroup_index',
  subgroup_size: 'subgroup_size',
  subgroup_invocation_id: 'subgroup_invocation_id',
  subgroup_id: 'subgroup_id',
  num_subgroups: 'num_subgroups',
}

function writeEntry(kernel: Kernel, name: string, m: Module, memory: Memory, out: Output): void {
  const c = functionContext(m, memory, kernel.body)
  const params = (Object.keys(BUILTINS) as BuiltinName[])
    .filter((b) => c.plan.builtins.has(b))
    .map((b) => {
      const spelling = c.names.declare(PARAMETER_NAMES[b])
      c.builtins.set(b, spelling)
      return `@builtin(${b}) ${spelling}: ${BUILTINS[b].type}`
    })
  const size = kernel.workgroupSize.map((x) => extent(x, m))
  while (size.length > 1 && size.at(-1) === '1') size.pop()
  const subgroup = kernel.subgroupSize === null ? '' : ` @subgroup_size(${kernel.subgroupSize})`
  line(out, `@compute @workgroup_size(${size.join(', ')})${subgroup}`)
  const inline = `fn ${name}(${params.join(', ')}) {`
  if (inline.length <= 120) line(out, inline)
  else {
    line(out, `fn ${name}(`)
    for (const p of params) line(out, `  ${p},`)
    line(out, ') {')
  }
  writeSpecials(c, out)
  writeBody(c.plan.root, c, out)
  line(out, '}')
}

const extent = (x: Extent, m: Module): string =>
  typeof x === 'number' ? String(x) : (m.names.globals.get(x.override) ?? x.override)

const MEANING: { readonly [K in Special]: string } = { inf: '∞', negInf: '−∞', nan: 'NaN' }

/** Variables, which no compiler takes for constants: WGSL has no way to write these values. */
function writeSpecials(c: Context, out: Output): void {
  for (const s of c.plan.specials) {
    const name = c.names.declare(SPECIAL[s].name)
    c.specials.set(s, name)
    line(out, `  var ${name} = 0x${SPECIAL[s].bits.toString(16)}u; // ${MEANING[s]}`)
  }
}
