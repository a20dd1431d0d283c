import { expect, it } from 'vitest'
import type { Contest, Entry, Opened } from '../../bench/gpu/contest'
import type { Lab } from '../../bench/gpu/lab'
import { measure } from '../../bench/gpu/measure'

const never = new Promise<never>(() => undefined)

/** An entry that takes a millisecond for a run, by a clock of the lab that counts runs. */
const entry = (name: string, more: Partial<Opened> = {}, runs: number[] = []): Entry => ({
  name,
  open: async () => ({
    turns: 2,
    run: (turn) => void runs.push(turn),
    read: async () => [],
    close: () => undefined,
    ...more,
  }),
})

const contest = (...entries: Entry[]): Contest => ({
  ...{ name: 'one', work: { bytes: 8 }, inputs: {}, outputs: {}, entries },
  check: async () => 0.5,
})

const lab = {
  device: { features: new Set() },
  warm: async () => undefined,
  clock: {
    time: async (work: () => unknown) => {
      await work()
      return 1
    },
  },
} as unknown as Lab

const options = { samples: 3, warmMs: 0, sampleMs: 1, waitMs: 20 }

it('times entries in turn, each after a run that is not timed, on sets of buffers in turn', async () => {
  const runs: number[] = []
  const [row] = await measure(lab, 'suite', contest(entry('ours', {}, runs)), [], options)
  expect(row).toMatchObject({ entry: 'ours', ms: 1, p10: 1, p90: 1, error: 0.5, samples: 3 })
  // the check; two to see how long a run takes; three samples: two runs each
  expect(runs).toEqual([0, ...Array.from({ length: 5 }, () => [0, 1]).flat()])
})

it.each([
  ['is opened', { open: () => never }],
  ['runs', { run: () => never }],
  ['is read', { read: () => never, close: () => never }],
])('an entry that hangs when it %s is out, and the others go on', async (when, more) => {
  const stuck = 'open' in more ? { name: 'stuck', open: more.open } : entry('stuck', more)
  const check = when === 'is read' ? (read: Opened['read']) => read('x', 0, 1).then(() => 0) : async () => 0
  const rows = await measure(lab, 'suite', { ...contest(entry('ours'), stuck), check }, [], options)
  expect(rows).toMatchObject([
    { entry: 'ours', ms: 1 },
    { entry: 'stuck', failed: 'no answer within 0.02 s' },
  ])
})

it('an entry that hangs while it is timed is out, too', async () => {
  let runs = 0
  const later = entry('later', { run: () => (++runs > 6 ? never : undefined) })
  const rows = await measure(lab, 'suite', contest(entry('ours'), later), [], options)
  expect(rows).toMatchObject([
    { entry: 'ours', samples: 3 },
    { entry: 'later', failed: 'no answer within 0.02 s' },
  ])
})
