import type { Effect, Expr, Loop, Range, Result, Stmt } from '@weft/dsl/ir'

/**
 * The plan of a kernel: what the workgroup does as a whole, in order. Between two points where invocations wait for
 * each other lies a *segment*, a loop over the invocations. Around them stands ordinary control flow where all
 * invocations take the same way; where they may not, a *mask* says which ones take part.
 */

/** A mask by number: a byte for each invocation. */
export type Mask = number

/** A jump to something outside a segment: a JavaScript statement that all take together, or masks to leave. */
export type Target = { readonly code: string } | { readonly masks: readonly Mask[] }

/** Where a segment stands: who takes part, and where jumps lead. */
export interface Region {
  /** null: all invocations. */
  readonly mask: Mask | null
  readonly break: Target | null
  readonly continue: Target | null
  readonly return: Target | null
  /** What a return in this region sets. */
  readonly returns: Result | null
}

/** What an invocation does in a segment. */
export type Item =
  | { readonly kind: 'stmt'; readonly stmt: Stmt }
  | { readonly kind: 'set'; readonly result: Result; readonly value: Expr }
  /** Takes part in `yes` or in `no`. */
  | { readonly kind: 'split'; readonly test: Expr; readonly yes: Mask; readonly no: Mask }
  /** Leaves `mask` when `test` is not `when`. */
  | { readonly kind: 'stay'; readonly test: Expr; readonly when: boolean; readonly mask: Mask }

/** `per`: done by each invocation, or once for each subgroup (for subgroup matrices). */
export interface Segment {
  readonly kind: 'segment'
  readonly id: number
  readonly region: Region
  readonly per: 'invocation' | 'subgroup'
  readonly items: readonly Item[]
}

/** An item that has not been put into a segment yet. */
export interface Loose {
  readonly kind: 'loose'
  readonly region: Region
  readonly per: 'invocation' | 'subgroup'
  readonly item: Item
}

export type Step =
  | Segment
  | Loose
  /** Done once, for all. */
  | { readonly kind: 'once'; readonly item: Item }
  | { readonly kind: 'barrier'; readonly at: number; readonly mask: Mask | null }
  /** A subgroup operation on values that were put where all can see them. */
  | { readonly kind: 'exchange'; readonly effect: Effect; readonly args: readonly Result[]; readonly mask: Mask | null }
  | { readonly kind: 'clear'; readonly mask: Mask }
  | { readonly kind: 'copy'; readonly to: Mask; readonly from: Mask | null }
  | { readonly kind: 'ifAny'; readonly mask: Mask; readonly steps: readonly Step[] }
  | { readonly kind: 'forever'; readonly label: string; readonly steps: readonly Step[] }
  | { readonly kind: 'leaveUnlessAny'; readonly mask: Mask; readonly label: string }
  | { readonly kind: 'if'; readonly test: Expr; readonly then: readonly Step[]; readonly else: readonly Step[] }
  | { readonly kind: 'range'; readonly stmt: Range; readonly label: string; readonly steps: readonly Step[] }
  | {
      readonly kind: 'loop'
      readonly stmt: Loop
      readonly label: string
      readonly header: readonly Step[]
      readonly body: readonly Step[]
      readonly continuing: readonly Step[]
    }
  | { readonly kind: 'block'; readonly label: string; readonly steps: readonly Step[] }
  | { readonly kind: 'jump'; readonly code: string }

/** The steps nested in a step. */
export function stepsIn(s: Step): readonly (readonly Step[])[] {
  switch (s.kind) {
    case 'ifAny':
    case 'forever':
    case 'range':
    case 'block':
      return [s.steps]
    case 'if':
      return [s.then, s.else]
    case 'loop':
      return [s.header, s.body, s.continuing]
    default:
      return []
  }
}

/** Rebuilds a step with its nested lists mapped. */
export function mapSteps(s: Step, f: (steps: readonly Step[]) => readonly Step[]): Step {
  switch (s.kind) {
    case 'ifAny':
    case 'forever':
    case 'range':
    case 'block':
      return { ...s, steps: f(s.steps) }
    case 'if':
      return { ...s, then: f(s.then), else: f(s.else) }
    case 'loop':
      return { ...s, header: f(s.header), body: f(s.body), continuing: f(s.continuing) }
    default:
      return s
  }
}

export function forEachStep(steps: readonly Step[], visit: (s: Step) => void): void {
  for (const s of steps) {
    visit(s)
    for (const inner of stepsIn(s)) forEachStep(inner, visit)
  }
}
