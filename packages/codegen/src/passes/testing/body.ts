import { type Builder, d, inout, input, kernel } from '@weft/dsl'
import { checkStructure, type Kernel, type KernelSource, print, validate } from '@weft/dsl/ir'
import { expect } from 'vitest'

const f32s = d.arrayOf(d.f32)
const u32s = d.arrayOf(d.u32)

/** A kernel of one workgroup with `x`, `out` of f32, `u` of u32 and params `n`, `m`. */
export const built = (body: (b: Bindings, k: Builder) => void): Kernel => source(body).ir()

/** The same, not yet built. */
export const source = (body: (b: Bindings, k: Builder) => void): KernelSource =>
  kernel(
    'test',
    {
      workgroupSize: [64],
      bindings: { x: input(f32s), u: inout(u32s), out: inout(f32s) },
      params: { n: d.u32, m: d.u32, s: d.f32 },
      guards: 'off',
    },
    (b, k) => body(b as unknown as Bindings, k),
  )

// biome-ignore lint/suspicious/noExplicitAny: what the builder gives, without the types that a kernel's own declaration has
export type Bindings = Record<'x' | 'u' | 'out' | 'n' | 'm' | 's', any>

/** The printed body of a kernel, without indentation of the first level; the kernel must be valid. */
export function bodyOf(kernel: Kernel): string {
  expect([...checkStructure(kernel), ...validate({ ...kernel, guards: 'off' })]).toEqual([])
  const lines = print(kernel).trimEnd().split('\n')
  const start = lines.indexOf('body {')
  return lines
    .slice(start + 1, -1)
    .map((l) => l.slice(2))
    .join('\n')
}

/** Lines without the indentation that they have in a test. */
export function text(s: TemplateStringsArray): string {
  const lines = (s[0] as string).split('\n').slice(1, -1)
  const indent = lines.reduce((least, l) => (l.trim() === '' ? least : Math.min(least, l.search(/\S/))), 99)
  return lines.map((l) => l.slice(indent)).join('\n')
}
