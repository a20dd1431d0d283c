import type { Expr, HostExpr, Kernel } from '@weft/dsl/ir'
import { hostExpr } from './launch'
import { convertTo, opOf, splatConst } from './nodes'
import { SPANS, type Span } from './ranges'

/**
 * A launch rule as the kernel computes it, in u32, where the host computes it exactly. A launch has fewer than 2³²
 * workgroups, so the number modulo 2³² is enough, and sums, differences and products may wrap on the way. What is
 * divided or compared may not: a product under a division is divided by its factors, as one divides by hand.
 *
 * Null where that is not enough, as for a product over a param. Where the rule divides by zero, the host refuses to
 * launch, and the number does not matter.
 */
export function countExpr(e: HostExpr, kernel: Kernel): Expr | null {
  return new Count(kernel).modulo(e)
}

const U32 = 2 ** 32 - 1
const I32 = 2 ** 31 - 1

/** Between which integers a value lies; or it is infinite, or NaN, if it is not `finite`. */
interface Known extends Span {
  readonly finite: boolean
}

/** quotient · c + over, the quotient modulo 2³²; `over` and the c − 1 that rounding up adds to it do not wrap. */
interface Split {
  readonly quotient: Expr
  readonly over: Expr
  /** Whether `over` is below c. */
  readonly isRest: boolean
}

const add = (a: Expr, b: Expr): Expr => opOf(-1, 'add', a, b)
const sub = (a: Expr, b: Expr | number): Expr => opOf(-1, 'sub', a, b)
const mul = (a: Expr, b: Expr): Expr => opOf(-1, 'mul', a, b)
const div = (a: Expr, b: Expr): Expr => opOf(-1, 'div', a, b)
const rem = (a: Expr, b: Expr): Expr => opOf(-1, 'rem', a, b)
/** 1 or 0. */
const one = (a: Expr, op: 'ne' | 'lt', type: 'u32' | 'i32'): Expr => convertTo(-1, type, opOf(-1, op, a, 0))

type Division = Extract<HostExpr, { readonly a: HostExpr }>

class Count {
  constructor(readonly kernel: Kernel) {}

  /** Modulo 2³²; the value itself where that is known to fit. */
  modulo(e: HostExpr): Expr | null {
    if (typeof e === 'number') return splatConst('u32', e % 2 ** 32)
    switch (e.kind) {
      case 'param':
      case 'override':
        return this.#typeOf(e) === null ? null : hostExpr(e, this.kernel)
      case 'length':
        return hostExpr(e, this.kernel)
      case 'div':
      case 'ceilDiv':
        return this.#divided(e)
      case 'min':
      case 'max':
        if (![e.a, e.b].every((x) => this.#fits(x) && this.#span(x).finite)) return null
    }
    const [a, b] = [this.modulo(e.a), this.modulo(e.b)]
    return a && b && opOf(-1, e.kind, a, b)
  }

  #divided(e: Division): Expr | null {
    const c = this.#divisor(e.b)
    if (!c) return null
    const up = e.kind === 'ceilDiv'
    const most = this.#span(e.b).high
    const x = this.#fits(e.a) ? this.modulo(e.a) : null
    if (x && up && this.#span(e.a).high + most - 1 <= U32) return div(add(x, sub(c, 1)), c)
    const split = this.#split(e.a, e.b)
    if (!split) return null
    const { quotient, over, isRest } = split
    if (isRest) return up ? add(quotient, one(over, 'ne', 'u32')) : quotient
    return add(quotient, div(up ? add(over, sub(c, 1)) : over, c))
  }

  #divisor(by: HostExpr): Expr | null {
    return this.#fits(by) && this.#span(by).finite ? this.modulo(by) : null
  }

  #split(e: HostExpr, by: HostExpr): Split | null {
    const [value, c] = [this.modulo(e), this.#divisor(by)]
    if (!value || !c) return null
    if (this.#fits(e)) return { quotient: div(value, c), over: rem(value, c), isRest: true }
    if (typeof e === 'number') return null
    if (e.kind === 'param' || e.kind === 'override') return this.#splitSigned(value, by)
    if (e.kind !== 'add' && e.kind !== 'sub' && e.kind !== 'mul') return null
    const most = this.#span(by).high
    if (most > (e.kind === 'mul' ? 2 ** 16 : 2 ** 30)) return null
    const [a, b] = [this.#split(e.a, by), this.#split(e.b, by)]
    const right = this.modulo(e.b)
    if (!a || !b || !right) return null
    const [qa, ra] = reduced(a, c)
    const [qb, rb] = reduced(b, c)
    if (e.kind === 'add') return { quotient: add(qa, qb), over: add(ra, rb), isRest: false }
    if (e.kind === 'sub') return { quotient: sub(sub(qa, qb), 1), over: sub(add(ra, c), rb), isRest: false }
    return { quotient: add(mul(qa, right), mul(ra, qb)), over: mul(ra, rb), isRest: false }
  }

  /** Integers of WGSL are divided towards zero; here, downwards. */
  #splitSigned(value: Expr, by: HostExpr): Split | null {
    if (typeof by !== 'number' || by > I32 || value.kind !== 'convert') return null
    const [x, c] = [value.arg, splatConst('i32', by)]
    const quotient = convertTo(-1, 'u32', sub(div(x, c), one(rem(x, c), 'lt', 'i32')))
    return { quotient, over: sub(value, mul(quotient, splatConst('u32', by))), isRest: true }
  }

  #fits(e: HostExpr): boolean {
    const { low, high } = this.#span(e)
    return low >= 0 && high <= U32
  }

  #typeOf(e: { readonly kind: 'param' | 'override'; readonly name: string }): 'u32' | 'i32' | null {
    const declared: readonly { name: string; type: unknown }[] = this.kernel[`${e.kind}s`]
    const type = declared.find((d) => d.name === e.name)?.type
    return type === 'u32' || type === 'i32' ? type : null
  }

  #span(e: HostExpr): Known {
    if (typeof e === 'number') return { low: e, high: e, finite: true }
    if (e.kind === 'length') return { low: 0, high: U32, finite: true }
    if (e.kind === 'param' || e.kind === 'override') {
      // No device has workgroups of more than a few thousand invocations.
      if (this.kernel.workgroupSize.some((size) => typeof size !== 'number' && size.override === e.name))
        return { low: 1, high: 2 ** 16, finite: true }
      return this.#typeOf(e) === 'i32'
        ? { low: -I32 - 1, high: I32, finite: true }
        : { low: 0, high: U32, finite: true }
    }
    const [a, b] = [this.#span(e.a), this.#span(e.b)]
    return { ...SPANS[e.kind](a, b), finite: a.finite && b.finite && (b.low > 0 || !e.kind.endsWith('iv')) }
  }
}

/** The quotient and the rest. */
const reduced = ({ quotient, over, isRest }: Split, c: Expr): readonly [Expr, Expr] =>
  isRest ? [quotient, over] : [add(quotient, div(over, c)), rem(over, c)]
