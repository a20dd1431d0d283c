/**
 * The parity list on the GPU of this machine: `npm run parity:device`. Each case runs on the interpreter and, in every
 * variant that the device supports, on the device; prints counts, what differs, and what was skipped and why. Then the built-in
 * functions are probed, and every function with fast kernels is verified.
 */
import type { ParityCase } from '../parity/case.js'
import { planOf, runPlans } from '../parity/run.js'
import { faultOf } from '../parity/verdict.js'
import { openDeviceEngine } from './engine.js'

const engine = await openDeviceEngine()
// before the cases are loaded: the interpreter takes the size from here
process.env.WEFT_SUBGROUP_SIZE = String(engine.subgroupSize)

const suites: Readonly<Record<string, readonly ParityCase[]>> = await (await import('./suites.js')).suites()
const engines = { dawn: engine, wgpu: 'not on this machine' }
console.log(`${engine.adapter.vendor}: ${engine.adapter.description}; subgroups of ${engine.subgroupSize}`)

let failed = 0
for (const [name, cases] of Object.entries(suites)) {
  const count = { passed: 0, failed: 0 }
  const skipped = new Map<string, number>()
  const plans = cases.map((c) => planOf(c, engines))
  for (const finished of await runPlans(name, plans, engines)) {
    for (const [index, run] of finished.plan.runs.entries()) {
      if (run.executor !== 'dawn') continue
      if (run.skipped !== undefined) {
        skipped.set(run.skipped, (skipped.get(run.skipped) ?? 0) + 1)
        continue
      }
      const fault = faultOf(finished, index)
      count[fault === null ? 'passed' : 'failed'] += 1
      if (fault !== null)
        console.log(`  ${finished.plan.case.name}: ${run.name}\n    ${fault.split('\n').slice(0, 4).join('\n    ')}`)
    }
  }
  failed += count.failed
  console.log(
    `${name}: ${count.passed} passed, ${count.failed} failed${[...skipped].map(([why, n]) => `; ${n} skipped (${why})`).join('')}`,
  )
}
const probed = await (await import('./probes.js')).probe(engines)
console.log(probed.text)
const tried = await (await import('./verified.js')).verifyAll(engine.gpu)
console.log(tried.text)
process.exit(failed + probed.failed + tried.failed === 0 ? 0 : 1)
