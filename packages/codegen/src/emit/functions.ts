import { type Block, BUILTINS, type BuiltinName, type Extent, type Func, type Kernel } from '@weft/dsl/ir'
import { type Callee, Context, type Declared, type Module } from './context'
import type { Output } from './lines'
import { SPECIAL, type Special } from './literals'
import { Names } from './names'
import { Scan } from './scan'
import { settle } from './settle'
import { writeSites } from './statements'

interface Planned {
  readonly c: Context
  readonly scan: Scan
}

function plan(body: Block, params: Func['params'], m: Module, out: Output): Planned {
  const c = new Context(m, out, writeSites, params, m.kernel.graph.size)
  const scan = new Scan(body, c)
  settle(scan, c)
  return { c, scan }
}

export function writeFunction(f: Func, m: Module, out: Output): void {
  const before = m.time
  const types = f.params.map((p) => m.type(p.type))
  const result = f.result && m.type(f.result)
  const { c, scan } = plan(f.body, f.params, m, out)
  const callee = m.functions.get(f.name) as Callee
  callee.pure = scan.pure
  callee.isValue = scan.isValue
  c.names = new Names(visible(m, before))
  const params = f.params.map((p, i) => {
    const arg = c.args.get(p.name) as Declared
    arg.name = c.names.declare(p.name)
    return `${arg.name}: ${types[i]}`
  })
  out.line(`fn ${callee.name}(${params.join(', ')})${result ? ` -> ${result}` : ''} {`)
  writeSpecials(scan, c)
  c.region(scan.root)
  // naga wants a return after a loop that is only left by returning
  if (result && !returns(f.body)) out.line(`  return ${result}();`)
  out.line('}')
  out.line('')
}

/** What of the module a function must not hide: what it mentions. Others its own may hide, so that a parameter keeps its name. */
const visible = ({ params, structs, functions, declared }: Module, since: number): readonly string[] =>
  [params, ...structs.values(), ...functions.values(), ...[...declared.values()].filter((x) => x.last > since)]
    .map((x) => x.name)
    .concat(params.struct)

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

/** Built-in values as parameters: `global_id` for `global_invocation_id`, as the builder has it. */
const PARAMS = (Object.keys(BUILTINS) as BuiltinName[]).map(
  (name) => [name, name.replace(/^(local|global)_invocation/, '$1')] as const,
)

export function writeEntry(kernel: Kernel, m: Module, out: Output): void {
  const { c, scan } = plan(kernel.body, [], m, out)
  const params: string[] = []
  c.names.open()
  for (const [b, short] of PARAMS) {
    if (!c.builtins.has(b)) continue
    const spelling = c.names.declare(short)
    c.builtins.set(b, spelling)
    params.push(`@builtin(${b}) ${spelling}: ${BUILTINS[b].type}`)
  }
  const size = kernel.workgroupSize.map((x) => extent(x, m))
  while (size.length > 1 && size.at(-1) === '1') size.pop()
  const subgroup = kernel.subgroupSize === null ? '' : ` @subgroup_size(${kernel.subgroupSize})`
  out.line(`@compute @workgroup_size(${size.join(', ')})${subgroup}`)
  const inline = `fn ${m.entryPoint}(${params.join(', ')}) {`
  if (inline.length <= 120) out.line(inline)
  else {
    out.line(`fn ${m.entryPoint}(`)
    for (const p of params) out.line(`  ${p},`)
    out.line(') {')
  }
  writeSpecials(scan, c)
  c.region(scan.root)
  out.line('}')
}

const extent = (x: Extent, m: Module): string =>
  typeof x === 'number' ? String(x) : (m.declared.get(x.override) as Declared).name

const MEANING: { readonly [K in Special]: string } = { inf: '∞', negInf: '−∞', nan: 'NaN' }

/** Variables, which no compiler takes for constants: WGSL has no way to write these values. */
function writeSpecials({ specials }: Scan, c: Context): void {
  for (const s of specials) {
    const name = c.names.declare(SPECIAL[s].name)
    c.specials.set(s, name)
    c.line(`  var ${name} = 0x${SPECIAL[s].bits.toString(16)}u; // ${MEANING[s]}`)
  }
}
