/** Keys below which a split of its own costs more than it saves: two rounds of a workgroup. */
const LEAST_KEYS = 128
/** Workgroups that fill a large device several times over. */
const ENOUGH = 1024
/** Partial results of more splits would take longer to combine than keys take to read. */
const MOST = 64

/** Into how many splits the keys of attention with one query go: as many as make enough workgroups of its rows, none too short. */
export function chooseDecodeSplits(rows: number, keys: number): number {
  const wanted = Math.ceil(ENOUGH / Math.max(rows, 1))
  return Math.max(1, Math.min(wanted, Math.ceil(keys / LEAST_KEYS), MOST))
}
