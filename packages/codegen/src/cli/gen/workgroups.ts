import type { CompiledKernel } from '../../artifact'
import { type Facts, when } from './facts'
import { hostCode } from './launch'
import { key } from './literal'

/** The arguments of `workgroups` by what the launch rule asks for, with and without their types. */
export function workgroupArguments({ launch }: Facts): readonly (readonly [name: string, type: string])[] {
  if (launch === null) return []
  const lengths = launch.lengths.map((name) => `readonly ${key(name)}: number`).join('; ')
  return [
    ...(launch.params ? [['params', 'Params'] as const] : []),
    ...(launch.lengths.length > 0 ? [['lengths', `{ ${lengths} }`] as const] : []),
    ...(launch.overrides ? [['overrides', 'Required<Overrides>'] as const] : []),
  ]
}

/** The launch rule as a function. */
export function workgroupsFunction(kernel: CompiledKernel, facts: Facts): string {
  if (kernel.launch === null) return ''
  const given = [...workgroupArguments(facts).map(([name, type]) => `${name}: ${type}`), 'max = 65535'].join(', ')
  const [x = '1', y = '1', z = '1'] = kernel.launch.workgroups.map(hostCode)
  const about = facts.linear
    ? 'The launch rule: workgroups in x, y and z, of which one that is 0 means that there is nothing to run. A count above\n * `max`, what the device takes in one dimension, is folded into two or three.'
    : 'The launch rule: workgroups in x, y and z, of which one that is 0 means that there is nothing to run. `max` is what\n * the device takes in one dimension.'
  const lengths = when(facts.launch?.lengths.length !== 0, '\n * `lengths` are numbers of elements.')
  const body = facts.linear
    ? `return fold(count(${x}), max)`
    : `const counts: [number, number, number] = [count(${x}), count(${y}), count(${z})]
  if (Math.max(...counts) <= max) return counts
  throw fail('bad-workgroups', \`\${counts.join(' × ')} workgroups, and the device allows \${max} in each dimension\`)`
  return `/**
 * ${about}${lengths}
 */
export function workgroups(${given}): [number, number, number] {
  ${body}
}

function count(n: number): number {
  if (Number.isSafeInteger(n) && n >= 0) return n
  throw fail('bad-workgroups', \`the launch rule gives \${n} workgroups\`)
}${when(facts.linear, FOLD)}`
}

const FOLD = `

/** A line, else a rectangle near a square, else a box; the kernel leaves what is too much of it alone. */
function fold(n: number, max: number): [number, number, number] {
  if (n <= max) return [n, 1, 1]
  const z = Math.ceil(n / (max * max))
  const x = Math.ceil(Math.sqrt(n / z))
  const y = Math.ceil(n / (x * z))
  if (z <= max && x * y * z < 2 ** 32) return [x, y, z]
  throw fail('bad-workgroups', \`\${n} workgroups are more than one launch can have\`)
}`
