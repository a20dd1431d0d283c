/**
 * The CPU interpreter: the reference semantics of weft. A kernel is compiled to JavaScript and gives the same bits on
 * every machine: f32 and f16 are rounded after every operation, integers wrap, invocations run in the order of their
 * local index, workgroups in that of their linear index.
 *
 * The way there: expand.ts (functions into their callers) → sync.ts, uniform.ts (who waits, what is the same for all)
 * → plan.ts (the workgroup's control flow, with masks where it diverges) → schedule.ts (segments: loops over the
 * invocations between two waits) → spill.ts (what outlives a segment) → lockstep.ts, statements.ts, expressions.ts
 * (JavaScript) → prepare.ts (a run).
 *
 * Where WGSL leaves a choice, this is it:
 * - an index out of range reads the last element (a negative one is a large u32) and writes nothing; an atomic there
 *   changes nothing and gives 0; texels and elements of subgroup matrices outside are zeros;
 * - floats convert to integers by truncation, at most to the greatest value that both types have, NaN to 0; `min`,
 *   `max` and the like are as their rows have them; `fma` is not fused; reductions go in the order of the
 *   invocations, rounded at each step;
 * - a subgroup is so many consecutive invocations by local index, the last may be partial; who has diverged takes no
 *   part and comes back where the construct ends; a value from a lane that is inactive or outside is the own value;
 * - a barrier that not all invocations of the workgroup reach is an error, `divergent-barrier`;
 * - padding is never written; a compare-exchange does not fail spuriously.
 */
export type { BoundTexture, Executable, Executor, Launch } from '../executor'
export { type CpuOptions, cpu } from './cpu'
export type { OutOfRange } from './memory'
export { interpret, type Prepared, type PrepareOptions, prepare, type RunOptions } from './prepare'
