/** What a program does, on the host and one step at a time. */
import { contentOf, copied, type Program, recordable, type Step, scattered, written } from './program.js'

type Memory = Uint32Array<ArrayBuffer>

const wrap = (list: Memory, at: number, value: number): void => {
  list[at] = value
}

function affine(x: Memory, y: Memory, a: number, b: number): void {
  for (let i = 0; i < Math.min(x.length, y.length); i++) wrap(y, i, Math.imul(x[i] as number, a) + b)
}

function combine(p: Memory, q: Memory, out: Memory, shift: number): void {
  const n = Math.min(p.length, q.length, out.length)
  if (out === p || out === q) return
  for (let i = 0; i < n; i++) wrap(out, i, Math.imul(p[i] as number, 3) + (q[(i + shift) % n] as number))
}

/** What a replay reads is its `out`. */
function record(slots: readonly Memory[], step: Step & { op: 'record' }): number[][] {
  const [x, y, out, to] = [step.x, step.y, step.out, step.to].map((i) => slots[i] as Memory) as [
    Memory,
    Memory,
    Memory,
    Memory,
  ]
  if (!recordable(step)) return []
  return Array.from({ length: step.times }, (_, t) => {
    affine(x, y, step.a, step.b + t)
    combine(y, x, out, t)
    to.set(out.subarray(0, copied(out.length, to.length)))
    return [...out]
  })
}

function kernel(slots: readonly Memory[], step: Step): void {
  const of = (i: number) => slots[i] as Memory
  switch (step.op) {
    case 'fill':
      of(step.out).fill(step.value)
      break
    case 'affine':
      for (let t = 0; t < step.times; t++) affine(of(step.x), of(step.y), step.a, step.b + t)
      break
    case 'combine':
      combine(of(step.p), of(step.q), of(step.out), step.shift)
      break
    case 'accumulate': {
      const [x, sum] = [of(step.x), of(step.sum)]
      if (x !== sum)
        for (let i = 0; i < Math.min(x.length, sum.length); i++) wrap(sum, i, (sum[i] as number) + (x[i] as number))
      break
    }
    case 'scatter': {
      const [x, out] = [of(step.x), of(step.out)]
      if (x !== out) for (let i = 0; i < scattered(x.length, out.length); i++) wrap(out, 3 * i, x[i] as number)
      break
    }
    case 'histogram': {
      const [x, counts] = [of(step.x), of(step.counts)]
      if (x !== counts && counts.length >= 4) for (const v of x) wrap(counts, v % 4, (counts[v % 4] as number) + 1)
      break
    }
  }
}

/** Everything that the program reads, and all its buffers at the end. */
export function expected({ start, steps }: Program): number[][] {
  const slots = start.map(contentOf)
  const seen: number[][] = []
  for (const step of steps) {
    if (step.op === 'new') slots[step.slot] = contentOf(step.fresh)
    else if (step.op === 'overwrite') slots[step.slot] = new Uint32Array(step.size).fill(step.value)
    else if (step.op === 'write') {
      const memory = slots[step.slot] as Memory
      const { at, data } = written(memory.byteLength, step)
      new Uint8Array(memory.buffer).set(data, at)
    } else if (step.op === 'record') seen.push(...record(slots, step))
    else if (step.op === 'read') for (const slot of step.slots) seen.push([...(slots[slot] as Memory)])
    else kernel(slots, step)
  }
  return [...seen, ...slots.map((memory) => [...memory])]
}
