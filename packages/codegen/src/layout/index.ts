export * from './alias'
export * from './params'
export * from './slots'
