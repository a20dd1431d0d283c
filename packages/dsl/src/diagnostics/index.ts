export * from './codes'
export * from './error'
