/**
 * What a user of the packages writes, type-checked against the packed packages in every set-up of packaging.test.ts.
 * It uses no other global than `GPUDevice` and the like.
 */
import * as codegen from '@weft/codegen'
import * as interp from '@weft/codegen/interp'
import * as dsl from '@weft/dsl'
import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import * as runtime from '@weft/runtime'
import * as node from '@weft/runtime/node'

export const packages = { dsl, codegen, interp, runtime, node, kernels, source }

export const labelOf = (device: GPUDevice): string => device.label
