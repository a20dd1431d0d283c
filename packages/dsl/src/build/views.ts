import { fail } from './fail'
import { type Handle, STATE } from './handle'
import { liftIndex } from './lift'
import { bytesOrElements, readReference, rootPlace } from './place'
import { typeFrom } from './schema'

/** The methods of untyped buffers: memory that is seen through views. */

/** The bytes from `offset` on as one `schema`. */
export function view(buffer: Handle, schema: unknown, offset: unknown): Handle {
  const { home, place, access, label } = buffer[STATE]
  const { session } = home
  const name =
    place?.root.kind === 'binding' ? place.root.name : fail('bad-type', 'only a binding can be seen through views')
  const type = typeFrom(schema, `the view of ${label}`)
  const root = Object.freeze({ kind: 'view' as const, name, type, offset: liftIndex(offset, null, session, label) })
  return readReference(rootPlace(root, type), session, access, `a view of ${label}`)
}

export function byteLength(buffer: Handle): Handle {
  const { home, place, label } = buffer[STATE]
  return bytesOrElements(place as NonNullable<typeof place>, home, `the size of ${label}`)
}
