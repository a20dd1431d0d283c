import type { CompiledVariant } from '../../artifact'
import { compile } from '../../compile'
import { PROFILES, type ProfileName } from '../../profiles'
import { PASSES, type PassName, show as showKernel } from '../../tools'
import { type Command, CommandError, choice, type Io, parse, type Report, UsageError } from '../command'
import { type FoundKernel, kernelAt } from '../load/discover'
import { translate } from '../naga'

const TARGETS = ['wgsl', 'msl', 'hlsl', 'ir', 'layouts'] as const
const PASS_NAMES = ['source', ...PASSES.map(({ name }) => name)]

const HELP = `weft show KERNEL [--target TARGET] [--pass PASS|all] [--profile PROFILE] [--variant VARIANT] [--json]

Prints a kernel at any stage.

  KERNEL              path/to/file.ts#export, or path/to/file.ts when it exports one kernel
  --target TARGET     wgsl: what the device compiles (default); ir: the intermediate representation before the passes;
                      layouts: the bind-group layouts and where bindings and params go, as JSON;
                      msl, hlsl: through naga (the optional package naga-wasm)
  --pass PASS         the IR after one pass, or after each (all): ${PASS_NAMES.join(', ')}
  --profile PROFILE   ${Object.keys(PROFILES).join(', ')} (default: any)
  --variant VARIANT   the id of a variant; the best one by default, with params in a uniform block
  --json              { ok, kernel, variant, target, text }
`

interface Asked {
  readonly profile: ProfileName
  readonly variant: string | undefined
}

async function run(args: readonly string[], io: Io): Promise<Report> {
  const { values, positionals } = parse(args, {
    target: { type: 'string' },
    pass: { type: 'string' },
    profile: { type: 'string', default: 'any' },
    variant: { type: 'string' },
  })
  const profile = choice(values.profile, Object.keys(PROFILES) as ProfileName[], '--profile')
  const target = choice(values.target ?? (values.pass === undefined ? 'wgsl' : 'ir'), TARGETS, '--target')
  if (values.pass !== undefined && target !== 'ir')
    throw new UsageError('--pass shows the IR: leave out --target, or make it ir')
  const kernel = await kernelAt(positionals[0], io)
  const asked: Asked = { profile, variant: values.variant }
  const { text, variant } =
    target === 'ir' ? passes(kernel, values.pass ?? 'source', asked) : await output(kernel, target, asked)
  return { ok: true, text, data: { ok: true, kernel: kernel.source.name, variant, target, profile, text } }
}

interface Shown {
  readonly text: string
  readonly variant: string
}

function passes({ source }: FoundKernel, pass: string, { profile, variant: id }: Asked): Shown {
  // `subgroups+immediates` is the source's variant `subgroups`
  const variant = id?.split('+')[0] ?? source.variants[0]?.name ?? 'portable'
  if (!source.variants.some(({ name }) => name === variant)) {
    throw new CommandError(
      'unknown-name',
      `'${source.name}' has no variant '${variant}'`,
      `its variants: ${source.variants.map(({ name }) => name).join(', ')}`,
    )
  }
  if (pass !== 'all') {
    const name = choice(pass, PASS_NAMES, '--pass') as PassName | 'source'
    return { text: showKernel(source, { profile, variant, pass: name }), variant }
  }
  let before = ''
  const parts = PASS_NAMES.map((name) => {
    const text = showKernel(source, { profile, variant, pass: name as PassName | 'source' }).trimEnd()
    const part = `// ${name}\n${text === before ? '// unchanged' : text}\n`
    before = text
    return part
  })
  return { text: parts.join('\n'), variant }
}

function chosen(variants: readonly CompiledVariant[], id: string | undefined): CompiledVariant {
  const exact = variants.find((v) => v.id === id)
  const best = variants.find((v) => v.params?.via !== 'immediates') ?? variants[0]
  const variant = id === undefined ? best : exact
  if (variant) return variant
  throw new CommandError(
    'unknown-name',
    `there is no variant '${id}'`,
    `the variants: ${variants.map((v) => v.id).join(', ')}`,
  )
}

async function output(
  { source }: FoundKernel,
  target: Exclude<(typeof TARGETS)[number], 'ir'>,
  { profile, variant: id }: Asked,
): Promise<Shown> {
  const compiled = compile(source, { profile })
  const variant = chosen(compiled.variants, id)
  if (target === 'wgsl') return { text: variant.wgsl, variant: variant.id }
  if (target === 'layouts') {
    const { layouts, slots, params, needs } = variant
    return {
      text: JSON.stringify({ layouts, slots, params, fields: compiled.params, needs }, null, 2),
      variant: variant.id,
    }
  }
  // overrides are values of the pipeline, which the two languages do not have
  const baked = compiled.overrides.length > 0 ? chosen(compile(source, { profile: 'safari' }).variants, id) : variant
  return { text: await translate(baked.wgsl, target), variant: variant.id }
}

export const show: Command = {
  name: 'show',
  summary: 'print a kernel: WGSL, IR after each pass, layouts, MSL, HLSL',
  help: HELP,
  run,
}
