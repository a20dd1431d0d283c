import { type Kernel, type KernelSource, serialize } from '@weft/dsl/ir'
import type { CompiledKernel, CompiledVariant, ParamsLayout } from '../artifact'
import { overrideIds } from '../emit'
import { compiledBinding } from '../layout'
import { launchOf } from '../passes/guard'
import { lazy } from './lazy'
import type { CompileOptions } from './options'
import { sha256 } from './sha256'

/** The artifact of a kernel with the variants that were compiled: what they have in common, and what is made when it is asked for. */
export function describe(
  source: KernelSource,
  kernels: ReadonlyMap<string, Kernel>,
  params: ParamsLayout | null,
  variants: readonly CompiledVariant[],
  options: CompileOptions,
): CompiledKernel {
  const kernel = kernels.values().next().value as Kernel
  const ids = overrideIds(kernel)
  const { cost } = source
  const compiled = { format: 1, name: source.name, doc: options.doc ?? '' } as CompiledKernel
  lazy(compiled, 'hash', () => hashOf(compiled))
  Object.assign(compiled, {
    bindings: kernel.bindings.map(compiledBinding),
    params,
    overrides: kernel.overrides.map((o) => ({
      name: o.name,
      type: o.type,
      default: o.default,
      key: String(ids.get(o.name) ?? o.name),
    })),
    launch: launchOf([...kernels.values()]),
    ...(cost && { cost }),
    aliases: kernel.aliases,
    variants,
  } satisfies Omit<CompiledKernel, 'format' | 'name' | 'doc' | 'hash' | 'ir'>)
  lazy(compiled as { ir: Record<string, string> }, 'ir', () =>
    Object.fromEntries([...kernels].map(([name, k]) => [name, serialize(k)])),
  )
  return compiled
}

/** Over all that reaches a device or a caller; not over texts and positions. */
function hashOf(k: CompiledKernel): string {
  const variants = k.variants.map((v) => [
    v.id,
    v.wgsl,
    v.entryPoint,
    v.workgroupSize,
    v.layouts,
    v.slots,
    v.params,
    v.needs,
  ])
  return sha256(JSON.stringify([k.format, k.name, k.bindings, k.params, k.overrides, k.launch, k.aliases, variants]))
}
