import { createHash } from 'node:crypto'
import type { CompiledBinding, CompiledKernel } from '../../artifact'
import { compile } from '../../compile'
import { type Command, CommandError, type Io, type Report, UsageError } from '../command'
import { isWeftError } from '../errors'
import { type FoundKernel, kernelAt } from '../load/discover'
import { parseRun, type RunArguments } from '../run/arguments'
import {
  type Comparison,
  compare,
  outputsByName,
  type Reference,
  referenceAt,
  referenceOf,
  TOLERANCE,
} from '../run/compare'
import { engineText, type Opened, openEngine } from '../run/engine'
import { bytesFor, decode, elementsOf } from '../run/values'

const HELP = `weft run KERNEL --PARAM VALUE… --BINDING CONTENT… [--engine auto|webgpu|cpu] [--check] [--json]

Runs a kernel once and prints what it wrote. The kernel comes first; its params and bindings are options by name.

  KERNEL               path/to/file.ts#export, or path/to/file.ts when it exports one kernel
  --PARAM VALUE        a number, true or false, or a list for vectors and arrays: --scale=-0.5 --size 4,4
  --BINDING CONTENT    zeros:COUNT, ones:COUNT, iota:COUNT, random:COUNT[:SEED] (floats in [-1, 1), integers below 256),
                       or file:PATH (raw bytes, little-endian); outputs too: COUNT is their size in elements
  --arg NAME=VALUE     a param or binding whose name is that of an option
  --engine ENGINE      webgpu, cpu (the interpreter), or auto (default): WebGPU where there is one
  --check              also runs on the interpreter and compares
  --reference F#EXPORT a function of a file, in place of the module's own reference
  --tolerance T        largest error over largest expected magnitude (default: the reference's, else ${TOLERANCE})
  --override NAME=V    the value of an override; may be repeated
  --workgroups X,Y,Z   in place of the launch rule
  --variant ID         in place of the best variant
  --json               { ok, kernel, engine, adapter, software, ms, outputs, comparisons }

A module that exports \`references = { kernelName: (inputs) => outputs }\` has its kernels compared with them: inputs are
the bindings' numbers and the params by name, outputs the expected numbers of what is written. Exit code 1 beyond the
tolerance.

  weft run saxpy.ts --n 1000 --alpha 2 --x random:1000 --y ones:1000 --reference reference.ts#saxpyReference
`

interface Ran {
  readonly ms: number
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

type Contents = Readonly<Record<string, Uint8Array<ArrayBuffer>>>

async function runOn(
  { runtime }: Opened,
  kernel: CompiledKernel,
  given: RunArguments,
  contents: Contents,
): Promise<Ran> {
  const buffers = Object.fromEntries(
    Object.entries(contents).map(([name, bytes]) => [name, runtime.buffer(bytes, { label: name })]),
  )
  const options = {
    overrides: given.overrides,
    ...(given.workgroups && { workgroups: given.workgroups }),
    ...(given.variant !== undefined && { variant: given.variant }),
  }
  await runtime
    .load(kernel)
    .compile(options)
    .catch((error: unknown) => {
      if (!isWeftError(error) || error.code !== 'no-variant' || given.variant !== undefined) throw error
      throw new CommandError(
        error.code,
        error.message.slice(error.code.length + 2),
        'the interpreter runs every variant: --engine cpu',
      )
    })
  const start = performance.now()
  await runtime.run(kernel, { ...buffers, ...given.params }, options)
  await runtime.idle()
  const ms = performance.now() - start
  const outputs: Record<string, Uint8Array> = {}
  for (const { name } of written(kernel)) {
    const buffer = buffers[name]
    if (buffer) outputs[name] = await buffer.read()
  }
  return { ms, outputs }
}

const written = (kernel: CompiledKernel): CompiledBinding[] => kernel.bindings.filter(({ access }) => access !== 'read')

const numbers = (binding: CompiledBinding, bytes: Uint8Array): Float64Array | null => {
  const elements = elementsOf(binding)
  return elements && decode(bytes, elements)
}

/** Against the reference, where there is one. */
function againstReference(
  reference: Reference | null,
  kernel: CompiledKernel,
  given: RunArguments,
  contents: Contents,
  ran: Ran,
): Comparison[] {
  if (reference === null) return []
  const inputs = Object.fromEntries(
    kernel.bindings.map((b) => [b.name, numbers(b, contents[b.name] ?? new Uint8Array())]),
  )
  const expected = outputsByName(kernel, reference.run({ ...inputs, ...given.params }))
  const tolerance = given.tolerance ?? reference.tolerance ?? TOLERANCE
  return written(kernel).flatMap((binding) => {
    const [want, got] = [expected[binding.name], numbers(binding, ran.outputs[binding.name] ?? new Uint8Array())]
    return want && got ? [compare(binding.name, 'the reference', got, want, tolerance)] : []
  })
}

function againstInterpreter(kernel: CompiledKernel, given: RunArguments, ran: Ran, other: Ran): Comparison[] {
  return written(kernel).map((binding) => {
    const [got, want] = [ran.outputs[binding.name] ?? new Uint8Array(), other.outputs[binding.name] ?? new Uint8Array()]
    const tolerance = given.tolerance ?? TOLERANCE
    // what has no plain lanes is compared by its bytes
    return compare(
      binding.name,
      'the interpreter',
      numbers(binding, got) ?? got,
      numbers(binding, want) ?? want,
      tolerance,
    )
  })
}

const PREVIEW = 8

function summary(binding: CompiledBinding, bytes: Uint8Array) {
  const values = numbers(binding, bytes)
  return {
    type: binding.type,
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    preview: [...(values ?? bytes).slice(0, PREVIEW)],
    count: (values ?? bytes).length,
  }
}

/** What the run is compared with: the reference, and, with --check, the interpreter. */
async function comparisonsOf(
  found: FoundKernel,
  kernel: CompiledKernel,
  given: RunArguments,
  contents: Contents,
  ran: Ran,
  onGpu: boolean,
  io: Io,
): Promise<Comparison[]> {
  const own = () => referenceOf(found.module, kernel.name, found.exportName)
  const reference = given.reference === undefined ? own() : await referenceAt(given.reference, io)
  const comparisons = againstReference(reference, kernel, given, contents, ran)
  if (!given.check) return comparisons
  if (onGpu) {
    const other = await runOn(await openEngine('cpu'), kernel, { ...given, variant: undefined }, contents)
    return [...comparisons, ...againstInterpreter(kernel, given, ran, other)]
  }
  if (comparisons.length > 0) return comparisons
  throw new CommandError(
    'nothing-to-check',
    'the kernel ran on the interpreter and has no reference',
    'export references from its module, give --reference, or run it on WebGPU',
  )
}

async function run(args: readonly string[], io: Io): Promise<Report> {
  const [spec, ...rest] = args
  const found = await kernelAt(spec, io)
  const kernel = compile(found.source)
  const given = parseRun(rest, kernel)
  const texture = kernel.bindings.find(({ kind }) => kind === 'texture')
  if (texture) throw new UsageError(`'${kernel.name}' takes a texture ('${texture.name}'), which weft run cannot make`)
  const contents = Object.fromEntries(
    kernel.bindings.map((b) => [b.name, bytesFor(b, given.bindings[b.name] ?? '', io.cwd)]),
  )
  const opened = await openEngine(given.engine)
  if (opened.fallback !== null)
    io.err(`weft run: on the interpreter, since there is no WebGPU here (${opened.fallback})\n`)
  const { runtime } = opened
  const { backend, adapter, software } = runtime.info
  const engine = engineText(runtime)
  const ran = await runOn(opened, kernel, given, contents)
  runtime.destroy()
  const comparisons = await comparisonsOf(found, kernel, given, contents, ran, backend === 'webgpu', io)
  const outputs = Object.fromEntries(
    written(kernel).map((b) => [b.name, summary(b, ran.outputs[b.name] ?? new Uint8Array())]),
  )
  const ok = comparisons.every((c) => c.ok)
  const data = { ok, kernel: kernel.name, engine: backend, adapter, software, ms: ran.ms, outputs, comparisons }
  return { ok, data, text: reportText(kernel.name, engine, ran.ms, outputs, comparisons) }
}

function reportText(
  name: string,
  engine: string,
  ms: number,
  outputs: Readonly<Record<string, ReturnType<typeof summary>>>,
  comparisons: readonly Comparison[],
): string {
  const lines = [`${name} on ${engine}`, `  time     ${ms.toFixed(2)} ms`]
  for (const [output, { type, preview, count, sha256 }] of Object.entries(outputs)) {
    const shown = preview.map((x) => Number(x.toPrecision(6))).join(', ')
    lines.push(
      `  ${output.padEnd(8)} ${type} [${shown}${count > PREVIEW ? `, … ${count} numbers` : ''}]`,
      `  ${''.padEnd(8)} sha256 ${sha256.slice(0, 16)}`,
    )
  }
  for (const { output, against, relative, maxError, index, tolerance, ok } of comparisons) {
    lines.push(
      `  ${ok ? 'ok' : 'FAIL'.padEnd(4)} ${output} against ${against}: largest error ${maxError.toPrecision(3)}${index < 0 ? '' : ` at ${index}`}, relative ${relative.toExponential(2)} of ${tolerance} allowed`,
    )
  }
  return lines.join('\n')
}

export const runCommand: Command = {
  name: 'run',
  summary: 'run a kernel and check it against its reference or the interpreter',
  help: HELP,
  run,
}
