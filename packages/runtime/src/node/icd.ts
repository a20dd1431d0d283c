import { existsSync, readdirSync } from 'node:fs'
import { platform } from 'node:process'

/** SwiftShader as Debian's and Ubuntu's `chromium` install it. */
const SWIFTSHADER = ['/usr/lib/chromium/vk_swiftshader_icd.json', '/usr/lib/chromium-browser/vk_swiftshader_icd.json']

/** Whether the kernel shows a GPU: a render node, NVIDIA's device, or the one of WSL. */
function hasGpu(): boolean {
  if (existsSync('/dev/nvidia0') || existsSync('/dev/dxg')) return true
  try {
    return readdirSync('/dev/dri').some((name) => name.startsWith('renderD'))
  } catch {
    return false
  }
}

/**
 * The Vulkan driver to name to the loader: SwiftShader, on Linux without a GPU where nobody has named another. With a
 * GPU, or with `VK_ICD_FILENAMES` or `VK_DRIVER_FILES` set, the loader's own choice stands (undefined).
 */
export function softwareDriver(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (platform !== 'linux' || env.VK_ICD_FILENAMES !== undefined || env.VK_DRIVER_FILES !== undefined || hasGpu())
    return undefined
  return SWIFTSHADER.find((path) => existsSync(path))
}
