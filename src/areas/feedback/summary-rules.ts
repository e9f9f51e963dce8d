/** The rules of the summary of feedback. */
import { percentage } from '../../lib/percentage.ts'

export type GroupBy = 'AGENT' | 'COMPANY' | 'DAY'

/** Numbers of links, and of the ratings that were given by them. */
export interface Counts {
  positive: number
  neutral: number
  negative: number
  sent_count: number
}

export const NOTHING: Counts = { positive: 0, neutral: 0, negative: 0, sent_count: 0 }

/** Of links without an agent or a company. */
export const LABELS_WITHOUT: Readonly<Record<Exclude<GroupBy, 'DAY'>, string>> = {
  AGENT: 'No agent',
  COMPANY: 'No company',
}

export const responsesOf = ({ positive, neutral, negative }: Counts): number => positive + neutral + negative

export const responseRateOf = (counts: Counts): number => percentage(responsesOf(counts), counts.sent_count)

export const csatOf = (counts: Counts): number => percentage(counts.positive, responsesOf(counts))
