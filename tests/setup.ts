import { afterAll } from 'vitest'
import { writeCounts } from './engines/counts.js'

// at the end of each test file, since a vitest worker may be ended before its `exit` event
afterAll(() => writeCounts())
