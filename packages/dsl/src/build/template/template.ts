import type { ValueName } from '../../types'
import { construct } from '../construct'
import { fail } from '../fail'
import { type Handle, isHandle } from '../handle'
import { type Build, parse } from './parser'
import { plain } from './values'

/** Expression templates: `` f32`${a} * ${b} + 1` ``. The text is parsed once per place in the source. */

const parsed = new WeakMap<TemplateStringsArray, Build>()

export function template(type: ValueName, strings: TemplateStringsArray, holes: readonly unknown[]): Handle {
  let build = parsed.get(strings)
  if (!build) parsed.set(strings, (build = parse(strings)))
  const value = plain(build(holes))
  const handle = isHandle(value) ? value : construct(type, [value])
  if (handle.type === type) return handle
  return fail(
    'type-mismatch',
    `the template is tagged ${type}, and its value is ${handle.type}`,
    `tag it ${handle.type}, or convert: ${type}(…)`,
  )
}
