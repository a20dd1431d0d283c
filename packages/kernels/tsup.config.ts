import { build } from '../../tsup.shared.js'

export default build(import.meta.url, { apart: true })
