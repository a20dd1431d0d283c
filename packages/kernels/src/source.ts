/** `@weft/kernels/source`: the kernels as DSL values, and the factories that specialize them. */
export * from './families'
export { kernelSource, kernelSources } from './kernel-source'
