import { fault, type WeftError } from '../errors'
import type { Part, Recorded } from './parts'
import { scoped } from './scopes'

const failed = (title: string, text: string, others: readonly string[]): WeftError =>
  fault(
    'dispatch-failed',
    `${title}: ${text}`,
    others.length > 0 ? `in the same submit, and so not done either: ${others.join(', ')}` : undefined,
  )

/** Names in the order of first use, a few of them. */
function few(parts: readonly { readonly title: string }[]): string[] {
  const all = [...new Set(parts.map(({ title }) => title))]
  return all.length > 8 ? [...all.slice(0, 8), `${all.length - 8} more`] : all
}

/**
 * The error of a rejected submit, with the name of the part that is at fault. A submit is rejected as a whole, and what
 * the device says about it need not tell which part it means, so each is recorded once more alone, with no workgroups:
 * the device checks it and runs nothing.
 */
export async function blame(device: GPUDevice, recorded: Recorded, text: string): Promise<WeftError> {
  const parts = recorded.flat()
  const [only] = parts
  if (parts.length === 1 && only) return failed(only.title, text, [])
  return (await suspect(device, recorded, text)) ?? failed(few(parts).join(', '), text, [])
}

/** The error of the first part that the device rejects by itself, or null. */
export async function suspect(device: GPUDevice, recorded: Recorded, text: string): Promise<WeftError | null> {
  const parts = recorded.flat()
  const errors = await Promise.all(parts.map((part) => rehearse(device, part)))
  const at = errors.findIndex((error) => error !== null)
  const guilty = parts[at]
  if (!guilty) return null
  return failed(guilty.title, errors[at]?.message ?? text, few(parts.filter(({ title }) => title !== guilty.title)))
}

function rehearse(device: GPUDevice, part: Part): Promise<GPUError | null> {
  const { error } = scoped(device, ['validation'], () => {
    const encoder = device.createCommandEncoder({ label: 'weft rehearsal' })
    if ('rehearse' in part) part.rehearse(encoder)
    else {
      const pass = encoder.beginComputePass()
      pass.setPipeline(part.pipeline)
      for (const [i, group] of part.groups.entries()) pass.setBindGroup(i, group)
      if (part.immediates) pass.setImmediates(0, part.immediates)
      pass.dispatchWorkgroups(0)
      pass.end()
    }
    device.queue.submit([encoder.finish()])
  })
  return error
}

/** The error of bind groups that were made together: each is made once more alone. */
export async function blameGroups(
  device: GPUDevice,
  made: readonly { readonly title: string; readonly groups: readonly GPUBindGroupDescriptor[] }[],
  text: string,
): Promise<WeftError> {
  const errors = await Promise.all(
    made.map(
      ({ groups }) =>
        scoped(device, ['validation'], () => void groups.map((each) => device.createBindGroup(each))).error,
    ),
  )
  const at = errors.findIndex((error) => error !== null)
  const guilty = made[at]
  if (!guilty) return failed(few(made).join(', '), text, [])
  return failed(guilty.title, errors[at]?.message ?? text, few(made.filter(({ title }) => title !== guilty.title)))
}
