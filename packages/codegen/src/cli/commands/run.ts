import { compile } from '../../compile'
import type { OutOfRange } from '../../interp'
import { type Command, type Io, type Report, UsageError } from '../command'
import { kernelAt } from '../load/discover'
import { parseRun } from '../run/arguments'
import { TOLERANCE } from '../run/compare'
import { comparisonsOf } from '../run/comparisons'
import { engineText, openEngine } from '../run/engine'
import { runOn, written } from '../run/execute'
import { outOfRangeText, reportText, summary } from '../run/report'
import { bytesFor } from '../run/values'

const HELP = `weft run KERNEL --PARAM VALUE… --BINDING CONTENT… [--engine auto|webgpu|cpu] [--check] [--json]

Runs a kernel once and prints what it wrote. The kernel comes first; its params and bindings are options by name.

  KERNEL               path/to/file.ts#export, or path/to/file.ts when it exports one kernel
  --PARAM VALUE        a number, true or false, or a list for vectors and arrays: --scale=-0.5 --size 4,4
  --BINDING CONTENT    zeros:COUNT, ones:COUNT, iota:COUNT, random:COUNT[:SEED] (floats in [-1, 1), integers below 256),
                       or file:PATH (raw bytes, little-endian); outputs too: COUNT is their size in elements
  --arg NAME=VALUE     a param or binding whose name is that of an option
  --engine ENGINE      webgpu, cpu (the interpreter), or auto (default): WebGPU where there is one; the interpreter names
                       the first access that is out of range of a binding, which WGSL allows
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
  const warn = (access: OutOfRange): void => io.err(`weft run: ${outOfRangeText(access, found.source)}\n`)
  const opened = await openEngine(given.engine, [], warn)
  if (opened.fallback !== null)
    io.err(`weft run: on the interpreter, since there is no WebGPU here (${opened.fallback})\n`)
  const { runtime } = opened
  const { backend, adapter, software } = runtime.info
  const engine = engineText(runtime)
  const ran = await runOn(opened, kernel, given, contents)
  runtime.destroy()
  const comparisons = await comparisonsOf({ found, kernel, given, contents, ran, onGpu: backend === 'webgpu' }, io)
  const outputs = Object.fromEntries(
    written(kernel).map((b) => [b.name, summary(b, ran.outputs[b.name] ?? new Uint8Array())]),
  )
  const ok = comparisons.every((c) => c.ok)
  const data = { ok, kernel: kernel.name, engine: backend, adapter, software, ms: ran.ms, outputs, comparisons }
  return { ok, data, text: reportText(kernel.name, engine, ran.ms, outputs, comparisons) }
}

export const runCommand: Command = {
  name: 'run',
  summary: 'run a kernel and check it against its reference or the interpreter',
  help: HELP,
  run,
}
