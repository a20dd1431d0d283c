/** The packages as npm would publish them, and a folder in which they are installed. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packages, root } from '../../scripts/packages.mjs'

export interface Packed {
  readonly name: string
  readonly tarball: string
  /** The package as a consumer has it, in `node_modules`. */
  readonly folder: string
}

export interface Installation {
  readonly folder: string
  readonly packed: readonly Packed[]
  remove(): void
}

/** What the packages' declarations need of others; copies, since a link would find this repository's other packages. */
const DEPENDENCIES = ['typegpu', 'tsover-runtime', 'typed-binary', 'tinyest', '@webgpu/types']

/** Builds what is stale, packs all packages, and unpacks them into a `node_modules` outside of the repository. */
export function install(): Installation {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'pipe' })
  const folder = mkdtempSync(join(tmpdir(), 'weft-packed-'))
  const modules = join(folder, 'node_modules')
  const args = ['pack', '--silent', '--pack-destination', folder, ...packages.flatMap(({ folder: at }) => ['-w', at])]
  execFileSync('npm', args, { cwd: root, stdio: 'pipe' })
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const packed = packages.map(({ name }) => {
    const file = tarballs.find((item) => item.startsWith(`${name.slice(1).replace('/', '-')}-`))
    if (file === undefined) throw new Error(`npm packed no ${name}`)
    const own = { name, tarball: join(folder, file), folder: join(modules, name) }
    mkdirSync(own.folder, { recursive: true })
    execFileSync('tar', ['xzf', own.tarball, '-C', own.folder, '--strip-components=1'])
    return own
  })
  for (const name of DEPENDENCIES) {
    const from = join(root, 'node_modules', name)
    // npm may have put it below the package that needs it, which is copied with all that is in it
    if (existsSync(from)) cpSync(from, join(modules, name), { recursive: true, dereference: true })
  }
  return { folder, packed, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Runs a Node program of `node_modules`, and gives its exit status with all that it printed. */
export function runTool(path: string, args: readonly string[], cwd: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 1 << 26 }
    execFile(process.execPath, [join(root, 'node_modules', path), ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ status, text: stdout + stderr })
    })
  })
}
