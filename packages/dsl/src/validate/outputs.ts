import type { Context } from './context'

/** Outputs that no statement writes. What is written was collected with the places. */
export function checkOutputs(context: Context): void {
  for (const b of context.kernel.bindings) {
    if (b.access !== 'write' || context.written.has(b.name)) continue
    context.report(
      'unwritten-output',
      `'${b.name}' is an output and nothing writes it`,
      undefined,
      'write it, or leave the binding out',
    )
  }
}
