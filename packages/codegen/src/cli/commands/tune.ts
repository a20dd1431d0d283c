import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { TunedShape } from '../../tune/results'
import type { Choices, Shape, Tunable } from '../../tune/tunable'
import { type Command, CommandError, type Io, type Report, UsageError } from '../command'
import { loadRuntime, openEngine } from '../run/engine'
import { narrowed, parseTune, shapesFor, type TuneArguments } from '../tune/arguments'
import { candidatesOf, ordered, sameChoices } from '../tune/candidates'
import { clockOf } from '../tune/clock'
import { partUntil } from '../tune/deadline'
import { tunablesAt } from '../tune/discover'
import { deviceClassOf, Results } from '../tune/file'
import { titleOf } from '../tune/problem'
import { headLine, shapeLines } from '../tune/report'
import type { Session } from '../tune/session'
import { tuneShape } from '../tune/shape'
import { tried } from '../tune/sift'

const HELP = `weft tune TUNABLE [--shape SIZES]… [--seconds N] [--out FILE.json] [--resume] [--json]

Finds the fastest kernel of a tunable on this device, for each of its shapes. Combinations that the device cannot run are
left out; the others are compiled, checked against the tunable's reference, and timed in turn with the incumbent – many
launches in one pass, buffers that no cache holds, at full clock –, in rounds, each with the faster half of the one before.

  TUNABLE          path/to/file.ts#export, or path/to/file.ts for all of its tunables
  --shape SIZES    a shape in place of the tunable's own, as m=4096,n=4096,k=4096; may be repeated
  --fix CHOICE     some values of a choice in place of all, as tile=64,128; may be repeated
  --seconds N      the time for all shapes together, compiling and checking included, the incumbent first; what is known by
                   then is told. The kernel that is begun is ended; the others count as not reached, until --resume
  --samples N      samples of each kernel in the last round (default 20)
  --out FILE       writes the results after each round; the file is whole whenever the process ends
  --resume         goes on with the results in that file
  --engine ENGINE  webgpu, cpu (the interpreter), or auto (default): WebGPU where there is one
  --dawn OPTION    an option for Dawn, as disable-dawn-features=timestamp_quantization; may be repeated
  --json           { ok, device, clock, results }

A tunable is plain data of a module; see Tunable of @weft/codegen/tools and docs/tuning.md. Exit code 1 where a shape has no
kernel that is right.

  weft tune matmul.ts#tiles --shape m=1024,n=1024,k=1024 --seconds 60 --out tiles.json
`

/** More than the last-level caches of the GPUs that there are: 60 MB on an H200. */
const CACHE_BYTES = 128 * 2 ** 20
/** A GPU takes that long to raise its clock. */
const HEAT_MS = 400
const PROGRESS_MS = 2000

async function run(args: readonly string[], io: Io): Promise<Report> {
  const given = parseTune(args)
  const out = given.out === undefined ? null : resolve(io.cwd, given.out)
  if (given.out !== undefined) checkOut(given.out, io.cwd, given.resume)
  const tunables = (await tunablesAt(given.spec, io)).map((tunable) => narrowed(tunable, given.fixed))
  const shapes = new Map(tunables.map((tunable) => [tunable, shapesFor(tunable, given.shapes)]))
  const opened = await openEngine(given.engine, given.dawn)
  const say = (text: string): void => io.err(`weft tune: ${text}\n`)
  if (opened.fallback !== null) say(`on the interpreter, since there is no WebGPU here (${opened.fallback})`)
  const { runtime } = opened
  try {
    const device = deviceClassOf(runtime.info)
    if (device.software) say('the device is emulated on the CPU: these times say nothing of a GPU')
    const clock = clockOf(runtime)
    const results = Results.open(out, given.resume, device, clock.kind)
    const session: Session = {
      ...{ runtime, clock, results, say, samples: given.samples },
      cacheBytes: device.software ? 0 : CACHE_BYTES,
      heatMs: device.software ? 0 : HEAT_MS,
    }
    const found = await tuneAll(session, shapes, given)
    // where the device can run none of the kernels, none of them is wrong
    const ok = found.every(({ result }) => result.winner !== null || result.state !== 'done' || !result.refused.length)
    const text = [headLine(runtime, clock.kind), ...found.flatMap(({ tunable, result }) => shapeLines(tunable, result))]
    const { results: all } = results.file
    return { ok, text: text.join('\n'), data: { ok, device, clock: clock.kind, results: all } }
  } finally {
    runtime.destroy()
  }
}

// a path below a file is no error to existsSync, as it is to statSync
const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** Before anything is compiled: whether the results can be written, as far as can be told without writing them. */
function checkOut(named: string, cwd: string, resume: boolean): void {
  const path = resolve(cwd, named)
  const refuse = (because: string): UsageError => new UsageError(`--out is '${named}': ${because}`)
  if (!isFolder(dirname(path))) throw refuse('there is no such folder')
  if (isFolder(path)) throw refuse('that is a folder, expected a file')
  if (!resume && existsSync(path)) throw refuse('there is a file already: go on with it by --resume, or name another')
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch {
    throw refuse('its folder cannot be written to')
  }
}

interface Found {
  readonly tunable: Tunable
  readonly result: TunedShape
}

/** When the next of so many parts of the time until `end` is over; without an end, never. */
const partOf = (end: number, parts: number): number =>
  end === Infinity ? Infinity : performance.now() + (end - performance.now()) / parts

/** Every shape gets its part of the time that is left. */
async function tuneAll(
  session: Session,
  shapes: ReadonlyMap<Tunable, readonly Shape[]>,
  { seconds }: TuneArguments,
): Promise<readonly Found[]> {
  const { selectVariant } = await loadRuntime()
  const end = performance.now() + seconds * 1000
  let left = [...shapes.values()].reduce((sum, list) => sum + list.length, 0)
  const found: Found[] = []
  for (const [tunable, list] of shapes) {
    const until = partOf(end, left / list.length)
    let results = await pass(session, tunable, list, selectVariant, until)
    // what timing has left of its part of the time is for those that compiling and checking had none for
    for (let missing = missingOf(results), before = Infinity; missing > 0 && missing < before; ) {
      if (performance.now() > until) break
      results = await pass(session, tunable, list, selectVariant, until)
      before = missing
      missing = missingOf(results)
    }
    found.push(...results.map((result) => ({ tunable, result })))
    left -= list.length
  }
  return found
}

const missingOf = (results: readonly TunedShape[]): number =>
  results.reduce((sum, { notReached }) => sum + notReached, 0)

type Select = Awaited<ReturnType<typeof loadRuntime>>['selectVariant']

/** Makes candidates ready and times them for each shape; those of the passes before go on from there. */
async function pass(
  session: Session,
  tunable: Tunable,
  list: readonly Shape[],
  select: Select,
  end: number,
): Promise<readonly TunedShape[]> {
  const candidates = await compiled(session, tunable, list, select, end)
  const results: TunedShape[] = []
  for (const [i, shape] of list.entries())
    results.push(await tuneShape(session, tunable, candidates, shape, partOf(end, list.length - i)))
  return results
}

async function compiled(session: Session, tunable: Tunable, shapes: readonly Shape[], select: Select, end: number) {
  const { runtime, say, results } = session
  const title = titleOf(tunable)
  say(`${title}: compiles`)
  let told = performance.now()
  const progress = (done: number, of: number): void => {
    if (performance.now() - told < PROGRESS_MS) return
    told = performance.now()
    say(`${title}: ${done} of ${of} are compiled`)
  }
  const { family, type } = tunable
  const earlier = shapes.flatMap((shape) => results.find({ family, type, shape }) ?? [])
  const incumbents = shapes.map((shape) => tunable.incumbent(shape))
  const urgent = (choices: Choices): boolean => incumbents.some((one) => sameChoices(one, choices))
  const all = ordered(tunable, incumbents, earlier)
  const deadline = partUntil(end, 1 / 3)
  const made = await candidatesOf({ tunable, runtime, select, all, deadline, urgent, progress })
  const count = made.infeasible.reduce((sum, one) => sum + one.count, 0)
  const reached = made.feasible.length + count + made.refused.length
  const rest = reached < all.length ? `, ${all.length - reached} not reached in time` : ''
  say(`${title}: ${made.feasible.length} kernels, ${count} infeasible, ${made.refused.length} refused${rest}`)
  const checking = partUntil(end, 1 / 2)
  const right = await tried(session, tunable, made, ({ choices }) => checking.over(urgent(choices)))
  if (runtime.lost)
    throw new CommandError('device-lost', `the device was lost while ${right.refused.at(-1)?.kernel} ran`)
  return right
}

export const tune: Command = {
  name: 'tune',
  summary: 'finds the fastest kernel of a tunable on this device',
  help: HELP,
  run,
}
