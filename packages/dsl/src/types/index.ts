export * from './layout'
export * from './names'
export * from './type'
export * from './float'
