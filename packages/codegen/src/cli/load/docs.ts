import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Node, Project, type SourceFile, type VariableStatement } from 'ts-morph'

/** A declaration with the text of its doc comment, without the stars. */
export interface Declared {
  readonly file: string
  readonly name: string
  readonly doc: string
}

/**
 * The doc comments of exports, found by syntax: nothing is type-checked, so imports are not followed except where an
 * export is passed on (`export … from './other'`).
 */
export class Docs {
  readonly #project = new Project({
    useInMemoryFileSystem: false,
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    skipLoadingLibFiles: true,
    compilerOptions: { allowJs: true },
  })

  /** Where the export `name` of `file` is declared; at the export itself where syntax does not tell. */
  of(file: string, name: string): Declared {
    return this.#find(file, name, new Set()) ?? { file, name, doc: '' }
  }

  #find(path: string, name: string, seen: Set<string>): Declared | undefined {
    const key = `${path}#${name}`
    if (seen.has(key)) return undefined
    seen.add(key)
    const file = this.#project.addSourceFileAtPathIfExists(path)
    if (file === undefined) return undefined
    const doc = docOf(file, name)
    return doc === undefined ? this.#passedOn(file, name, seen) : { file: path, name, doc }
  }

  /** Follows `export { a as name }`, with or without `from`, and `export * from`. */
  #passedOn(file: SourceFile, name: string, seen: Set<string>): Declared | undefined {
    for (const declaration of file.getExportDeclarations()) {
      const from = declaration.getModuleSpecifierValue()
      const target = from === undefined ? file.getFilePath() : modulePath(file.getFilePath(), from)
      if (target === undefined) continue
      const named = declaration.getNamedExports()
      const item = named.find((n) => (n.getAliasNode()?.getText() ?? n.getName()) === name)
      if (item === undefined && (named.length > 0 || from === undefined)) continue
      const found = this.#find(target, item?.getName() ?? name, seen)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Of a variable (destructured too) or of `export default`; exported or not, for `export { name }`. */
function docOf(file: SourceFile, name: string): string | undefined {
  for (const statement of file.getVariableStatements()) if (names(statement).includes(name)) return docText(statement)
  const assignment = name === 'default' ? file.getExportAssignment((a) => !a.isExportEquals()) : undefined
  return assignment === undefined ? undefined : leadingDoc(assignment)
}

const names = (statement: VariableStatement): string[] =>
  statement.getDeclarations().flatMap((declaration) => {
    const node = declaration.getNameNode()
    return Node.isObjectBindingPattern(node) ? node.getElements().map((e) => e.getName()) : [declaration.getName()]
  })

const docText = (statement: VariableStatement): string => clean(statement.getJsDocs().at(-1)?.getInnerText() ?? '')

function leadingDoc(node: Node): string {
  const comment = node.getLeadingCommentRanges().at(-1)?.getText() ?? ''
  if (!comment.startsWith('/**')) return ''
  return clean(comment.slice(3, -2).replace(/^[ \t]*\*[ \t]?/gm, ''))
}

const clean = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()

/** The file that a relative specifier names, as TypeScript resolves it. */
function modulePath(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const base = join(dirname(from), specifier)
  return [base.replace(/\.([cm]?)js$/, '.$1ts'), base, `${base}.ts`, `${base}.tsx`, join(base, 'index.ts')].find(
    (path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(path),
  )
}
