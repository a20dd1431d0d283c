import { kernelCases } from '../kernels/cases.js'
import type { ParityCase } from '../parity/case.js'
import { aliases } from '../parity/cases/aliases.js'
import { atomics } from '../parity/cases/atomics.js'
import { branches } from '../parity/cases/branches.js'
import { expressions } from '../parity/cases/expressions.js'
import { functions } from '../parity/cases/functions.js'
import { half } from '../parity/cases/half.js'
import { jumps } from '../parity/cases/jumps.js'
import { launches } from '../parity/cases/launch.js'
import { layouts } from '../parity/cases/layouts.js'
import { loops } from '../parity/cases/loops.js'
import { memory } from '../parity/cases/memory.js'
import { moduleVariables } from '../parity/cases/module-variables.js'
import { params } from '../parity/cases/params.js'
import { subgroupCases } from '../parity/cases/subgroups.js'
import { textures } from '../parity/cases/textures.js'
import { time } from '../parity/cases/time.js'
import { variables } from '../parity/cases/variables.js'

/** What the cases expect of subgroups is written for four invocations: elsewhere they are compared with the interpreter. */
const withoutExpectation = ({ expect: _, ...rest }: ParityCase): ParityCase => rest

export const suites = (): Readonly<Record<string, readonly ParityCase[]>> => ({
  statements: [...branches, ...loops, ...jumps, ...variables, ...time, ...functions],
  values: [...expressions, ...half, ...textures],
  subgroups: subgroupCases.map(withoutExpectation),
  memory: [...memory, ...moduleVariables, ...atomics],
  interface: [...params, ...launches, ...layouts, ...aliases],
  kernels: kernelCases,
})
