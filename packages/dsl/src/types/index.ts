export * from './float'
export * from './layout'
export * from './names'
export * from './type'
