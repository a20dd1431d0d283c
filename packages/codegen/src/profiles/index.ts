export * from './profiles'
export * from './unsupported'
