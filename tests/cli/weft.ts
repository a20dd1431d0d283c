/** Runs `weft` in a process of its own, from the sources, on small projects in temporary folders. */
import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cli } from '../../packages/codegen/src/cli/cli'
import { sourcePlugins } from '../../scripts/run-ts.mjs'
import { bundleCli } from '../../scripts/weft.mjs'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process with its output; never rejects for its exit code. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    const text = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (part: string) => void (text.stdout += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => void (text.stderr += part))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
}

let bundled: Promise<string> | undefined

export async function weft(args: readonly string[], cwd: string): Promise<Outcome> {
  bundled ??= bundleCli()
  return run(process.execPath, [join(root, 'scripts/weft.mjs'), ...args], cwd, { WEFT_CLI_BUNDLE: await bundled })
}

/** The same in this process: faster, for what does not depend on the author's lines. */
export async function weftHere(args: readonly string[], cwd: string): Promise<Outcome> {
  const text = { stdout: '', stderr: '' }
  const io = {
    cwd,
    env: process.env,
    out: (part: string) => void (text.stdout += part),
    err: (part: string) => void (text.stderr += part),
    plugins: sourcePlugins,
  }
  return { code: await cli(args, io), ...text }
}

/** A folder with files and with this repository's installed packages; `dispose` removes it. */
export interface Folder {
  readonly path: string
  write(name: string, text: string): void
  read(name: string): string
  remove(name: string): void
  /** Every file below `name`, by its path, with its text. */
  all(name: string): Readonly<Record<string, string>>
  dispose(): void
}

export function folder(files: Readonly<Record<string, string>> = {}): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'weft-cli-')))
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }\n')
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  const read = (name: string): string => readFileSync(join(path, name), 'utf8')
  for (const [name, text] of Object.entries(files)) write(name, text)
  return {
    path,
    write,
    read,
    remove: (name) => rmSync(join(path, name)),
    all: (name) =>
      Object.fromEntries(
        readdirSync(join(path, name), { withFileTypes: true })
          .map((item) => [item.name, item.isFile() ? read(join(name, item.name)) : 'a folder'] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    dispose: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A kernel whose tile size can be edited. */
export const scaleSource = (
  name = 'scale',
  tile = 64,
): string => `import { ceilDiv, d, input, kernel, output } from '@weft/dsl'

const TILE = ${tile}

/** y[i] = x[i] · factor. */
export const ${name} = kernel('${name}', {
  workgroupSize: [TILE],
  bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
  params: { n: d.u32, factor: d.f32 },
  workgroups: ({ n }) => [ceilDiv(n, TILE)],
}, ({ x, y, n, factor }, k) => {
  const i = k.let('i', k.globalIndex)
  k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(factor)))
})
`
