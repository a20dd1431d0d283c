import { show } from '@weft/codegen'
import { branches } from '/work/main/tests/parity/cases/branches.js'
import { functions } from '/work/main/tests/parity/cases/functions.js'
import { jumps } from '/work/main/tests/parity/cases/jumps.js'
import { loops } from '/work/main/tests/parity/cases/loops.js'
import { time } from '/work/main/tests/parity/cases/time.js'
import { variables } from '/work/main/tests/parity/cases/variables.js'
import { compile } from '@weft/codegen'
import { print } from '@weft/dsl/ir'
const all = [...branches, ...loops, ...jumps, ...variables, ...time, ...functions]
for (const name of process.argv.slice(2)) {
  const c = all.find((x) => x.name === name)!
  console.log(print(c.kernel.ir()))
  console.log(compile(c.kernel).variants[0]!.wgsl)
}
