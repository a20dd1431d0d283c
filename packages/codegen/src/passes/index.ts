import type { Kernel } from '@weft/dsl/ir'
import { lowerParamArrays } from '../layout/params'
import type { Profile } from '../profiles/profiles'
import { cse } from './cse'
import { dce } from './dce'
import { fold } from './fold'
import { guard } from './guard'
import { legalize } from './legalize'
import { licm } from './licm'
import { runtimeConstants } from './runtime-constants'
import { simplify } from './simplify'
import { unroll } from './unroll'

/** One step from a kernel to a kernel that computes the same. */
export interface Pass {
  readonly name: PassName
  readonly run: (kernel: Kernel, profile: Profile) => Kernel
  /** Part of what makes a module right, and not only good: not to be left out. */
  readonly required: boolean
}

export type PassName =
  | 'params'
  | 'guard'
  | 'unroll'
  | 'legalize'
  | 'fold'
  | 'simplify'
  | 'cse'
  | 'licm'
  | 'dce'
  | 'runtime-constants'

const required = (name: PassName, run: Pass['run']): Pass => ({ name, run, required: true })
const optional = (name: PassName, run: Pass['run']): Pass => ({ name, run, required: false })

/** The pipeline, in order. */
export const PASSES: readonly Pass[] = [
  required('params', lowerParamArrays),
  required('guard', guard),
  optional('unroll', unroll),
  required('legalize', legalize),
  optional('fold', fold),
  optional('simplify', simplify),
  optional('cse', cse),
  optional('licm', licm),
  required('dce', dce),
  required('runtime-constants', runtimeConstants),
]
