export * from './codes'
export * from './error'
export * from './known'
export * from './position'
