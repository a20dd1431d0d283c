import { Project, type SourceFile, ts } from 'ts-morph'
import type { CompiledKernel } from '../../artifact'
import { bindClasses } from './bind'
import { createFunctions, overrideFunctions } from './create'
import { factsOf } from './facts'
import { Code, docComment, key, literal, quote, template } from './literal'
import { packFunctions, packStatements } from './packer'
import { declarations } from './types'
import { workgroupsFunction } from './workgroups'

const formatted = { indentSize: 2, semicolons: ts.SemicolonPreference.Remove, ensureNewLineAtEndOfFile: true } as const

const fileFor = (kernel: CompiledKernel): SourceFile =>
  new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile(`${kernel.name}.ts`)

const docOf = (kernel: CompiledKernel): string =>
  docComment(kernel.doc === '' ? `The kernel \`${kernel.name}\`.` : kernel.doc)

/** The module of a kernel as data alone, which `@weft/runtime` runs. Below its header. */
export function artifactText(kernel: CompiledKernel): string {
  const { ir: _, ...rest } = kernel
  const variants = kernel.variants.map((v) => ({ ...v, wgsl: new Code(template(v.wgsl)), sourceMap: null }))
  const file = fileFor(kernel)
  file.addStatements(`import type { CompiledKernel } from '@weft/codegen'

${docOf(kernel)}export const artifact: CompiledKernel & ${signature(kernel)} = ${literal({ ...rest, variants })}`)
  file.formatText(formatted)
  return file.getFullText()
}

/** The module of a kernel: everything that an app needs to run it, without a package. Below its header. */
export function moduleText(kernel: CompiledKernel): string {
  const facts = factsOf(kernel)
  const file = fileFor(kernel)
  const add = (text: string): void => {
    if (text !== '') file.addStatements(`\n${text}`)
  }
  add(`${docOf(kernel)}export const name = ${quote(kernel.name)}`)
  for (const item of declarations(kernel, facts)) {
    if (typeof item === 'string') add(item)
    else file.addInterface({ ...item, properties: item.properties.map((p) => ({ ...p, isReadonly: true })) })
  }
  add(wgslTexts(kernel))
  add(layoutTables(kernel))
  add(variantTable(kernel))
  add(artifactValue(kernel))
  if (kernel.params) add(packer(kernel))
  add(workgroupsFunction(kernel, facts))
  add(createFunctions(kernel, facts))
  if (facts.overrides) add(overrideFunctions(kernel))
  add(bindClasses(kernel, facts))
  add(failFunction(kernel))
  file.formatText(formatted)
  return file.getFullText()
}

const wgslTexts = (kernel: CompiledKernel): string =>
  `/** The shader of each variant. */\nexport const wgsl: Readonly<Record<Variant, string>> = {\n${kernel.variants.map((v) => `  ${key(v.id)}: ${template(v.wgsl)},\n`).join('')}}`

const layoutTables = (kernel: CompiledKernel): string =>
  `/** The bind-group layouts of each variant, by group. */\nexport const layouts: Readonly<Record<Variant, readonly Layout[]>> = ${literal(Object.fromEntries(kernel.variants.map((v) => [v.id, v.layouts])))}`

const of = (table: string, id: string): Code => new Code(key(id) === id ? `${table}.${id}` : `${table}[${quote(id)}]`)

function variantTable(kernel: CompiledKernel): string {
  const rows = kernel.variants.map((v) => ({
    ...v,
    wgsl: of('wgsl', v.id),
    layouts: of('layouts', v.id),
    sourceMap: null,
  }))
  return `type Size = number | { readonly override: string }\n\n/** Best first. */\nexport const variants: readonly CompiledVariant[] = ${literal(rows)}`
}

function artifactValue(kernel: CompiledKernel): string {
  const { ir: _, ...rest } = kernel
  const text = literal({ ...rest, bindings: new Code('bindingList'), variants: new Code('variants') })
  return `const bindingList: readonly CompiledBinding[] = ${literal(kernel.bindings)}

const compiled = ${text} as const

/** The same as data: \`@weft/runtime\` runs it. \`$\` is there for its types only. */
export const artifact: typeof compiled & ${signature(kernel)} = compiled`
}

/** What a caller gives it, as a type. */
function signature(kernel: CompiledKernel): string {
  const bindings = kernel.bindings.map((b) => `readonly ${key(b.name)}: ${quote(b.type)}`).join('; ')
  const params = kernel.params?.fields.map((f) => `readonly ${key(f.name)}: ${quote(f.type)}`).join('; ') ?? ''
  return `{
  readonly $?: {
    readonly bindings: { ${bindings} }
    readonly params: { ${params} }
  }
}`
}

function packer(kernel: CompiledKernel): string {
  const layout = kernel.params
  if (layout === null) return ''
  return `/** The params as the shader reads them. Throws where a value does not fit its type. */
export function packParams(params: Params): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(${layout.size})
  const view = new DataView(bytes.buffer)
  checkNames('bad-param', 'param', params, [${layout.fields.map((f) => quote(f.name)).join(', ')}])
${packStatements(layout)
  .map((line) => `  ${line}\n`)
  .join('')}  return bytes
}

${packFunctions(layout)}`
}

const failFunction = (
  kernel: CompiledKernel,
): string => `/** Refuses names that there are not, which would otherwise be as if they had not been given. */
function checkNames(code: string, what: string, given: object | null | undefined, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw fail(code, \`its \${what}s are \${String(given)}, expected an object\`)
  for (const name of Object.keys(given)) if (!names.includes(name)) throw fail(code, \`there is no \${what} '\${name}'\`)
}

/** An error with a code, as \`bad-param\`. */
function fail(code: string, message: string): RangeError & { readonly code: string } {
  return Object.assign(new RangeError(\`\${code}: ${kernel.name}: \${message}\`), { code })
}`
