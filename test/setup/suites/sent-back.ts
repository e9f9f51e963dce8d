/** Bodies that the suite of things sent back writes first. */
import fc from 'fast-check'
import type { Arguments } from '../api.ts'
import type { Msp } from '../world.ts'
import type { OwnRows } from './own.ts'

export interface SentBack {
  /** The operation that reads it, if that is not GET of the same path. */
  read?: string
  /** The arguments of that operation, if they are not those of the path. */
  args?: (rows: OwnRows) => Arguments
  /** Fields that the input refuses whatever their value. */
  read_only?: readonly string[]
  /** As it is stored it is none that the operation writes, so that it is written first. */
  written_first?: true
  bodies(msp: Msp, rows: OwnRows): fc.Arbitrary<object>
}

/** Any of the fields. */
export const some = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<object>
export const text = fc.constantFrom('A', '  Größe 9 “✓”  ', 'a\tb', '=1+1', '😀'.repeat(60))
export const textOrNone = fc.option(text)
export const zone = fc.constantFrom('UTC', 'US/Eastern', 'Asia/Kolkata', 'Etc/GMT+5')
