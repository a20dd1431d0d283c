import { existsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { Project } from 'ts-morph'

/** The nearest folder above that has a package.json: the project of a folder. */
function projectFolder(folder: string): string {
  for (let f = folder; ; f = dirname(f)) {
    if (existsSync(join(f, 'package.json')) || f === dirname(f)) return f
  }
}

/** The TypeScript files at paths and globs, sorted; neither declarations, nor installed packages, nor what weft writes. */
export function filesAt(patterns: readonly string[], cwd: string, out: string): string[] {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    skipLoadingLibFiles: true,
    compilerOptions: { allowJs: true },
  })
  const globs = patterns.map((pattern) =>
    pattern.startsWith('!') ? `!${resolve(cwd, pattern.slice(1))}` : resolve(cwd, pattern),
  )
  const own = join(projectFolder(cwd), 'node_modules')
  return project
    .addSourceFilesAtPaths([...globs, `!${own}/**`])
    .map((file) => resolve(file.getFilePath()))
    .filter(
      (path) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path) && !/\.(test|spec)\.[cm]?tsx?$/.test(path),
    )
    .filter((path) => !path.startsWith(out + sep))
    .sort()
}
