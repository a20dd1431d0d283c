// Other libraries as entries of the same contests, in the same run, on the same device: `withPeers(contest, peers)`.
//
// Their GPU time is the sum of their compute passes. That favours them: what lies between passes is left out, and so are
// copies and clears.

import type { Lab } from '../lab'
import type { Absent } from '../results'
import { loadJax } from './jax'
import { loadOrt } from './ort'
import type { LoadPeer, Peer } from './peer'
import { loadTfjs } from './tfjs'
import { loadTorch } from './torch'

export type { Peer } from './peer'

const PEERS: Readonly<Record<string, LoadPeer>> = { ort: loadOrt, tfjs: loadTfjs, jax: loadJax, torch: loadTorch }

/** Loads peers by name (`'all'`, or a list with commas); those that cannot be had are told with the reason. */
export async function loadPeers(lab: Lab, names: string): Promise<{ peers: Peer[]; absent: Absent[] }> {
  const peers: Peer[] = []
  const absent: Absent[] = []
  for (const name of names === 'all' ? Object.keys(PEERS) : names.split(',')) {
    const load = PEERS[name]
    if (!load) throw new Error(`there is no peer '${name}': ${Object.keys(PEERS).join(', ')}`)
    try {
      peers.push(await load(lab))
    } catch (error) {
      absent.push({
        peer: name,
        reason: error instanceof Error ? (error.message.split('\n')[0] as string) : `${error}`,
      })
    }
  }
  return { peers, absent }
}
