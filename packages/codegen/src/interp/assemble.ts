import type { Kernel } from '@weft/dsl/ir'
import { boundsOf } from './bounds'
import { evaluate } from './expressions'
import { Frame } from './frame'
import { steps } from './lockstep'
import { planOf } from './plan'
import { Program, type RunValue } from './program'
import { scheduleOf } from './schedule'
import { spillsOf } from './spill'
import { syncOf } from './sync'
import { uniformity } from './uniform'
import { countUses, unitOf } from './unit'

/** What a run needs beside the names that the program lists: sizes in workgroups, and how many of them do anything. */
export interface RunArguments extends Readonly<Record<string, unknown>> {
  readonly nx: number
  readonly ny: number
  readonly nz: number
  /** Workgroups from this linear index on do nothing: the surplus of a folded launch. */
  readonly limit: number
}

export interface Module {
  /** The generated JavaScript. */
  readonly source: string
  readonly values: ReadonlyMap<string, RunValue>
  readonly run: (args: RunArguments) => void
}

/** Compiles a kernel, with its overrides given, to one JavaScript function. */
export function assemble(
  kernel: Kernel,
  overrides: Readonly<Record<string, number>>,
  subgroupSize: number,
  watch?: Program['watch'],
): Module {
  const unit = unitOf(kernel, overrides, subgroupSize)
  const uniform = uniformity(unit)
  const schedule = scheduleOf(unit, planOf(unit, syncOf(unit), uniform), uniform)
  const program = new Program(unit, schedule, spillsOf(unit, schedule), countUses(unit), boundsOf(unit), watch)
  const frame = new Frame(program, 'workgroup', evaluate)
  steps(frame, schedule.steps)
  const source = text(program, frame)
  const make = new Function('E', source) as (environment: object) => Module['run']
  return { source, values: program.perRun, run: make(program.environment) }
}

function text(program: Program, frame: Frame): string {
  const clears = shared(program)
  const perRun = [...program.perRun.keys()]
  const run = [
    'function run(A) {',
    ...perRun.map((name) => `$${name} = A.${name};`),
    ...[...frame.needs].map((name) => `const ${name} = $${name};`),
    'const nx = A.nx, ny = A.ny, nz = A.nz, limit = A.limit;',
    ...[...program.locals].map((name) => `let ${name};`),
    'for (let wz = 0; wz < nz; wz++) for (let wy = 0; wy < ny; wy++) workgroups: for (let wx = 0; wx < nx; wx++) {',
    'const wi = (wz * ny + wy) * nx + wx;',
    'if (wi >= limit) return;',
    ...clears,
    ...frame.head,
    ...frame.lines,
    '}',
    '}',
  ]
  const module = [
    "'use strict';",
    ...program.declarations,
    ...perRun.map((name) => `let $${name};`),
    ...program.functions,
    ...run,
    'return run;',
  ]
  return `${module.join('\n')}\n`
}

/** Workgroup memory is zero at the start of each workgroup. */
function shared(program: Program): string[] {
  const stores = [...program.unit.variables.values()].filter(
    (v) => v.held === 'shared' && program.isDeclared(`m${v.id}`),
  )
  return stores.map((v) => `$${program.declare(`m${v.id}u`, `new Uint32Array($m${v.id})`)}.fill(0);`)
}
