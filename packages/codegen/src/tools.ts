/** `@weft/codegen/tools`: a look at how kernels are compiled, for the CLI and for tests; no app needs it. */
export { explain } from './compile/explain'
export { runPasses } from './compile/pipeline'
export { type ShowOptions, show } from './compile/show'
export { PASSES, type Pass, type PassName } from './passes'
export type { DeviceClass, Refused, Timed, TunedShape, TuningFile } from './tune/results'
export type { Choices, Content, Expected, Numbers, Problem, Shape, Tunable, TuneFacts } from './tune/tunable'
