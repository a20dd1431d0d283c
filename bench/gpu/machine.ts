// What a run ran on, for the report.

import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import packages from '../../package.json'

export interface Machine {
  /** of the GPU: 'NVIDIA H200' */
  readonly name: string
  readonly vendor: string
  readonly driver: string
  /** Whether the adapter computes on the CPU: its figures say nothing of a GPU. */
  readonly software: boolean
  readonly dawn: string
  readonly node: string
  readonly cores: number
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe/i

/** NVIDIA's own tool knows the name and the version of the driver in full. */
function fromNvidia(): { readonly name: string; readonly driver: string } | null {
  try {
    const args = ['--query-gpu=name,driver_version', '--format=csv,noheader']
    const [name, driver] = execFileSync('nvidia-smi', args, { encoding: 'utf8', stdio: 'pipe' }).split(/[,\n]/)
    return name && driver ? { name: name.trim(), driver: driver.trim() } : null
  } catch {
    return null
  }
}

export function machineOf({ vendor, description, device }: GPUAdapterInfo): Machine {
  const software = SOFTWARE.test(`${description} ${device}`)
  const version = /\d+(\.\d+)+/.exec(description)?.[0] ?? 'unknown'
  const named = (!software && fromNvidia()) || { name: software ? description : device || description, driver: version }
  return {
    ...named,
    vendor,
    software,
    dawn: packages.devDependencies.webgpu,
    node: process.versions.node,
    cores: cpus().length,
  }
}
