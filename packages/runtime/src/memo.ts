/** The value of a key, made when it is first asked for and kept in the table. */
export function memo<K, V>(
  table: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = table.get(key)
  if (value === undefined) table.set(key, (value = make()))
  return value
}
