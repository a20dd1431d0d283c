import { interpret } from '@weft/codegen/interp'
import { evaluate, type ValueName } from '@weft/dsl/ir'
import { describe, expect, it } from 'vitest'
import { bytesIn, memoryOf } from '../parity/jobs.js'
import { caseOf, fromMemory, WORKGROUP } from './probe.js'
import { type PureProbe, pureProbes } from './pure.js'

/** Bit for bit, NaN with any NaN. */
const same = (a: number, b: number): boolean => Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b))

/** The calls whose result at run time is not what constant evaluation gives; the interpreter is compiled, that is not. */
function disagreements(probe: PureProbe): string[] {
  const c = caseOf(probe, 'run time')
  const memory = memoryOf(c)
  interpret(c.kernel.ir(), { bindings: memory, workgroups: [Math.ceil(probe.calls.length / WORKGROUP), 1, 1] })
  return fromMemory(probe, bytesIn(memory, 'out')).flatMap((got, i) => {
    const call = probe.calls[i] as PureProbe['calls'][number]
    const want = evaluate(
      probe.op,
      probe.out,
      call.map((lanes, n) => ({ type: probe.types[n] as ValueName, lanes })),
    )
    return got.every((x, lane) => same(x, want[lane] as number))
      ? []
      : [`f(${JSON.stringify(call)}) = ${got}, constant evaluation gives ${want}`]
  })
}

describe('the interpreter and constant evaluation give the same, on all values', () => {
  for (const probe of pureProbes) it(probe.name, () => expect(disagreements(probe).slice(0, 8)).toEqual([]))
})
