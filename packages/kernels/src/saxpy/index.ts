export { type SaxpyArgs, saxpy } from './host'
export { saxpyReference } from './reference'
