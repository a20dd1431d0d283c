import { d, kernel, output } from '@weft/dsl'
import type { WeftError } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { compile } from './compile'
import { explain } from './explain'
import { show } from './show'

const one = kernel(
  'one',
  { workgroupSize: [64], bindings: { y: output(d.arrayOf(d.f32)) }, guards: 'off' },
  ({ y }, k) => y.at(k.localIndex).set(1),
)

const refusal = (call: () => unknown): WeftError => {
  try {
    call()
  } catch (error) {
    return error as WeftError
  }
  throw new Error('nothing was thrown')
}

const NOT = (given: string) =>
  `compile was given ${given}, expected a kernel\n  at AT\n  note: kernel('name', { … }, body) makes one`

test.each<[string, () => unknown]>([
  [NOT('undefined'), () => compile(undefined as never)],
  [NOT('a function'), () => compile((() => 1) as never)],
  [NOT("'one'"), () => compile('one' as never)],
  [NOT('an object'), () => compile(compile(one) as never)],
  ['the options of compile are null, expected an object\n  at AT', () => compile(one, null as never)],
  [
    "compile knows no option 'profil'\n  at AT\n  note: its options: profile, doc, params, limits, without, validate, check, variants",
    () => compile(one, { profil: 'safari' } as never),
  ],
  [
    "the option profile of compile is 'edge'\n  at AT\n  note: expected any, baseline, chrome, firefox, safari",
    () => compile(one, { profile: 'edge' as never }),
  ],
  [
    "the option params of compile is 'block'\n  at AT\n  note: expected any, uniform",
    () => compile(one, { params: 'block' as never }),
  ],
  [
    "the option validate of compile is 'never'\n  at AT\n  note: expected once, each, off",
    () => compile(one, { validate: 'never' as never }),
  ],
  [
    "the option variants of compile is 'fast'\n  at AT\n  note: expected portable",
    () => compile(one, { variants: ['portable', 'fast'] }),
  ],
  [
    "the option variants of compile is 'fast'\n  at AT\n  note: expected portable",
    () => show(one, { variant: 'fast' }),
  ],
  [NOT('undefined'), () => explain(undefined as never)],
])('bad-argument: %s', (text, call) => {
  const { code, message } = refusal(call)
  expect(code).toBe('bad-argument')
  expect(message.replace(/(?<=\n {2}at ).*arguments\.test\.ts:\d+:\d+/, 'AT')).toBe(`bad-argument: ${text}`)
})

test('bad-argument: a pass to leave out that there is not', () => {
  expect(refusal(() => compile(one, { without: ['csee' as never] })).message).toMatch(
    /^bad-argument: the option without of compile is 'csee'\n.*\n {2}note: expected params, /,
  )
})

test('what is right is taken', () => {
  const options = {
    profile: 'chrome',
    params: 'any',
    validate: 'each',
    without: ['cse'],
    variants: ['portable'],
  } as const
  expect(compile(one, options).variants).toHaveLength(1)
  expect(
    compile(one, { profile: undefined, limits: { maxComputeWorkgroupStorageSize: 32768 } } as never).variants,
  ).toHaveLength(1)
})
