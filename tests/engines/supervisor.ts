/**
 * Keeps a worker process at work: several requests in flight, a new process when one dies or makes no progress, and
 * the blame put on one request. When a process with several requests in flight ends, each of them runs again, alone;
 * the one that ends its process alone is the culprit, the others get their results.
 */
import { type Child, type Program, startChild } from './child.js'
import type { Ready, Request } from './worker/protocol.js'

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: 'died' | 'lost' | 'timeout'; readonly text: string }

type Body = Request extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

interface Entry {
  readonly body: Body
  readonly timeoutMs: number
  resolve(answer: Answer<unknown>): void
}

export interface Supervisor {
  readonly ready: Ready
  request<T>(body: Body, timeoutMs: number): Promise<Answer<T>>
  pid(): number | undefined
  /** How often a process was started again. */
  restarts(): number
  close(): Promise<void>
}

/** Starts the first process and waits for it, so that a machine without the engine is told at once. */
export async function supervise(program: Program, inFlightLimit: number): Promise<Supervisor> {
  const queue: Entry[] = []
  /** Were in flight when a process ended; each runs alone, before anything else. */
  const suspects: Entry[] = []
  let alone: Entry | undefined
  const inFlight = new Map<number, Entry>()
  let nextId = 0
  let restarts = -1
  let child: Child | undefined
  let started = false
  let closed: (() => void) | undefined
  let watchdog: NodeJS.Timeout | undefined
  let timedOut = false

  function launch(): Promise<Ready> {
    restarts++
    started = false
    const own = startChild(program, { onResponse, onEnd: (kind, text) => onEnd(own, kind, text) })
    child = own
    own.ready.then(
      () => {
        started = true
        pump()
      },
      () => undefined,
    )
    return own.ready
  }

  function pump(): void {
    if (closed !== undefined) return
    const waiting = queue.length + suspects.length
    if (child === undefined && waiting > 0) void launch().catch(() => undefined)
    if (child !== undefined && started) {
      if (suspects.length > 0 && inFlight.size === 0) {
        alone = suspects.shift()
        dispatch(child, alone)
      }
      while (alone === undefined && inFlight.size < inFlightLimit && queue.length > 0) dispatch(child, queue.shift())
    }
    child?.hold(waiting + inFlight.size > 0)
    watch()
  }

  function dispatch(to: Child, entry: Entry | undefined): void {
    if (entry === undefined) return
    const id = nextId++
    inFlight.set(id, entry)
    to.send({ id, ...entry.body })
  }

  /**
   * Ends a process that has not answered for as long as its least patient request may take. The others may take
   * longer: each runs again, alone, in its own time.
   */
  function watch(): void {
    clearTimeout(watchdog)
    if (inFlight.size === 0) return
    const limit = Math.min(...[...inFlight.values()].map((entry) => entry.timeoutMs))
    watchdog = setTimeout(() => {
      timedOut = true
      child?.kill()
    }, limit)
  }

  function onResponse(id: number, result: unknown): void {
    const entry = inFlight.get(id)
    inFlight.delete(id)
    if (entry === alone) alone = undefined
    entry?.resolve({ ok: true, value: result })
    pump()
  }

  function onEnd(own: Child, kind: 'died' | 'lost', text: string): void {
    if (own !== child) return
    child = undefined
    alone = undefined
    const entries = [...inFlight.values()]
    inFlight.clear()
    const [only] = entries
    const how = timedOut ? 'timeout' : kind
    timedOut = false
    if (!started) {
      // it does not even start any more: nothing that waits will be answered
      for (const entry of [...suspects.splice(0), ...queue.splice(0)]) entry.resolve({ ok: false, kind: 'died', text })
    } else if (entries.length === 1 && only !== undefined) {
      only.resolve({ ok: false, kind: how, text: how === 'timeout' ? `no answer within ${only.timeoutMs} ms` : text })
    } else {
      suspects.unshift(...entries)
    }
    if (closed) closed()
    else pump()
  }

  const ready = await launch()
  child?.hold(false)
  return {
    ready,
    request: <T>(body: Body, timeoutMs: number) =>
      new Promise<Answer<T>>((resolve) => {
        queue.push({ body, timeoutMs, resolve: resolve as (answer: Answer<unknown>) => void })
        pump()
      }),
    pid: () => child?.pid,
    restarts: () => restarts,
    close: () =>
      new Promise((resolve) => {
        closed = resolve
        clearTimeout(watchdog)
        if (child === undefined) return resolve()
        child.hold(true)
        child.kill()
      }),
  }
}
