import { createHash } from 'node:crypto'
import type { KernelSource } from '@weft/dsl/ir'
import type { CompiledBinding } from '../../artifact'
import type { OutOfRange } from '../../interp'
import type { Comparison } from './compare'
import { numbers } from './execute'

const PREVIEW = 8

/** What is printed of an output. */
export function summary(binding: CompiledBinding, bytes: Uint8Array) {
  const values = numbers(binding, bytes)
  return {
    type: binding.type,
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    preview: [...(values ?? bytes).slice(0, PREVIEW)],
    count: (values ?? bytes).length,
  }
}

/** A warning: engines read some other element, or 0, and leave out what is written. */
export function outOfRangeText(
  { variant, binding, does, index, length, at }: OutOfRange,
  source: KernelSource,
): string {
  const p = at < 0 ? null : source.positions(variant)[at]
  const where = p ? ` at ${p.file}:${p.line}:${p.column}` : ''
  return `'${source.name}' ${does}s '${binding}'${where} at index ${index}, out of range of its ${length} elements`
}

/** What a run is told by. */
export function reportText(
  name: string,
  engine: string,
  ms: number,
  outputs: Readonly<Record<string, ReturnType<typeof summary>>>,
  comparisons: readonly Comparison[],
): string {
  const lines = [`${name} on ${engine}`, `  time     ${ms.toFixed(2)} ms`]
  for (const [output, { type, preview, count, sha256 }] of Object.entries(outputs)) {
    const shown = preview.map((x) => Number(x.toPrecision(6))).join(', ')
    lines.push(
      `  ${output.padEnd(8)} ${type} [${shown}${count > PREVIEW ? `, … ${count} numbers` : ''}]`,
      `  ${''.padEnd(8)} sha256 ${sha256.slice(0, 16)}`,
    )
  }
  for (const { output, against, relative, maxError, index, tolerance, ok } of comparisons) {
    lines.push(
      `  ${ok ? 'ok' : 'FAIL'.padEnd(4)} ${output} against ${against}: largest error ${maxError.toPrecision(3)}${index < 0 ? '' : ` at ${index}`}, relative ${relative.toExponential(2)} of ${tolerance} allowed`,
    )
  }
  return lines.join('\n')
}
