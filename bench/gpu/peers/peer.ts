// What a peer is: a library that knows some of the problems and joins their contests.

import type { Contest, Entry, Opened } from '../contest'
import { dimsOf } from '../dims'
import type { Lab } from '../lab'

export interface Peer {
  /** name and version: `'tfjs 4.22.0'` */
  readonly label: string
  /** Its entry for a contest, or null where it knows nothing of such a problem. */
  readonly entry: (contest: Contest) => Entry | null
  close?(): unknown
}

/** Loads a peer on the device of the lab; throws where it cannot be had. */
export type LoadPeer = (lab: Lab) => Promise<Peer>

/** The outputs of a problem that its kind has: an entry of ours may give more. */
export function outputsOf(contest: Contest): Contest['outputs'] {
  const dims = dimsOf(contest)
  return Object.fromEntries(Object.entries(contest.outputs).filter(([name]) => name in dims))
}

/** The one output of a problem that has one. */
export function outputOf(contest: Contest): string {
  const names = Object.keys(outputsOf(contest))
  if (names.length !== 1) throw new Error(`it gives one result, and '${contest.name}' has ${names.length}`)
  return names[0] as string
}

export const needsType = ({ dtype = 'f32' }: Contest, known: readonly string[]): void => {
  if (!known.includes(dtype)) throw new Error(`it has no ${dtype}`)
}

/** The contest with the entries of all peers that know the problem. They see it under the names of `kinds.ts`. */
export function withPeers(contest: Contest, peers: readonly Peer[]): Contest {
  const known = renamed(contest)
  const more = peers.map((peer) => peer.entry(known)).filter((entry): entry is Entry => entry !== null)
  const usual = usualNames(contest)
  const entries = more.map(({ name, open }) => ({
    name,
    open: async (lab: Lab): Promise<Opened> => {
      const opened = await open(lab, known)
      return { ...opened, read: (name, first, count) => opened.read(usual.get(name) ?? name, first, count) }
    },
  }))
  return { ...contest, entries: [...contest.entries, ...entries] }
}

/** The name of `kinds.ts` by the contest's own. */
const usualNames = ({ names = {} }: Contest): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([usual, own]) => [own, usual]))

function renamed(contest: Contest): Contest {
  const { inputs, outputs } = contest
  const usual = usualNames(contest)
  const under = <T>(arrays: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(arrays).map(([own, array]) => [usual.get(own) ?? own, array]))
  return { ...contest, inputs: under(inputs), outputs: under(outputs) }
}
