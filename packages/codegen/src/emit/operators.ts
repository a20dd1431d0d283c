/** The levels of WGSL's grammar of expressions. */
export const RANK = {
  primary: 0,
  unary: 1,
  mul: 2,
  add: 3,
  shift: 4,
  relation: 5,
  and: 6,
  or: 7,
  bitAnd: 8,
  bitOr: 9,
  bitXor: 10,
} as const
export type Rank = (typeof RANK)[keyof typeof RANK]

/** An operator with two operands. */
export interface Infix {
  readonly rank: Rank
  /** Up to which level an operand on either side needs no parentheses. */
  readonly left: Rank
  readonly right: Rank
  /** Whether the left operand may also be of the operator's own level. */
  readonly chains?: boolean
  /** Whether a vector and a scalar may be its operands. */
  readonly mixes?: boolean
  readonly commutes?: boolean
  /** Whether stores know it, as in `+=`. */
  readonly assigns?: boolean
  /** What a comparison is when it is false. */
  readonly opposite?: string
}

const mul: Infix = { rank: RANK.mul, left: RANK.mul, right: RANK.unary, mixes: true, assigns: true }
const add: Infix = { rank: RANK.add, left: RANK.add, right: RANK.mul, mixes: true, assigns: true }
const shift: Infix = { rank: RANK.shift, left: RANK.unary, right: RANK.unary, assigns: true }
const relation = (opposite: string): Infix => ({ rank: RANK.relation, left: RANK.shift, right: RANK.shift, opposite })
const chain = (rank: Rank, operand: Rank): Infix => ({ rank, left: operand, right: operand, chains: true })
const bitwise = (rank: Rank): Infix => ({ ...chain(rank, RANK.unary), commutes: true, assigns: true })

/** WGSL's own table: what it does not list here is an error without parentheses. */
export const INFIX: Readonly<Record<string, Infix>> = {
  '*': { ...mul, commutes: true },
  '/': mul,
  '%': mul,
  '+': { ...add, commutes: true },
  '-': add,
  '<<': shift,
  '>>': shift,
  '==': relation('!='),
  '!=': relation('=='),
  // `a < b >> c` would be read as a template list, `a<b>`: the shift needs parentheses that the grammar does not ask for
  '<': { ...relation('>='), right: RANK.add },
  '<=': relation('>'),
  '>': relation('<='),
  '>=': relation('<'),
  '&&': chain(RANK.and, RANK.relation),
  '||': chain(RANK.or, RANK.relation),
  '&': bitwise(RANK.bitAnd),
  '|': bitwise(RANK.bitOr),
  '^': bitwise(RANK.bitXor),
}
