export * from './kernel'
export * from './launch'
export * from './nodes'
export * from './walk'
