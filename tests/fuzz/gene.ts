/**
 * A random kernel as plain data. A gene says nothing of types: whoever builds it asks for an expression of a type, and
 * takes from the gene which of the possible ones. So every gene is a valid kernel, and so is everything that it shrinks
 * to.
 */
import fc from 'fast-check'

export interface ExprGene {
  /** Chooses the operation, modulo the number of those that there are. */
  readonly pick: number
  /** Chooses a leaf, an index, a literal. */
  readonly leaf: number
  readonly args: readonly ExprGene[]
}

export interface StmtGene {
  readonly pick: number
  readonly leaf: number
  readonly exprs: readonly ExprGene[]
  readonly body: readonly StmtGene[]
  readonly other: readonly StmtGene[]
}

export interface KernelGene {
  /** Invocations of a workgroup: 1 << size. */
  readonly size: number
  readonly groups: number
  /** Seeds the contents of the inputs. */
  readonly data: number
  readonly functions: readonly {
    readonly leaf: number
    readonly body: readonly StmtGene[]
    readonly result: ExprGene
  }[]
  readonly body: readonly StmtGene[]
}

const small = fc.nat(1000)

const leaf: fc.Arbitrary<ExprGene> = fc.record({ pick: small, leaf: small, args: fc.constant([]) })
const exprOf = (depth: number): fc.Arbitrary<ExprGene> =>
  depth === 0
    ? leaf
    : fc.oneof(
        { weight: 1, arbitrary: leaf },
        {
          weight: 3,
          arbitrary: fc.record({
            pick: small,
            leaf: small,
            args: fc.array(exprOf(depth - 1), { minLength: 1, maxLength: 3 }),
          }),
        },
      )
const expr = exprOf(3)

const stmt = (depth: number): fc.Arbitrary<StmtGene> =>
  fc.record({
    pick: small,
    leaf: small,
    exprs: fc.array(expr, { minLength: 1, maxLength: 2 }),
    body: depth > 0 ? fc.array(stmt(depth - 1), { maxLength: 4 }) : fc.constant([]),
    other: depth > 0 ? fc.array(stmt(depth - 1), { maxLength: 2 }) : fc.constant([]),
  })

export const kernelGene: fc.Arbitrary<KernelGene> = fc.record({
  size: fc.integer({ min: 0, max: 4 }),
  groups: fc.integer({ min: 1, max: 3 }),
  data: fc.nat(2 ** 31 - 1),
  functions: fc.array(fc.record({ leaf: small, body: fc.array(stmt(1), { maxLength: 3 }), result: expr }), {
    maxLength: 2,
  }),
  body: fc.array(stmt(3), { minLength: 2, maxLength: 9 }),
})
