export * from './codes'
export * from './error'
export * from './position'
