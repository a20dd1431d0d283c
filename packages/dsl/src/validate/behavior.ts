/** How control may leave a statement: the behaviors of the WGSL specification, as bits. */
export const NEXT = 1
export const BREAK = 2
export const CONTINUE = 4
export const RETURN = 8
