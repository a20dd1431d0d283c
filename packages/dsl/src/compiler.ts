/** `@weft/dsl/ir`: what compilers and tools need — the IR, the op tables, types and layouts, validation, printing. */
export * from './diagnostics'
export * from './ir'
export * from './ops'
export * from './types'
export * from './validate'
