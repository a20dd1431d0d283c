import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { RuntimeInfo } from '@weft/runtime'
import type { DeviceClass, TunedShape, TuningFile } from '../../tune/results'
import type { Shape } from '../../tune/tunable'
import { CommandError } from '../command'
import { textOf } from '../errors'

export const deviceClassOf = ({
  vendor,
  architecture,
  device,
  adapter,
  backend,
  software,
}: RuntimeInfo): DeviceClass => ({
  vendor,
  architecture,
  device,
  adapter,
  backend,
  software: software || backend === 'cpu',
})

type Of = Pick<TunedShape, 'family' | 'type' | 'shape'>

const sameShape = (a: Shape, b: Shape): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, size]) => b[name] === size)

const same = (a: Of, b: Of): boolean => a.family === b.family && a.type === b.type && sameShape(a.shape, b.shape)

/** The results of a run. With a path they are a file as well, which is whole whenever the process ends. */
export class Results {
  #file: TuningFile

  private constructor(
    readonly path: string | null,
    file: TuningFile,
  ) {
    this.#file = file
  }

  /** Throws where the file that is to be gone on with is none, or one of another device. */
  static open(path: string | null, resume: boolean, device: DeviceClass, clock: TuningFile['clock']): Results {
    const empty: TuningFile = { format: 1, kind: 'weft-tuning', device, clock, results: [] }
    if (path === null || !resume || !existsSync(path)) return new Results(path, empty)
    const file = readTuning(path)
    const differs = (['vendor', 'architecture', 'device', 'adapter', 'backend'] as const).find(
      (key) => file.device[key] !== device[key],
    )
    const other = differs
      ? `${differs} '${file.device[differs]}'`
      : file.clock === clock
        ? null
        : `the clock '${file.clock}'`
    if (other !== null) {
      const here = differs ? device[differs] : clock
      throw new CommandError(
        'other-device',
        `${basename(path)} holds results of ${other}, here it is '${here}'`,
        'give another file by --out',
      )
    }
    return new Results(path, file)
  }

  get file(): TuningFile {
    return this.#file
  }

  find(of: Of): TunedShape | undefined {
    return this.#file.results.find((result) => same(result, of))
  }

  /** Puts a result in the place of an earlier one, and writes the file. */
  put(result: TunedShape): void {
    const { results } = this.#file
    const at = results.findIndex((other) => same(other, result))
    this.#file = {
      ...this.#file,
      results: at < 0 ? [...results, result] : results.map((other, i) => (i === at ? result : other)),
    }
    if (this.path !== null) writeWhole(this.path, `${JSON.stringify(this.#file, null, 1)}\n`)
  }
}

/** A file is there as it was or as it will be, and never in between: it is written beside, and then takes the place. */
function writeWhole(path: string, text: string): void {
  const beside = join(dirname(path), `.${basename(path)}.${process.pid}`)
  try {
    writeFileSync(beside, text)
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    // the system's words name the file beside, which nobody has asked for
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError('not-written', `the results cannot be written to '${path}': ${code ?? textOf(error)}`)
  }
}

export function readTuning(path: string): TuningFile {
  const note = 'give another file by --out, or leave --resume out'
  let file: Partial<TuningFile> | null
  try {
    file = JSON.parse(readFileSync(path, 'utf8')) as Partial<TuningFile> | null
  } catch (error) {
    throw new CommandError('bad-results', `${basename(path)} cannot be read: ${textOf(error)}`, note)
  }
  if (file?.kind === 'weft-tuning' && file.format === 1 && file.device && Array.isArray(file.results))
    return file as TuningFile
  throw new CommandError('bad-results', `${basename(path)} is no file of weft tune`, note)
}
