import { type Diagnostic, WeftError } from '@weft/dsl/ir'
import type { CompiledKernel } from '../../artifact'
import { type CompileOptions, compile } from '../../compile'
import { CommandError } from '../command'
import { isWeftError } from '../errors'
import { shortPath } from '../load/bundle'
import type { FoundKernel } from '../load/discover'
import type { Docs } from '../load/docs'
import { manifestText, withHeader } from './header'
import { key, quote } from './literal'
import { artifactText, moduleText } from './module'
import type { Output } from './write'

/** Names become names of files, and there are file systems that do not tell `Scale` from `scale`. */
export function refuseDuplicates(kernels: readonly FoundKernel[], cwd: string): void {
  const seen = new Map<string, FoundKernel>()
  for (const kernel of kernels) {
    const other = seen.get(kernel.source.name.toLowerCase())
    seen.set(kernel.source.name.toLowerCase(), kernel)
    if (other === undefined) continue
    const places = [other, kernel].map((k) => `${shortPath(cwd, k.file)}#${k.exportName}`).join(' and ')
    const names =
      other.source.name === kernel.source.name
        ? `'${kernel.source.name}'`
        : `'${other.source.name}' and '${kernel.source.name}'`
    throw new CommandError(
      'duplicate-name',
      `two kernels are named ${names}: ${places}`,
      'give one of them another name: kernel(name, …)',
    )
  }
}

interface Entry {
  readonly kernel: CompiledKernel
  /** Of the source, relative to the output folder: the same wherever the project lies. */
  readonly from: string
}

export interface GenOptions extends CompileOptions {
  /** Also the IR, in a module of its own. */
  readonly ir: boolean
  /** The modules hold the artifact and nothing else, for apps that have `@weft/runtime`. */
  readonly artifact: boolean
}

/** All files for the kernels, in order. Throws one WeftError with all that is wrong in any of them. */
export function outputsOf(kernels: readonly FoundKernel[], folder: string, docs: Docs, options: GenOptions): Output[] {
  const { ir: _, artifact, ...how } = options
  const wrong: Diagnostic[] = []
  const entries = kernels.flatMap(({ source, file, exportName }): Entry[] => {
    const declared = docs.of(file, exportName)
    try {
      const kernel = compile(source, { ...how, doc: source.doc ?? declared.doc })
      return [{ kernel, from: `${shortPath(folder, declared.file)}#${declared.name}` }]
    } catch (error) {
      if (!isWeftError(error)) throw error
      wrong.push(...error.diagnostics)
      return []
    }
  })
  const [first, ...more] = wrong
  if (first) throw new WeftError(first, ...more)
  return [
    ...entries.flatMap((entry) => filesOf(entry, options)),
    ...(artifact ? [{ name: 'index.ts', kernel: null, text: indexText(entries) }] : []),
    { name: 'manifest.json', kernel: null, text: manifest(entries) },
  ]
}

const wgslName = ({ name, variants }: CompiledKernel, id: string): string =>
  variants.length === 1 ? `${name}.wgsl` : `${name}.${id}.wgsl`

function filesOf({ kernel, from }: Entry, { ir, artifact }: GenOptions): Output[] {
  const { name } = kernel
  const text = artifact ? artifactText(kernel) : moduleText(kernel)
  return [
    ...kernel.variants.map((v) => ({ name: wgslName(kernel, v.id), kernel: name, text: withHeader(from, v.wgsl) })),
    { name: `${name}.ts`, kernel: name, text: withHeader(from, text) },
    ...(ir ? [{ name: `${name}.ir.ts`, kernel: name, text: withHeader(from, irText(kernel)) }] : []),
  ]
}

/** All artifacts by the names of their kernels. With the ending that Node's resolution asks for; bundlers take it, too. */
const indexText = (entries: readonly Entry[]): string =>
  withHeader(
    'the modules beside it',
    entries.map(({ kernel: { name } }) => `export { artifact as ${name} } from './${name}.js'\n`).join(''),
  )

/** The IR by variant of the source, which the interpreter runs: apart, since an app on a GPU has no use for it. */
function irText({ ir = {} }: CompiledKernel): string {
  const entries = Object.entries(ir).map(([variant, text]) => `  ${key(variant)}: ${quote(text)},\n`)
  return `/** For the interpreter: \`{ ...artifact, ir }\`. */\nexport const ir: Readonly<Record<string, string>> = {\n${entries.join('')}}`
}

/** For hosts in other languages: all that the artifacts say, with the names of the WGSL files in place of their text. */
function manifest(entries: readonly Entry[]): string {
  const kernels = entries.map(({ kernel, from }) => {
    const { ir: _, format, variants, ...rest } = kernel
    const list = variants.map(({ wgsl, sourceMap, ...v }) => ({ ...v, wgsl: wgslName(kernel, v.id) }))
    return { ...rest, from, module: `${kernel.name}.ts`, variants: list }
  })
  return manifestText({ format: 1, kernels })
}
