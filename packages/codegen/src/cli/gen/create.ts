import type { CompiledKernel } from '../../artifact'
import { type Facts, when } from './facts'
import { literal, quote } from './literal'

/** `create` of a generated module: the choice of variants and their pipelines. */
export function createFunctions(kernel: CompiledKernel, facts: Facts): string {
  return [create(kernel, facts), choose(facts), lacking(facts), compile(kernel, facts)].join('\n\n')
}

function create(kernel: CompiledKernel, { aliases, overrides }: Facts): string {
  const choices = aliases
    ? `const aliases: readonly (readonly [string, string] | null)[] = ${literal([null, ...kernel.aliases])}
  const chosen = aliases.flatMap((alias) => choose(device, options, alias) ?? [])`
    : 'const chosen = [choose(device, options)].flatMap((variant) => variant ?? [])'
  const needed = kernel.overrides.some((o) => o.default === null)
  return `/**
 * Compiles the best variant that the device supports${when(aliases, ', and the one for running in place')}. Rejects with what is missing (\`no-variant\`)
 * or with what the compiler of the device said (\`compile-failed\`).
 */
export async function create(device: GPUDevice, options: CreateOptions${needed ? '' : ' = {}'}): Promise<Kernel> {
  ${choices}
  if (chosen[0]${when(aliases, '?.needs.alias !== null')}${aliases ? '' : ' === undefined'}) {
    const language = languageOf(device, options)
    const wanted = variants.filter(({ id }) => id === (options.variant ?? id))
    const why = wanted.map(({ id, needs }) => \`\${id} needs \${lacking(needs, device, language).join(', ')${when(aliases, " || 'one buffer for two bindings'")}}\`)
    if (why.length === 0) throw fail('no-variant', \`there is no variant '\${options.variant}', but \${variants.map(({ id }) => id).join(', ')}\`)
    throw fail('no-variant', \`the device does not have what \${why.join('; ')}\`)
  }
  ${when(overrides, 'const overrides = overrideValues(options.overrides)\n  ')}const pipelines = chosen.map((variant) => compile(device, variant${when(overrides, ', overrides')}))
  return new Kernel(device, await Promise.all(pipelines)${when(overrides, ', overrides')})
}`
}

function choose({ aliases }: Facts): string {
  const alias = when(aliases, ', alias: readonly [string, string] | null')
  return `function choose(device: GPUDevice, options: CreateOptions${alias}): CompiledVariant | undefined {
  const language = languageOf(device, options)
  return variants.find((variant) => {
    if (options.variant !== undefined && variant.id !== options.variant${when(aliases, ' && alias === null')}) return false
    return ${when(aliases, 'String(variant.needs.alias) === String(alias) && ')}lacking(variant.needs, device, language).length === 0
  })
}`
}

const lacking = ({
  immediates,
}: Facts): string => `function languageOf(${immediates ? 'device' : '_device'}: GPUDevice, options: CreateOptions): ReadonlySet<string> {
  const { navigator } = globalThis as unknown as { readonly navigator?: { readonly gpu?: GPU } }
  const known = navigator?.gpu?.wgslLanguageFeatures as Iterable<string> | undefined
  const language = new Set(options.languageFeatures ?? known ?? [])
  ${when(immediates, "if (!canSetImmediates(device)) language.delete('immediate_address_space')\n  ")}return language
}

/** What of its needs the device does not have. */
function lacking(needs: CompiledVariant['needs'], device: GPUDevice, language: ReadonlySet<string>): string[] {
  const { features, languageFeatures, limits } = needs
  const has = device.features as unknown as ReadonlySet<string>
  const allows = device.limits as unknown as Readonly<Record<string, number>>
  return [
    ...features.filter((name) => !has.has(name)),
    ...languageFeatures.filter((name) => !language.has(name)),
    ...Object.entries(limits).flatMap(([name, least]) => ((allows[name] ?? 0) >= least ? [] : [\`\${name} of \${least}\`])),
  ]
}${when(immediates, IMMEDIATES)}`

const IMMEDIATES = `

/** There are engines that know immediates in WGSL and lack the call that sets them. */
function canSetImmediates(device: GPUDevice): boolean {
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.end()
  encoder.finish()
  return 'setImmediates' in pass
}`

function compile(kernel: CompiledKernel, { immediates, overrides }: Facts): string {
  const name = quote(kernel.name)
  const size = Math.ceil((kernel.params?.size ?? 0) / 4) * 4
  const layout = immediates
    ? `device.createPipelineLayout({
    label: ${name},
    bindGroupLayouts,
    ...(variant.params?.via === 'immediates' ? { immediateSize: ${size} } : {}),
  } as GPUPipelineLayoutDescriptor)`
    : `device.createPipelineLayout({ label: ${name}, bindGroupLayouts })`
  const constants = when(overrides, ', constants: constantsOf(overrides)')
  return `async function compile(device: GPUDevice, variant: CompiledVariant${when(overrides, ', overrides: Required<Overrides>')}): Promise<Pipeline> {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ label: ${name}, code: variant.wgsl })
  const bindGroupLayouts = variant.layouts.map((layout) => device.createBindGroupLayout(layout))
  const layout = ${layout}
  const invalid = device.popErrorScope()
  try {
    const compute = { module, entryPoint: variant.entryPoint${constants} }
    const pipeline = await device.createComputePipelineAsync({ label: ${name}, layout, compute })
    const error = await invalid
    if (error) throw error
    return { variant, pipeline, bindGroupLayouts }
  } catch (error) {
    const { messages } = await module.getCompilationInfo()
    const lines = messages.map((m) => \`\\n  \${m.lineNum}:\${m.linePos} \${m.type}: \${m.message}\`)
    const { message } = error as { readonly message: string }
    throw fail('compile-failed', \`variant '\${variant.id}': \${message}\${lines.join('')}\`)
  }
}`
}

/** The values of overrides, for the pipeline and the launch rule. */
export function overrideFunctions(kernel: CompiledKernel): string {
  const defaults = Object.fromEntries(
    kernel.overrides.map((o) => [o.name, o.default === null ? null : o.type === 'bool' ? o.default !== 0 : o.default]),
  )
  const keys = Object.fromEntries(kernel.overrides.map((o) => [o.name, o.key]))
  return `const overrideDefaults: Readonly<Record<string, number | boolean | null>> = ${literal(defaults)}
const overrideKeys: Readonly<Record<string, string>> = ${literal(keys)}

function overrideValues(given: Overrides${kernel.overrides.some((o) => o.default === null) ? '' : ' = {}'}): Required<Overrides> {
  const values: Record<string, number | boolean> = {}
  for (const name of Object.keys(given)) if (!(name in overrideDefaults)) throw fail('bad-override', \`there is no override '\${name}'\`)
  for (const [name, fallback] of Object.entries(overrideDefaults)) {
    const value = (given as unknown as Readonly<Record<string, number | boolean | undefined>>)[name] ?? fallback
    if (value === null || Number.isNaN(Number(value))) throw fail('bad-override', \`override '\${name}' is \${value === null ? 'missing' : String(value)}\`)
    values[name] = value
  }
  return values as unknown as Required<Overrides>
}

const constantsOf = (overrides: Required<Overrides>): Record<string, number> =>
  Object.fromEntries(Object.entries(overrides).map(([name, value]) => [overrideKeys[name] ?? name, Number(value)]))`
}
