export { type KvAppendArgs, type KvGrowArgs, kvAppend, kvGrow } from './host'
export { type KvAppendReferenceArgs, kvAppendReference } from './reference'
