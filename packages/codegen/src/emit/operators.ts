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

/** The level of an operator, and up to which level an operand on either side needs no parentheses. */
export interface Infix {
  readonly rank: Rank
  readonly left: Rank
  readonly right: Rank
  /** Whether the left operand may also be of the operator's own level. */
  readonly chains?: boolean
}

const mul: Infix = { rank: RANK.mul, left: RANK.mul, right: RANK.unary }
const add: Infix = { rank: RANK.add, left: RANK.add, right: RANK.mul }
const shift: Infix = { rank: RANK.shift, left: RANK.unary, right: RANK.unary }
const relation: Infix = { rank: RANK.relation, left: RANK.shift, right: RANK.shift }
/** `a < b >> c` would be read as a template list, `a<b>`: the shift needs parentheses that the grammar does not ask for. */
const less: Infix = { ...relation, right: RANK.add }
const chain = (rank: Rank, operand: Rank): Infix => ({ rank, left: operand, right: operand, chains: true })

/** WGSL's own table: what it does not list here is an error without parentheses. */
export const INFIX: Readonly<Record<string, Infix>> = {
  '*': mul,
  '/': mul,
  '%': mul,
  '+': add,
  '-': add,
  '<<': shift,
  '>>': shift,
  '==': relation,
  '!=': relation,
  '<': less,
  '<=': relation,
  '>': relation,
  '>=': relation,
  '&&': chain(RANK.and, RANK.relation),
  '||': chain(RANK.or, RANK.relation),
  '&': chain(RANK.bitAnd, RANK.unary),
  '|': chain(RANK.bitOr, RANK.unary),
  '^': chain(RANK.bitXor, RANK.unary),
}

/** Operators that take a vector and a scalar. */
export const MIXED = new Set(['+', '-', '*', '/', '%'])
/** Operators that stores know, as in `+=`. */
export const COMPOUND = new Set([...MIXED, '&', '|', '^', '<<', '>>'])
export const COMMUTES = new Set(['+', '*', '&', '|', '^'])

export const OPPOSITE: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}
