import type { ParityCase } from './case.js'
import { aliases } from './cases/aliases.js'
import { atomics } from './cases/atomics.js'
import { branches } from './cases/branches.js'
import { expressions } from './cases/expressions.js'
import { functions } from './cases/functions.js'
import { half } from './cases/half.js'
import { jumps } from './cases/jumps.js'
import { launches } from './cases/launch.js'
import { layouts } from './cases/layouts.js'
import { loops } from './cases/loops.js'
import { memory } from './cases/memory.js'
import { moduleVariables } from './cases/module-variables.js'
import { params } from './cases/params.js'
import { subgroupCases } from './cases/subgroups.js'
import { textures } from './cases/textures.js'
import { time } from './cases/time.js'
import { variables } from './cases/variables.js'

/** All parity cases but those of the library's kernels: the list of the test files and of tests/device. */
export const suites = {
  statements: [...branches, ...loops, ...jumps, ...variables, ...time, ...functions],
  values: [...expressions, ...half, ...subgroupCases, ...textures],
  memory: [...memory, ...moduleVariables, ...atomics],
  interface: [...params, ...launches, ...layouts, ...aliases],
} satisfies Readonly<Record<string, readonly ParityCase[]>>
