import type { EFFECTS, PURE } from '../ops'
import type { ValueName } from '../types'
import type { TypeTable } from './type-table'
import type { Arg, Expr } from './types'

// Built-in functions, from the table of pure ops.

type SlotType<S, T extends ValueName> = S extends 'T' | 'TS'
  ? T
  : S extends 'S'
    ? TypeTable[T]['scalar']
    : S extends 'B' | 'BS'
      ? TypeTable[T]['bool']
      : S extends 'U'
        ? TypeTable[T]['u32']
        : S extends 'I'
          ? TypeTable[T]['i32']
          : S extends 'R'
            ? TypeTable[T]['transposed']
            : S extends ValueName
              ? S
              : never

type SlotArgs<I extends readonly unknown[], T extends ValueName> = { [K in keyof I]: Arg<SlotType<I[K], T>> }

/** The TypeScript signature of a row. */
export type Signature<
  R extends { readonly over: readonly ValueName[]; readonly in: readonly unknown[]; readonly out: unknown },
> = R['over'] extends readonly []
  ? (...args: SlotArgs<R['in'], 'u32'>) => Expr<SlotType<R['out'], 'u32'>>
  : <T extends R['over'][number]>(...args: SlotArgs<R['in'], T>) => Expr<SlotType<R['out'], T>>

/** Rows that are operators or halves of one function are reached in another way than by `fn`. */
type NotInFn = {
  [K in keyof typeof PURE]: (typeof PURE)[K]['form'] extends 'call'
    ? (typeof PURE)[K] extends { member: string }
      ? K
      : never
    : K
}[keyof typeof PURE]
export type Functions = {
  readonly [K in keyof typeof PURE as K extends NotInFn ? never : K]: Signature<(typeof PURE)[K]>
}

// Effects that the builder offers, from the table of effects.

type Family<F extends string> = {
  [K in keyof typeof EFFECTS]: (typeof EFFECTS)[K]['family'] extends F ? K : never
}[keyof typeof EFFECTS]

type EffectArgs<I extends readonly unknown[], T extends ValueName> = {
  [K in keyof I]: I[K] extends 'const:u32' ? number : I[K] extends 'uniform:u32' ? Arg<'u32'> : Arg<SlotType<I[K], T>>
}
type EffectSignature<
  R extends { readonly over: readonly ValueName[]; readonly in: readonly unknown[]; readonly out: unknown },
> = R['over'] extends readonly []
  ? (...args: EffectArgs<R['in'], 'u32'>) => Expr<SlotType<R['out'], 'u32'>>
  : <T extends R['over'][number]>(...args: EffectArgs<R['in'], T>) => Expr<SlotType<R['out'], T>>

/** The subgroup and quad operations. */
export type SubgroupOps = { readonly [K in Family<'subgroup' | 'quad'>]: EffectSignature<(typeof EFFECTS)[K]> }
