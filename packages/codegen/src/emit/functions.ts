import {
  type Block,
  BUILTINS,
  type BuiltinName,
  type Extent,
  type Func,
  forEachExpr,
  forEachStmt,
  isPlace,
  type Kernel,
  type Place,
} from '@weft/dsl/ir'
import type { Context, Module } from './context'
import { functionContext } from './function-context'
import { line, type Output } from './lines'
import { SPECIAL, type Special } from './literals'
import type { Memory } from './memory'
import { writeBody } from './statements'

export function writeFunction(f: Func, m: Module, memory: Memory, out: Output): void {
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

export function writeEntry(kernel: Kernel, name: string, m: Module, memory: Memory, out: Output): void {
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
