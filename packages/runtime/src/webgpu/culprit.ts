import { fault, quoted, textOf, type WeftError } from '../errors'
import type { Part as Bytes } from '../memory'
import type { Block } from '../pool/pool'
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
    if ('encode' in part) part.encode(encoder, 0)
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

/** An error that no scope has caught, with the name of the first of the suspects that is to blame. */
export async function firstCulprit(suspects: Set<Suspect>, text: string): Promise<WeftError> {
  const all = [...suspects]
  suspects.clear()
  for (const one of all) {
    const error = await one.examine(text)
    if (error) return error
  }
  return fault('dispatch-failed', text)
}

/** Something that may be the reason of an error. */
interface Suspect {
  examine(text: string): Promise<WeftError | null>
}

/** Why a readback failed: the device had no staging buffer, did not take the submit, or did not map the bytes. */
export async function readbackError(
  parts: Iterable<Bytes>,
  staging: Block,
  error: Promise<{ readonly message: string } | null>,
  failure: unknown,
): Promise<WeftError> {
  // nobody else has the staging buffer, so an aborted mapping means that the device is gone
  if ((failure as Error).name === 'AbortError') return fault('device-lost', 'the device was lost during a readback')
  const text = (await staging.failure) ?? (await error)?.message ?? textOf(failure)
  const labels = [...new Set([...parts].map(({ memory }) => memory.label))]
  return fault('dispatch-failed', `the readback of ${quoted(labels)} failed: ${text}`)
}
