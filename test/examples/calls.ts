/** A call of every operation, by which the examples of the OpenAPI document are made. */
import { together } from '../setup/suites/areas.ts'
import { type Calls, inOrderOfNeed } from '../setup/suites/calls.ts'

/** Of every query, each after those whose answers it depends on. */
export const READS: Calls = inOrderOfNeed(together(({ examples }) => examples.reads))

/** Of mutations whose body is one of several kinds, by operation and kind. */
export const KINDS: Readonly<Record<string, Calls>> = together(({ examples }) => examples.kinds)

/** Of every other mutation, in an order in which each finds what it changes. */
export const WRITES: Calls = inOrderOfNeed(together(({ examples }) => examples.writes))

const single = (calls: Calls): Record<string, Calls> =>
  Object.fromEntries(Object.entries(calls).map(([operation, args]) => [operation, { default: args }]))

/** The calls of every operation by the names of their examples, in the order in which they are made. */
export const CALLS: Readonly<Record<string, Calls>> = { ...single(READS), ...KINDS, ...single(WRITES) }
