#!/usr/bin/env node
import { cli } from './cli'

process.exitCode = await cli(process.argv.slice(2))
