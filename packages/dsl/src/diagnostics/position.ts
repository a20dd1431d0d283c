import type { Position } from '../ir'

/** Finding the author's line in a stack trace: the innermost frame outside weft's own builder. */

const FRAME = /(?:\(|@|at )((?:file:\/\/|https?:\/\/|\/|[A-Za-z]:[\\/]|webpack)[^()\s]*?):(\d+):(\d+)\)?$/

const url = (): string => {
  try {
    return new URL('..', import.meta.url).href
  } catch {
    return ''
  }
}
/** The folder of this package's code, as URLs and as paths spell it. */
const own = url()
const ownPath = own.startsWith('file://') ? decodeURI(own.slice('file://'.length)) : own

/** Weft's own files as a source map names them, when an app's bundler has swallowed them. */
const WEFT = /(?:@weft|\/packages)\/(?:dsl|codegen)\/(?:src|dist)\//

const isOwn = (file: string): boolean =>
  ((own !== '' && (file.startsWith(own) || file.startsWith(ownPath))) || WEFT.test(file)) &&
  !/\.(test|spec)\.[cm]?[jt]s$/.test(file)

export function parseFrame(line: string): Position | null {
  const found = FRAME.exec(line.trim())
  if (!found) return null
  const [, file = '', row, column] = found
  return { file: file.replace(/^file:\/\//, '').replace(/\?.*$/, ''), line: Number(row), column: Number(column) }
}

/** The author's position in a stack trace, or null where it shows none. */
export function positionOf(stack: string | undefined): Position | null {
  for (const line of (stack ?? '').split('\n')) {
    const frame = parseFrame(line)
    if (frame && !isOwn(frame.file)) return frame
  }
  return null
}

/** The position of the author's call that is running now. */
export function here(): Position | null {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  return positionOf(stack)
}
