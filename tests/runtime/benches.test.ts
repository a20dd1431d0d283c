import { describe, expect, it } from 'vitest'
import { copiesFor, type Job, ratio, rotating, summarize, timeInterleaved } from '../../bench/lib/job.js'

/** What the benches are made of: that a figure is of what it says it is of. */

/** A device that takes down which pipelines are run. */
function watched() {
  const ran: string[] = []
  const pass = {
    setPipeline: (pipeline: string) => ran.push(pipeline),
    setBindGroup() {},
    dispatchWorkgroups() {},
    end() {},
  }
  const device = {
    createCommandEncoder: () => ({ beginComputePass: () => pass, finish: () => ({}) }),
    queue: { submit() {}, onSubmittedWorkDone: async () => undefined },
  } as unknown as GPUDevice
  const job = (label: string) => ({ label, pipeline: label as never, bindGroups: [], workgroups: [1, 1, 1] }) as Job
  return { ran, device, job }
}

describe('[prior-R39] a bench', () => {
  it('interleaves what it compares, turns the order around, and leaves its warm-up out', async () => {
    const { ran, device, job } = watched()
    const timings = await timeInterleaved(device, [job('a'), job('b'), job('c')], 4)
    expect(ran.join('')).toBe('abccbaabccbaabccba')
    expect(timings.map(({ times }) => times.length)).toEqual([4, 4, 4])
  })

  it('measures cold memory by turning through copies that are more than the cache', async () => {
    expect([copiesFor(10, 60), copiesFor(64, 60), copiesFor(7, 60)]).toEqual([7, 2, 10])
    const { ran, device, job } = watched()
    const copies = Array.from({ length: copiesFor(20, 60) }, (_, i) => job(String(i)))
    await timeInterleaved(device, [rotating(copies), job('x')], 6)
    expect(ran.filter((label) => label !== 'x').join('')).toBe('01230123')
  })

  it('compares fastest runs, and the median of neighbouring ones where a machine is busy', () => {
    const [of, base] = [summarize([4, 2, 8, 2.5]), summarize([2, 1, 4, 5])]
    expect([of.min, of.median]).toEqual([2, 3.25])
    expect(ratio(of, base)).toEqual({ min: 2, paired: 2 })
  })
})
