// `npm run coverage:kernels [-- --json]`: every kernel and operator of four comparable systems, and what of this library
// does the same. `host` are those that need no kernel; they count as covered. Fails when the list names a kernel, a
// function or a test that does not exist.
import { kernelCoverage } from './kernel-coverage.mjs'

const all = await kernelCoverage()
const of = (state) => all.filter((entry) => entry.state === state)
const [host, notYet, wrong] = [of('host'), of('notYet'), of('wrong')]
const covered = of('kernels').length + host.length

if (process.argv.includes('--json')) {
  const reasons = notYet.map(({ system, name, reason }) => ({ system, name, reason }))
  console.log(JSON.stringify({ covered, total: all.length, host: host.length, notYet: reasons }))
} else {
  for (const { system, name, reason, state } of [...host, ...notYet, ...wrong])
    console.log(`${state.padEnd(6)} ${system}: ${name} (${reason})`)
  for (const system of new Set(all.map((entry) => entry.system))) {
    const own = all.filter((entry) => entry.system === system)
    const done = own.filter(({ state }) => state === 'kernels' || state === 'host')
    console.log(`${system}: ${done.length} of ${own.length}`)
  }
  console.log(`kernels: ${covered} of ${all.length} covered, ${host.length} of them on the host`)
}
process.exit(wrong.length === 0 ? 0 : 1)
