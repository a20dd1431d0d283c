import { createRequire } from 'node:module'
import { arch, version as nodeVersion, platform } from 'node:process'
import type { RuntimeInfo } from '@weft/runtime'
import { type Command, type Io, parse, type Report } from '../command'
import { textOf } from '../errors'
import { loadNaga } from '../naga'
import { loadRuntime } from '../run/engine'
import { version } from '../version'

const HELP = `weft doctor [--json]

Looks at what weft can use here: Node, packages, WebGPU and its adapter, naga. Says what each missing thing costs and how
to get it. Exit code 1 when kernels can be compiled but not run at all.

  --json   { ok, weft, node, platform, packages, webgpu, problems }
`

interface Problem {
  readonly what: string
  /** What does not work without it. */
  readonly costs: string
  readonly fix: string
}

const OPTIONAL = ['@weft/runtime', 'webgpu', 'naga-wasm', 'typegpu', 'ts-morph', 'esbuild', '@webgpu/types']

/** Limits that kernels meet first. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
]

function installed(name: string): string | null {
  const require = createRequire(import.meta.url)
  try {
    return (require(`${name}/package.json`) as { version: string }).version
  } catch {
    // a package may keep its package.json to itself
    return versionBeside(require, name)
  }
}

function versionBeside(require: NodeJS.Require, name: string): string | null {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (require(`${folder}/${name}/package.json`) as { version: string }).version
    } catch {}
  }
  return null
}

type WebGpu = { readonly info: RuntimeInfo } | { readonly error: string }

async function webgpu(): Promise<WebGpu> {
  try {
    const { createRuntime } = await loadRuntime()
    const runtime = await createRuntime()
    const { info } = runtime
    runtime.destroy()
    return { info }
  } catch (error) {
    return { error: textOf(error) }
  }
}

const DRIVER =
  platform === 'linux'
    ? 'a GPU driver with Vulkan, or a software one: apt-get install chromium (SwiftShader) or mesa-vulkan-drivers (lavapipe)'
    : 'a GPU driver'

function problemsOf(gpu: WebGpu, packages: Readonly<Record<string, string | null>>, naga: boolean): Problem[] {
  const problems: Problem[] = []
  const add = (found: boolean, what: string, costs: string, fix: string): void => {
    if (found) problems.push({ what, costs, fix })
  }
  const major = Number(/^v(\d+)/.exec(nodeVersion)?.[1])
  add(major < 20, `Node ${nodeVersion} is older than 20.19`, 'weft is not tested on it', 'install Node 20.19 or later')
  add(packages['@weft/runtime'] === null, '@weft/runtime is not installed', 'weft run', 'npm install @weft/runtime')
  if (packages.webgpu === null) add(true, 'webgpu (Dawn) is not installed', NO_WEBGPU, 'npm install webgpu')
  else if ('error' in gpu) add(true, `WebGPU cannot be used: ${gpu.error.split('\n')[0]}`, NO_WEBGPU, DRIVER)
  else {
    const { adapter, software, features } = gpu.info
    add(software, `the adapter is software (${adapter})`, 'results count, times do not', 'a GPU with a driver')
    for (const [feature, costs] of FEATURES)
      add(!features.includes(feature), `the device has no ${feature}`, costs, 'another adapter')
  }
  add(!naga, 'naga-wasm is not installed', 'weft show --target msl and hlsl', 'npm install --save-dev naga-wasm')
  return problems
}

const NO_WEBGPU = 'kernels run on the interpreter, slowly'

const FEATURES = [
  ['shader-f16', 'kernels and variants in f16'],
  ['subgroups', 'subgroup variants of kernels'],
  ['timestamp-query', 'exact times of kernels'],
] as const

async function run(args: readonly string[], io: Io): Promise<Report> {
  parse(args, {})
  io.err('weft doctor: looking for WebGPU\n')
  const packages = Object.fromEntries(OPTIONAL.map((name) => [name, installed(name)]))
  const [gpu, naga] = [await webgpu(), (await loadNaga()) !== null]
  const problems = problemsOf(gpu, packages, naga)
  const ok = packages['@weft/runtime'] !== null || 'info' in gpu
  const data = {
    ok,
    weft: version,
    node: nodeVersion,
    platform: `${platform} ${arch}`,
    packages,
    webgpu: 'info' in gpu ? { available: true, ...gpu.info } : { available: false, error: gpu.error },
    naga,
    problems,
  }
  return { ok, data, text: text(gpu, packages, problems) }
}

function text(gpu: WebGpu, packages: Readonly<Record<string, string | null>>, problems: readonly Problem[]): string {
  const lines = [`weft      ${version}`, `node      ${nodeVersion}, ${platform} ${arch}`]
  for (const [name, found] of Object.entries(packages))
    lines.push(`${found === null ? 'missing' : 'found  '}   ${name}${found === null ? '' : ` ${found}`}`)
  if ('info' in gpu) {
    const { adapter, vendor, architecture, device, software, features, languageFeatures, limits } = gpu.info
    lines.push(`webgpu    ${adapter}${software ? ' (software: a GPU emulated on the CPU)' : ''}`)
    lines.push(
      `          vendor ${vendor || 'unknown'}, architecture ${architecture || 'unknown'}, device ${device || 'unknown'}`,
    )
    lines.push(`features  ${features.join(', ') || 'none'}`, `language  ${languageFeatures.join(', ') || 'none'}`)
    for (const name of LIMITS) lines.push(`limit     ${name} ${limits[name] ?? 'unknown'}`)
  } else lines.push(`webgpu    not available: ${gpu.error}`)
  for (const { what, costs, fix } of problems) lines.push('', `! ${what}`, `  costs: ${costs}`, `  get it: ${fix}`)
  if (problems.length === 0) lines.push('', 'nothing is missing')
  return lines.join('\n')
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'what weft can use on this machine, and what is missing',
  help: HELP,
  run,
}
