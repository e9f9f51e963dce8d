/** The rules of the summary of dispatch. */
import { percentage } from '../../lib/percentage.ts'

/** Numbers of decisions. */
export interface Counts {
  decisions: number
  applied: number
  overridden: number
  expired: number
  none_fits: number
  /** Decisions among `applied` by which a person said that a suggestion is right. */
  accepted: number
  /** Decisions among `overridden` by which a person said that a suggestion is wrong. */
  declined: number
}

export const NOTHING: Counts = {
  decisions: 0,
  applied: 0,
  overridden: 0,
  expired: 0,
  none_fits: 0,
  accepted: 0,
  declined: 0,
}

export const acceptanceRateOf = ({ accepted, declined }: Pick<Counts, 'accepted' | 'declined'>): number =>
  percentage(accepted, accepted + declined)
