#!/usr/bin/env node
import { cli } from './cli'

// `weft show … | head` closes the pipe early, which is no error
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await cli(process.argv.slice(2))
