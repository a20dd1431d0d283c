/** An adapter's limits as plain data. They are getters: own properties of the object on Dawn, of its prototype in Deno. */
export function limitsOf({ limits }: GPUAdapter): Record<string, number> {
  const out: Record<string, number> = {}
  for (const owner of [limits, Object.getPrototypeOf(limits) as object]) {
    for (const name of [...Object.getOwnPropertyNames(owner), ...enumerated(owner)]) {
      const value = (limits as unknown as Record<string, unknown>)[name]
      if (typeof value === 'number') out[name] = value
    }
  }
  return out
}

function enumerated(object: object): string[] {
  const names: string[] = []
  for (const name in object) names.push(name)
  return names
}
