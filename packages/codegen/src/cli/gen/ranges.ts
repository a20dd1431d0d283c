import { type Facts, when } from './facts'

/** What a generated module does with the resources that it is given: checks, and entries of bind groups. */
export function rangeFunctions({ buffers, textures, aliases }: Facts): string {
  return [
    rangeOf(buffers, textures),
    resourceOf(buffers, textures),
    when(buffers, overlaps(aliases)),
    when(aliases, ALIAS_OF),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const TEXTURE = 'return { texture: given as GPUTexture | GPUTextureView, size: 0, offset: 0 }'

const BUFFER = `const { buffer, offset = 0, size } = 'buffer' in given ? given : { buffer: given as GPUBuffer }
  if (typeof buffer !== 'object' || buffer === null || typeof buffer.size !== 'number') {
    throw fail('binding-type', \`\${what} is no GPUBuffer\`)
  }
  const range = { buffer, offset, size: size ?? buffer.size - offset }
  const { usage, align, most } = rulesOf(binding, device)
  if ((buffer.usage & usage) === 0) {
    throw fail('binding-type', \`\${what} is a buffer without \${usage === 64 ? 'UNIFORM' : 'STORAGE'} usage\`)
  }
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(range.size)
  if (!whole || offset < 0 || range.size < 0 || offset + range.size > buffer.size) {
    throw fail('binding-size', \`\${what} is \${range.size} bytes from byte \${offset} of a buffer of \${buffer.size}\`)
  }
  if (range.size === 0) return range
  if (offset % align !== 0) throw fail('binding-size', \`\${what} starts at byte \${offset}, expected a multiple of \${align}\`)
  if (binding.kind === 'storage' && range.size % 4 !== 0) {
    throw fail('binding-size', \`\${what} has \${range.size} bytes, expected a multiple of 4\`)
  }
  if (range.size < binding.minBindingSize) {
    throw fail('binding-size', \`\${what} has \${range.size} bytes, expected at least \${binding.minBindingSize}\`)
  }
  if (range.size > most) throw fail('binding-limit', \`\${what} binds \${range.size} bytes, and the device allows \${most}\`)
  return range`

const RULES = `

/** Usage (of \`GPUBufferUsage\`, which is not a global everywhere), alignment and largest size. */
function rulesOf({ kind }: CompiledBinding, { limits }: GPUDevice): { usage: number; align: number; most: number } {
  return kind === 'uniform'
    ? { usage: 64, align: limits.minUniformBufferOffsetAlignment, most: limits.maxUniformBufferBindingSize }
    : { usage: 128, align: limits.minStorageBufferOffsetAlignment, most: limits.maxStorageBufferBindingSize }
}`

const rangeOf = (buffers: boolean, textures: boolean): string => `type Given = Bindings[keyof Bindings] | undefined

/** What a binding was given, as a checked range. */
function rangeOf(binding: CompiledBinding, given: Given, ${unused(buffers)}device: GPUDevice): Range {
  const what = \`'\${binding.name}' (\${binding.type})\`
  if (given === undefined || given === null) throw fail('missing-binding', \`\${what} is missing\`)
  if (typeof given !== 'object') throw fail('binding-type', \`\${what} is no ${buffers && textures ? 'buffer or texture' : textures ? 'texture' : 'GPUBuffer'}\`)
  ${when(textures, `${when(buffers, "if (binding.kind === 'texture') ")}${TEXTURE}\n  `)}${when(buffers, BUFFER)}
}${when(buffers, RULES)}`

const unused = (used: boolean): string => (used ? '' : '_')

const VIEW = `if (!('createView' in range.texture)) return range.texture
  const { viewDimension = '2d' } = entry.texture ?? entry.storageTexture ?? {}
  return range.texture.createView({ dimension: viewDimension })`

const resourceOf = (buffers: boolean, textures: boolean): string => `type LayoutEntry = Layout['entries'][number]

function resourceOf(range: Range | undefined, entry: LayoutEntry, ${unused(buffers)}device: GPUDevice): GPUBindingResource {
  if (range === undefined) throw fail('missing-binding', \`nothing is bound to \${entry.binding}\`)
  ${when(textures, buffers ? `if ('texture' in range) {\n  ${VIEW.replaceAll('\n', '\n  ')}\n  }\n  ` : VIEW)}${when(
    buffers,
    `if (range.size > 0) return { buffer: range.buffer, offset: range.offset, size: range.size }
  // WebGPU binds nothing of size 0; 192 is STORAGE | UNIFORM
  const size = Math.max(16, entry.buffer?.minBindingSize ?? 0)
  return { buffer: device.createBuffer({ size: Math.ceil(size / 4) * 4, usage: 192 }) }`,
  )}
}`

const overlaps = (
  aliases: boolean,
): string => `/** WebGPU lets a dispatch write a buffer or read it, not both, even in different parts. */
function checkOverlaps(ranges: ReadonlyMap<string, Range>${when(aliases, ', alias: readonly [string, string] | null')}): void {
  const placed = bindingList.flatMap(({ name, access }) => {
    const range = ranges.get(name)
    if (!range || !('buffer' in range) || range.size === 0${when(aliases, ' || name === alias?.[0]')}) return []
    return [{ name, writes: access !== 'read', ...range }]
  })
  placed.forEach((a, i) => {
    for (const b of placed.slice(i + 1)) {
      if (a.buffer !== b.buffer || !(a.writes || b.writes)) continue
      const meet = a.offset < b.offset + b.size && b.offset < a.offset + a.size
      if (!meet && a.writes === b.writes) continue
      const how = meet ? 'overlap in' : 'are parts of'
      throw fail('binding-overlap', \`'\${a.name}' and '\${b.name}' \${how} one buffer, which the kernel writes\`)
    }
  })
}`

const ALIAS_OF = `/** The declared pair that was given the same range, if one was. */
function aliasOf(ranges: ReadonlyMap<string, Range>): readonly [string, string] | null {
  const same = ([input, output]: readonly [string, string]): boolean => {
    const [a, b] = [ranges.get(input), ranges.get(output)]
    if (!a || !b || !('buffer' in a) || !('buffer' in b)) return false
    return a.size > 0 && a.buffer === b.buffer && a.offset === b.offset && a.size === b.size
  }
  return artifact.aliases.find(same) ?? null
}`
