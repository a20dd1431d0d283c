/** What the worker process and its owner say to each other. */
import type { Job, Layout, Message, Result } from '../engine.js'

/** A module for Tint, and the pipeline to make of it. */
export interface TintModule {
  readonly label?: string | undefined
  readonly wgsl: string
  readonly entryPoint?: string | undefined
  /** With layouts the pipeline is made too, without them the module only. */
  readonly layouts?: readonly Layout[] | undefined
  readonly constants?: Readonly<Record<string, number>> | undefined
  readonly immediateSize?: number | undefined
  /** The device's features, so that a missing `enable` is found; by default all that Dawn knows. */
  readonly features?: readonly string[] | undefined
  /** Limits beyond the defaults that the device is asked for; by default all that the adapter has. */
  readonly limits?: Readonly<Record<string, number>> | undefined
}

export interface TintResult {
  readonly ok: boolean
  /** The pipeline's, layout's or device's error, or that the module does not compile. */
  readonly text: string
  readonly messages: readonly Message[]
}

export type Request =
  | { readonly id: number; readonly run: Job }
  | { readonly id: number; readonly validate: TintModule }

export type Response =
  | { readonly id: number; readonly result: Result | TintResult }
  | { readonly ready: Ready }
  | { readonly failed: string }
  | { readonly lost: string }

export interface Ready {
  readonly adapter: { readonly vendor: string; readonly description: string }
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
  readonly limits: Readonly<Record<string, number>>
  /** Of all subgroups, where they have one size. */
  readonly subgroupSize?: number
}
