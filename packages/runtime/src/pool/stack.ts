/** Files of this package, in sources and in a build: their frames say nothing to the author. */
const OWN = /[\\/](?:packages[\\/]runtime[\\/]src|@weft[\\/]runtime[\\/]dist|packages[\\/]runtime[\\/]dist)[\\/]/

const isOwn = (frame: string): boolean => OWN.test(frame) && !frame.includes('.test.')

/** Where the author's code called into this package: the stack without its first frames, which are ours. */
export function stackBelow(): string {
  const frames = (new Error().stack ?? '').split('\n').filter((line) => /^\s*at |@/.test(line))
  const first = frames.findIndex((frame) => !isOwn(frame))
  return frames
    .slice(Math.max(first, 0))
    .map((frame) => frame.trim())
    .join('\n')
}
