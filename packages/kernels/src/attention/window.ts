/** A window that hides nothing: positions stay below it. */
export const NO_WINDOW = 2 ** 30
