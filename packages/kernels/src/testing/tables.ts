import { expect } from 'vitest'
import type { Arg, Args } from '../args'
import { BEFORE, type HostFunction } from './host-functions'
import { noted, type Tables } from './recorded'

/** For tests that go over all host functions by what they say that they take. */

/** Whatever is asked of it, the device was asked too early. */
export const untouched = new Proxy(
  { owns: true },
  { get: (_, key) => expect.unreachable(`the device was asked for ${String(key)}`) },
)

export interface Refused {
  readonly code: string
  readonly message: string
}

/** What a function throws. */
export async function refusal(
  name: string,
  run: HostFunction,
  args: unknown,
  options?: unknown,
  runtime: unknown = untouched,
): Promise<Refused> {
  try {
    await run(runtime, ...(BEFORE[name] ?? []), args, options)
  } catch (error) {
    expect(error).toMatchObject({
      name: 'WeftError',
      code: expect.any(String),
      diagnostics: [{ code: expect.any(String) }],
    })
    expect(error).toBeInstanceOf(RangeError)
    return error as Refused
  }
  return expect.unreachable(`${name} took it`)
}

/** What a function takes, by its own name. */
export async function tablesOf(name: string, run: HostFunction): Promise<Tables> {
  noted.length = 0
  await refusal(name, run, {})
  expect(noted.map(({ what }) => what)).toEqual([name])
  return noted[0] as Tables
}

export type Values = Readonly<Record<string, unknown>>

export const bufferOf = (bytes: number) => ({ size: bytes })

/** Whether a rule takes a value. */
export function takes({ check }: Arg<never>, value: unknown): boolean {
  try {
    check('', '', value)
    return true
  } catch {
    return false
  }
}

/** A value that the argument may be: each buffer another one, made by `buffer`. */
function oneThat(arg: Arg<never>, buffer: () => unknown): unknown {
  const { words, fields, each, access } = arg
  if (access) return buffer()
  if (words) return words[0]
  if (fields) return valuesOf(fields, buffer)
  if (each) return [oneThat(each, buffer)]
  return [1, 0.5, true, [1, 1], [1, 1, 1, 1], {}].find((value) => takes(arg, value))
}

/** All arguments, those too that may be left out. */
export const valuesOf = (args: Args, buffer: () => unknown = () => bufferOf(4096)): Values =>
  Object.fromEntries(Object.entries(args).map(([key, arg]) => [key, oneThat(arg, buffer)]))
