/** One worker process: frames in, frames out, and what it printed when it ended. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { encodeFrame, frameReader } from './worker/frames.js'
import type { Ready, Request, Response } from './worker/protocol.js'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Child {
  readonly pid: number
  /** Rejects, with the reason, when the process ends or says that it cannot start. */
  readonly ready: Promise<Ready>
  send(request: Request): void
  /** Whether this process stays alive for it; a child that is waiting for work must not keep it. */
  hold(busy: boolean): void
  kill(): void
}

export interface ChildEvents {
  onResponse(id: number, result: unknown): void
  /** Once, when it is gone; `lost` when it said that its device is lost. */
  onEnd(kind: 'died' | 'lost', text: string): void
}

/** Said by the loader, Deno and the drivers on every start. */
const NOISE = /XDG_RUNTIME_DIR|^\s*$/

export function startChild(program: Program, events: ChildEvents): Child {
  const env = { ...process.env, ...program.env }
  const child = spawn(program.command, [...program.args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const streams = [child.stdin, child.stdout, child.stderr] as unknown as Socket[]
  let printed = ''
  let lost: string | undefined
  let begin: (ready: Ready) => void = () => undefined
  let refuse: (error: Error) => void = () => undefined
  const ready = new Promise<Ready>((resolve, reject) => {
    begin = resolve
    refuse = reject
  })
  ready.catch(() => undefined)

  const read = frameReader((message) => {
    const response = message as Response
    if ('id' in response) events.onResponse(response.id, response.result)
    else if ('ready' in response) begin(response.ready)
    else if ('failed' in response) refuse(new Error(response.failed))
    else {
      lost = response.lost
      child.kill('SIGKILL')
    }
  })
  child.stdout.on('data', (chunk: Uint8Array) => {
    try {
      read(chunk)
    } catch (error) {
      printed += String(error)
      child.kill('SIGKILL')
    }
  })
  child.stderr.on('data', (chunk: Buffer) => {
    // the end says why it died
    printed = (printed + chunk.toString()).slice(-8192)
  })
  // a write to a process that is just ending: `close` tells it
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => {
    printed += error.message
  })
  child.on('close', (code, signal) => {
    const lines = printed.split('\n').filter((line) => !NOISE.test(line))
    const how = signal === null ? `exit code ${code}` : signal
    const text = lost ?? [`the process ended (${how})`, ...lines].join('\n')
    refuse(new Error(text))
    events.onEnd(lost === undefined ? 'died' : 'lost', text)
  })

  return {
    pid: child.pid ?? 0,
    ready,
    send: (request) => void child.stdin.write(encodeFrame(request)),
    hold: (busy) => {
      for (const item of [child, ...streams]) {
        if (busy) item.ref()
        else item.unref()
      }
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
