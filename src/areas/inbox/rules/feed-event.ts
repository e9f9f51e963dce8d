/** Events of the feed, as the rules of items read them. */

/** An event of the feed, as far as items follow from it. */
export interface FeedEvent {
  type: string
  entity_id: string
  agent_id: number | null
  at: Date
  data: Readonly<Record<string, unknown>>
}

/** null: the value is no text, or it is empty. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** The numbers of a list; none of what is no list. */
export const numbersOf = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((one): one is number => typeof one === 'number') : []

/** null: the value is no time. */
export const timeOf = (value: unknown): Date | null => {
  const time = new Date(String(value))
  return Number.isNaN(time.getTime()) ? null : time
}

/** The number of the ticket or time entry, which events about feedback call the number of their ticket. */
export const numberOf = ({ data }: FeedEvent): string | null =>
  textOf(data.entity_number) ?? textOf(data.ticket_number)

/** The words for the ticket, after others; empty without a number. */
export const ofTicket = (event: FeedEvent): string => {
  const number = numberOf(event)
  return number === null ? '' : ` (ticket ${number})`
}

/** The most characters of a title. */
const TITLE_CHARACTERS = 200

/** The text in one line, as a title has it. */
export const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return [...line].length > TITLE_CHARACTERS ? `${[...line].slice(0, TITLE_CHARACTERS - 1).join('')}…` : line
}
