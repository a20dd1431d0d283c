// PyTorch on CUDA, where this machine has it: a child process measures the same contests (torch_rows.py), in turn with the
// others. Its figures are from CUDA events, since the lab's clock sees WebGPU's passes only.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Contest, Entry, Opened } from '../contest'
import { dimsOf } from '../dims'
import { turnsOf } from '../lab'
import { torchProgram } from './files'
import type { Peer } from './peer'

interface Answer {
  readonly id?: number
  readonly failed?: string
  readonly label?: string
  readonly kinds?: readonly string[]
  readonly ms?: number
  readonly values?: readonly (number | null)[]
}

interface Child {
  readonly hello: Answer
  ask(request: Readonly<Record<string, unknown>>): Promise<Answer>
  end(): void
}

/** Starts the program and waits for what it says of itself. */
async function start(): Promise<Child> {
  const child = spawn('python3', ['-u', '-c', await torchProgram()], { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map<number, (answer: Answer) => void>()
  let ended = 'it has ended'
  let id = 0
  const hello = new Promise<Answer>((resolve) => {
    const end = (failed: string): void => {
      ended = failed
      resolve({ failed })
      for (const answer of waiting.values()) answer({ failed })
      waiting.clear()
    }
    child.once('error', () => end('there is no python3'))
    child.once('exit', (code) => end(`python3 has ended with ${code}`))
    child.stdin.on('error', () => undefined) // the exit is told of above
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer
      if (answer.id === undefined) resolve(answer)
      else waiting.get(answer.id)?.(answer)
      if (answer.id !== undefined) waiting.delete(answer.id)
    })
  })
  return {
    hello: await hello,
    ask: async (request) => {
      if (child.exitCode !== null) throw new Error(ended)
      const mine = id++
      const answer = new Promise<Answer>((resolve) => waiting.set(mine, resolve))
      child.stdin.write(`${JSON.stringify({ id: mine, ...request })}\n`)
      const { failed, ...rest } = await answer
      if (failed !== undefined) throw new Error(failed)
      return rest
    },
    end: () => child.stdin.end(),
  }
}

export async function loadTorch(): Promise<Peer> {
  const child = await start()
  const { failed, label = '', kinds = [] } = child.hello
  if (failed !== undefined) throw new Error(failed)
  const entry = (contest: Contest): Entry | null =>
    contest.kind !== undefined && kinds.includes(contest.kind)
      ? { name: label, open: () => open(child, contest) }
      : null
  return { label, entry, close: child.end }
}

async function open(child: Child, contest: Contest): Promise<Opened> {
  const { name, kind, dtype, shape = {}, flags = [], inputs, outputs } = contest
  if (dtype !== 'f32' && dtype !== 'f16' && dtype !== 'i8') throw new Error(`it has no ${dtype}`)
  const turns = turnsOf(contest)
  const spec = { kind, shape, flags, inputs, outputs, dims: dimsOf(contest) }
  await child.ask({ op: 'open', contest: name, turns, spec })
  let counted: number | null = null
  return {
    turns,
    run: async () => {
      if (counted === null) await child.ask({ op: 'run', contest: name })
      else counted++
    },
    clock: {
      time: async (work) => {
        counted = 0
        try {
          await work()
          const { ms = Number.NaN } = await child.ask({ op: 'time', contest: name, count: counted })
          return ms
        } finally {
          counted = null
        }
      },
    },
    read: async (output, first, count) => {
      const { values = [] } = await child.ask({ op: 'read', contest: name, name: output, first, count })
      return values.map((value) => value ?? Number.NaN)
    },
    close: () => child.ask({ op: 'close', contest: name }),
  }
}
