import type { ObservedDispatch, Observer } from '../observer'
import { Queries } from './queries'
import type { ClockKind, Noted, Sample, Submit } from './samples'

/** What a clock tells. */
export interface Sink {
  /** What was noted of a dispatch when it was called. */
  noted(dispatch: ObservedDispatch): Noted
  /** In the order of the work. */
  sampled(samples: readonly Sample[]): void
  submitted(submit: Submit): void
  /** A dispatch that no sample will be about. */
  unmeasured(dispatch: Noted): void
}

/** A way of measuring, which watches the runtime. */
export interface Clock extends Observer {
  readonly kind: ClockKind
  /** Resolves when all that was submitted is sampled. */
  settle(): Promise<void>
}

interface Pass {
  readonly dispatches: Noted[]
  submit: Submit | null
}

/** By timestamp queries at the begin and end of passes. */
export function gpuClock(device: GPUDevice, passes: 'each' | undefined, sink: Sink, slots?: number): Clock {
  const queries = new Queries<Pass>(
    device,
    (stamped) => sink.sampled(stamped.map(({ pass, begin, end }) => ({ ...pass, begin, end }))),
    slots,
  )
  let recorded: Pass[] = []
  let current: Pass | null = null
  let dispatches = 0
  return {
    kind: 'gpu',
    passes,
    before() {
      dispatches++
      // a dispatch may yet go into a pass that was begun before anyone watched
      if (passes === 'each') current = null
    },
    pass(free) {
      if (!free) {
        current = null
        return undefined
      }
      current = { dispatches: [], submit: null }
      recorded.push(current)
      return queries.next(current)
    },
    after(dispatch) {
      const noted = sink.noted(dispatch)
      if (current) current.dispatches.push(noted)
      else sink.unmeasured(noted)
    },
    submitted() {
      const submit: Submit = { at: performance.now(), done: null, dispatches }
      sink.submitted(submit)
      dispatches = 0
      for (const pass of recorded) pass.submit = submit
      recorded = []
      queries.submitted()
    },
    settle: () => queries.settle(),
  }
}

const stampOf = (ms: number): bigint => BigInt(Math.round(ms * 1e6))

/** By the host's own clock, around a dispatch that is done when it returns. */
export function cpuClock(sink: Sink): Clock {
  let begin = 0
  return {
    kind: 'cpu',
    before() {
      begin = performance.now()
    },
    after(dispatch) {
      const end = performance.now()
      sink.sampled([{ dispatches: [sink.noted(dispatch)], submit: null, begin: stampOf(begin), end: stampOf(end) }])
    },
    settle: async () => undefined,
  }
}

/** By how long the host waits for each submit: all that there is on a device without timestamp queries. */
export function submitClock(device: GPUDevice, sink: Sink): Clock {
  const waiting = new Set<Promise<void>>()
  let dispatches = 0
  return {
    kind: 'submits',
    before() {
      dispatches++
    },
    after(dispatch) {
      sink.unmeasured(sink.noted(dispatch))
    },
    submitted() {
      const submit: Submit = { at: performance.now(), done: null, dispatches }
      dispatches = 0
      sink.submitted(submit)
      const done = device.queue.onSubmittedWorkDone().then(() => {
        submit.done = performance.now()
        waiting.delete(done)
      })
      done.catch(() => waiting.delete(done))
      waiting.add(done)
    },
    settle: async () => void (await Promise.all(waiting)),
  }
}
