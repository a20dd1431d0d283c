// Installs the software GPUs that the tests run WGSL on, where they are missing and it may: SwiftShader (from Debian's
// and Ubuntu's package `chromium`) for Dawn, lavapipe (`mesa-vulkan-drivers`) for wgpu. Where it may not, or the
// packages do not exist, it says what is missing; the cases of that engine are then skipped by name.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const engines = [
  { name: 'Dawn over SwiftShader', apt: 'chromium', files: ['/usr/lib/chromium/vk_swiftshader_icd.json'] },
  {
    name: 'wgpu over lavapipe',
    apt: 'mesa-vulkan-drivers',
    files: ['/usr/share/vulkan/icd.d/lvp_icd.x86_64.json', '/usr/share/vulkan/icd.d/lvp_icd.json'],
  },
]

const missingEngines = () => engines.filter(({ files }) => !files.some((file) => existsSync(file)))
const succeeds = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** How to call apt-get here: `undefined` where it is not to be had. */
function aptPrefix() {
  if (process.platform !== 'linux' || !succeeds('apt-get', ['--version'])) return undefined
  if (process.getuid?.() === 0) return []
  return succeeds('sudo', ['-n', 'true']) ? ['sudo', '-n'] : undefined
}

function apt(prefix, ...args) {
  const [command, ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
  console.log(`> apt-get ${args.join(' ')}`)
  return spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

function isUbuntu() {
  return existsSync('/etc/os-release') && /^ID=ubuntu$/m.test(readFileSync('/etc/os-release', 'utf8'))
}

function explain(missing, why) {
  for (const { name, apt: pkg } of missing) {
    console.warn(`missing: ${name} (apt-get install ${pkg}); its cases are skipped by name`)
  }
  console.warn(`reason: ${why}`)
  // a shared library that chromium's Ubuntu package, a pointer to the snap, does not bring
  if (isUbuntu()) console.warn("note: Ubuntu's chromium is a snap without SwiftShader's driver file")
}

/** Returns whether all engines are there. */
export function installEngines() {
  const before = missingEngines()
  if (before.length === 0) return true
  if (process.env.WEFT_NO_INSTALL) {
    explain(before, 'WEFT_NO_INSTALL is set')
    return false
  }
  const prefix = aptPrefix()
  if (prefix === undefined) {
    explain(before, 'this is not Debian or Ubuntu, or neither root nor sudo without a password is to be had')
    return false
  }
  console.log(`Installing ${before.map(({ name }) => name).join(' and ')} (once; a few hundred MB for chromium)`)
  apt(prefix, 'update', '-q')
  // one by one, so that a package that does not exist costs its own engine only
  for (const { apt: pkg } of before) apt(prefix, 'install', '-y', '--no-install-recommends', pkg)
  const after = missingEngines()
  if (after.length > 0) explain(after, 'apt-get did not bring the files')
  return after.length === 0
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (installEngines()) console.log('The software engines are installed.')
}
