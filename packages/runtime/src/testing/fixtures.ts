import type {
  CompiledBinding,
  CompiledKernel,
  CompiledOverride,
  CompiledVariant,
  Executor,
  Launch,
  LaunchRule,
  Needs,
} from '@weft/codegen'
import { shapeOf } from '../lanes'

/** Kernels written by hand, as the compiler would write them, so that the runtime is tested without it. */
export interface Fixture {
  readonly name?: string
  /** The body of `main`, with `gid` (global id), `wid` and `nwg` in scope, and `params` where there are any. */
  readonly body: string
  /** `read array<f32>`, `read_write array<u32>`, `uniform vec4f`, by name. */
  readonly bindings: Readonly<Record<string, string>>
  /** WGSL types by name. */
  readonly params?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, number | null>>
  readonly launch?: LaunchRule | null
  readonly workgroupSize?: number
  readonly aliases?: readonly (readonly [string, string])[]
  readonly needs?: Partial<Needs>
  readonly via?: 'uniform' | 'immediates'
  readonly header?: string
}

const NO_NEEDS: Needs = { features: [], languageFeatures: [], limits: {}, alias: null }
export const linear = (...e: LaunchRule['workgroups']): LaunchRule => ({
  dimensions: e.length as 1 | 2 | 3,
  folds: e.length === 1,
  workgroups: e,
})
export const param = (name: string) => ({ kind: 'param', name }) as const

function bindingOf([name, text]: readonly [string, string]): CompiledBinding {
  const at = text.indexOf(' ')
  const access = text.slice(0, at)
  const type = text.slice(at + 1)
  const element = /^array<(\w+)>$/.exec(type)?.[1]
  const shape = shapeOf(element ?? type)
  const stride = shape ? Math.ceil(shape.size / shape.align) * shape.align : 4
  return {
    name,
    kind: access === 'uniform' ? 'uniform' : 'storage',
    access: access === 'read_write' ? 'read_write' : access === 'write' ? 'write' : 'read',
    type,
    element: element ? { type: element, stride } : null,
    minBindingSize: element ? stride : (shape?.size ?? 4),
    writes: access === 'write' ? 'full' : access === 'read_write' ? 'partial' : null,
  }
}

function paramsOf(params: Readonly<Record<string, string>>): CompiledKernel['params'] {
  let end = 0
  const fields = Object.entries(params).map(([name, type]) => {
    const { size, align } = shapeOf(type) ?? { size: 4, align: 4 }
    const offset = Math.ceil(end / align) * align
    end = offset + size
    return { name, type, offset, size }
  })
  return fields.length > 0 ? { size: Math.ceil(end / 16) * 16, fields } : null
}

/** The source; with a merged alias the input is the output's variable. */
function wgslOf(fixture: Fixture, bindings: readonly CompiledBinding[], merged: string | null): string {
  const { body, params = {}, overrides = {}, workgroupSize = 64, via = 'uniform', header = '' } = fixture
  const own = bindings.filter(({ name }) => name !== merged)
  const lines = own.map(({ name, kind, access, type }, i) => {
    const space = kind === 'uniform' ? 'uniform' : `storage, ${access === 'read' ? 'read' : 'read_write'}`
    return `@group(0) @binding(${i}) var<${space}> ${name}: ${type};`
  })
  if (Object.keys(params).length > 0) {
    lines.push(
      `struct Params { ${Object.entries(params)
        .map(([n, t]) => `${n}: ${t}`)
        .join(', ')} }`,
    )
    lines.push(
      via === 'uniform'
        ? `@group(0) @binding(${own.length}) var<uniform> params: Params;`
        : 'var<immediate> params: Params;',
    )
  }
  for (const [name, value] of Object.entries(overrides))
    lines.push(`override ${name}: u32${value === null ? '' : ` = ${value}`};`)
  const args =
    '@builtin(global_invocation_id) gid: vec3u, @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) nwg: vec3u'
  return `${header}${lines.join('\n')}\n\n@compute @workgroup_size(${workgroupSize})\nfn main(${args}) {\n${body}\n}\n`
}

function variantOf(fixture: Fixture, bindings: readonly CompiledBinding[], alias: Needs['alias']): CompiledVariant {
  const { name = 'fixture', params, via = 'uniform', workgroupSize = 64 } = fixture
  const own = bindings.filter((binding) => binding.name !== alias?.[0])
  const slots = own.map((binding, i) => ({ name: binding.name, group: 0, binding: i }))
  const merged = alias
    ? slots.filter((slot) => slot.name === alias[1]).map((slot) => ({ ...slot, name: alias[0] }))
    : []
  const entries = own.map(({ kind, access, minBindingSize }, binding) => ({
    binding,
    visibility: 4 as const,
    buffer: {
      type: kind === 'uniform' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage',
      minBindingSize,
    } as const,
  }))
  const size = paramsOf(params ?? {})?.size
  const block =
    size && via === 'uniform'
      ? [{ binding: own.length, visibility: 4 as const, buffer: { type: 'uniform' as const, minBindingSize: size } }]
      : []
  const wgsl = wgslOf(fixture, bindings, alias?.[0] ?? null)
  return {
    id: alias ? `portable+${alias.join('=')}` : 'portable',
    source: 'portable',
    needs: { ...NO_NEEDS, ...fixture.needs, alias },
    wgsl: alias ? wgsl.replaceAll(`${alias[0]}[`, `${alias[1]}[`) : wgsl,
    entryPoint: 'main',
    workgroupSize: [workgroupSize, 1, 1],
    layouts: [{ label: name, entries: [...entries, ...block] }],
    slots: [...merged, ...slots],
    params: size ? (via === 'uniform' ? { via, group: 0, binding: own.length } : { via }) : null,
    sourceMap: { files: ['kernels/fixture.ts'], lines: wgsl.split('\n').map((_, i) => [0, 100 + i, 3]) },
  }
}

export function fixture(f: Fixture): CompiledKernel {
  const bindings = Object.entries(f.bindings).map(bindingOf)
  const aliases = f.aliases ?? []
  const overrides = Object.entries(f.overrides ?? {}).map(
    ([name, value]): CompiledOverride => ({ name, type: 'u32', default: value, key: name }),
  )
  return {
    format: 1,
    name: f.name ?? 'fixture',
    doc: '',
    hash: '',
    bindings,
    params: paramsOf(f.params ?? {}),
    overrides,
    launch: f.launch === undefined ? linear({ kind: 'ceilDiv', a: param('n'), b: f.workgroupSize ?? 64 }) : f.launch,
    aliases,
    variants: [null, ...aliases].map((alias) => variantOf(f, bindings, alias)),
  }
}

/** y = a·x + y, y in place. */
export const saxpy = fixture({
  name: 'saxpy',
  bindings: { x: 'read array<f32>', y: 'read_write array<f32>' },
  params: { n: 'u32', a: 'f32' },
  body: '  if (gid.x < params.n) { y[gid.x] = params.a * x[gid.x] + y[gid.x]; }',
})

/** out[i] = value for i < n. */
export const fill = fixture({
  name: 'fill',
  bindings: { out: 'write array<u32>' },
  params: { n: 'u32', value: 'u32' },
  body: '  if (gid.x < params.n) { out[gid.x] = params.value; }',
})

/** out[i] = x[i] + 1; x may be out. */
export const increment = fixture({
  name: 'increment',
  bindings: { x: 'read array<u32>', out: 'write array<u32>' },
  params: { n: 'u32' },
  aliases: [['x', 'out']],
  body: '  if (gid.x < params.n) { out[gid.x] = x[gid.x] + 1u; }',
})

/** Something that no compiler accepts. */
export const broken = fixture({
  name: 'broken',
  bindings: { out: 'write array<u32>' },
  params: { n: 'u32' },
  body: '  out[0] = 1.5;',
})

/** An executor that runs the given functions in place of kernels. */
export function fakeCpu(
  kernels: Readonly<Record<string, (launch: Launch, overrides: Readonly<Record<string, number>>) => void>>,
): Executor & { readonly launches: Launch[] } {
  const launches: Launch[] = []
  return {
    kind: 'cpu',
    name: 'fake',
    features: ['shader-f16'],
    languageFeatures: [],
    subgroupSize: 4,
    limits: {
      maxBufferSize: 2 ** 28,
      maxStorageBufferBindingSize: 2 ** 27,
      maxUniformBufferBindingSize: 65536,
      minStorageBufferOffsetAlignment: 256,
      minUniformBufferOffsetAlignment: 256,
      maxComputeWorkgroupsPerDimension: 65535,
    },
    launches,
    prepare: (kernel, _variant, overrides) => ({
      run(launch) {
        launches.push(launch)
        kernels[kernel.name]?.(launch, overrides)
      },
    }),
  }
}

/** A binding's range as an array, for the functions of `fakeCpu`. */
export const as = <T>(
  type: new (buffer: ArrayBuffer, at: number, length: number) => T,
  launch: Launch,
  name: string,
): T => {
  const bytes = launch.bindings[name] as Uint8Array<ArrayBuffer>
  return new type(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
