/** A case on the interpreter. Subgroups have 4 invocations there, as on SwiftShader; tests/device sets another size. */
import type { CompiledKernel } from '@weft/codegen'
import { interpret } from '@weft/codegen/interp'
import type { Kernel } from '@weft/dsl/ir'
import type { ParityCase } from './case.js'
import { type Memory, memoryOf, packParams, workgroupsOf } from './jobs.js'

const subgroupSize = (): number => Number(process.env.WEFT_SUBGROUP_SIZE ?? 4)

/** `lowered`: the passes have made the params what they are in the uniform block, four scalars of an array to a vec4. */
export function interpretCase(c: ParityCase, ir: Kernel, artifact: CompiledKernel, lowered: boolean): Memory {
  const memory = memoryOf(c)
  interpret(ir, {
    bindings: memory,
    params: packParams(artifact, c),
    layout: lowered ? null : artifact.params,
    workgroups: workgroupsOf(artifact, c),
    overrides: c.overrides ?? {},
    subgroupSize: ir.subgroupSize ?? c.subgroupSize ?? subgroupSize(),
  })
  return memory
}
