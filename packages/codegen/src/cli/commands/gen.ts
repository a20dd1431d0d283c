import { resolve } from 'node:path'
import { PROFILES, type ProfileName } from '../../profiles'
import { type Command, CommandError, choice, type Io, parse, type Report, UsageError } from '../command'
import { unifiedDiff } from '../gen/diff'
import { applyPlan, type Plan, planOutputs } from '../gen/write'
import { shortPath } from '../load/bundle'
import { kernelsOf } from '../load/discover'

const HELP = `weft gen GLOB… [--out DIR] [--check] [--profile PROFILE] [--params KIND] [--artifact] [--ir] [--json]

Compiles every kernel that the files export and writes, per kernel, its WGSL (NAME.wgsl, or NAME.VARIANT.wgsl where
there are several variants) and a TypeScript module that runs it without any package (NAME.ts), and manifest.json for
hosts in other languages. All or nothing is written. Generated files that no kernel makes any more are removed, unless
somebody edited them.

  --out DIR           where to (default: generated)
  --check             writes nothing; exit code 1, with a diff, when a file is missing, stale or left over
  --profile PROFILE   ${Object.keys(PROFILES).join(', ')} (default: any)
  --params KIND       uniform: no variants that need immediates (default: any)
  --artifact          NAME.ts holds the artifact alone, for apps that have @weft/runtime; index.ts exports all of them
  --ir                also NAME.ir.ts: the intermediate representation, which the interpreter needs
  --json              { ok, written, unchanged, removed, edited, stale }

  weft gen 'src/kernels/**/*.ts' --out src/generated
`

const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[]

async function run(args: readonly string[], io: Io): Promise<Report> {
  const { values, positionals } = parse(args, {
    out: { type: 'string', default: 'generated' },
    check: { type: 'boolean', default: false },
    profile: { type: 'string', default: 'any' },
    params: { type: 'string', default: 'any' },
    artifact: { type: 'boolean', default: false },
    ir: { type: 'boolean', default: false },
  })
  if (positionals.length === 0) throw new UsageError('which files? give one or more paths or globs')
  const profile = choice(values.profile, PROFILE_NAMES, '--profile')
  const folder = resolve(io.cwd, values.out)
  // ts-morph takes half a second to load, which `weft --help` need not wait for
  const [{ Docs }, { filesAt }, { outputsOf, refuseDuplicates }] = await Promise.all([
    import('../load/docs'),
    import('../load/files'),
    import('../gen/outputs'),
  ])
  const files = filesAt(positionals, io.cwd, folder)
  const named = positionals.find((path) => path.includes('#'))
  if (files.length === 0 && named) {
    throw new UsageError(`gen takes files, with all kernels that they export: ${named.split('#')[0]}, without #`)
  }
  if (files.length === 0) throw new UsageError(`no file matches ${positionals.join(' ')}`)
  io.err(`weft gen: ${files.length} file${files.length === 1 ? '' : 's'}\n`)
  const kernels = await kernelsOf(files, io)
  if (kernels.length === 0)
    throw new CommandError(
      'no-kernel',
      `no kernel is exported by ${positionals.join(' ')}`,
      "export const name = kernel('name', …)",
    )
  refuseDuplicates(kernels, io.cwd)
  const { artifact, ir } = values
  const params = choice(values.params, ['any', 'uniform'] as const, '--params')
  const plan = planOutputs(folder, outputsOf(kernels, folder, new Docs(), { profile, params, artifact, ir }))
  if (values.check) return checked(plan, shortPath(io.cwd, folder))
  applyPlan(folder, plan)
  return written(plan, shortPath(io.cwd, folder), kernels.length)
}

const names = (files: readonly { readonly name: string }[]): string[] => files.map(({ name }) => name)

function written({ changed, unchanged, orphans }: Plan, folder: string, kernels: number): Report {
  const removed = names(orphans.filter(({ edited }) => !edited))
  const kept = names(orphans.filter(({ edited }) => edited))
  const lines = [
    ...changed.map(({ name, before }) => `${before === '' ? 'new    ' : 'changed'} ${folder}/${name}`),
    ...removed.map((name) => `removed ${folder}/${name}: no kernel makes it any more`),
    ...kept.map((name) => `orphan  ${folder}/${name}: no kernel makes it any more; edited by hand, so it stays`),
    `${kernels} kernel${kernels === 1 ? '' : 's'}: ${changed.length} files written, ${unchanged.length} unchanged, ${removed.length} removed`,
  ]
  const data = { ok: true, folder, written: names(changed), unchanged, removed, edited: kept }
  return { ok: true, text: lines.join('\n'), data }
}

function checked({ changed, unchanged, orphans }: Plan, folder: string): Report {
  const ok = changed.length === 0 && orphans.length === 0
  const kernels = [...new Set(changed.flatMap(({ kernel }) => kernel ?? []))]
  const stale = changed.map(({ name, kernel, before, text }) => ({
    name,
    kernel,
    missing: before === '',
    diff: unifiedDiff(before, text, `${folder}/${name}`),
  }))
  const data = { ok, folder, stale, kernels, orphans: names(orphans), unchanged }
  if (ok) return { ok, data, text: `up to date: ${unchanged.length} files in ${folder}` }
  const lines = [
    ...stale.map(({ diff }) => diff),
    ...orphans.map(({ name, from }) => `orphan: ${folder}/${name}, from ${from}: no kernel makes it any more`),
    ...(kernels.length > 0 ? [`stale: ${kernels.map((name) => `kernel '${name}'`).join(', ')}`] : []),
    ...(kernels.length === 0 && changed.length > 0 ? [`stale: ${names(changed).join(', ')}`] : []),
    "run 'weft gen' with the same arguments, without --check",
  ]
  return { ok, data, text: lines.join('\n') }
}

export const gen: Command = {
  name: 'gen',
  summary: 'write WGSL files and TypeScript modules from kernels, or check them (--check)',
  help: HELP,
  run,
}
