import { expect } from 'vitest'
import { isWeftError, type WeftError } from '../errors'

/** The WeftError that `action` throws or rejects with, of the given code. */
export async function failure(code: string, action: () => unknown): Promise<WeftError> {
  try {
    await action()
  } catch (error) {
    if (!isWeftError(error)) throw error
    expect(error.code, error.message).toBe(code)
    return error
  }
  throw new Error(`nothing failed; expected ${code}`)
}
