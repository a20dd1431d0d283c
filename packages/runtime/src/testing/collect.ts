import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage until `done` says so, and gives up after some times. */
export async function collectUntil(done: () => boolean, times = 50): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let i = 0; i < times && !done(); i++) {
    // a WeakRef that was looked at keeps its target until the end of the turn
    await new Promise((resolve) => setTimeout(resolve, 10))
    gc()
  }
}
