import { families } from '../kernels/families.js'
import type { ParityCase } from '../parity/case.js'
import { subgroupCases } from '../parity/cases/subgroups.js'
import { suites as parity } from '../parity/suites.js'

/** What the cases expect of subgroups is written for four invocations: elsewhere they are compared with the interpreter. */
const withoutExpectation = ({ expect: _, ...rest }: ParityCase): ParityCase => rest

const forDevice = (c: ParityCase): ParityCase => (subgroupCases.includes(c) ? withoutExpectation(c) : c)

export const suites = (): Readonly<Record<string, readonly ParityCase[]>> => ({
  ...Object.fromEntries(Object.entries(parity).map(([name, cases]) => [name, cases.map(forDevice)])),
  ...families,
})
