/**
 * Notes and time entries of HaloPSA: both are actions of a ticket, and one action can be both. Sources as in `api.ts`.
 */

import { z } from 'zod'
import { amount, count, flag, reference, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import { parseSigned, type SignedText } from '../markers.ts'
import { MAX_TIME_ENTRIES, type Psa, type PsaNote, type PsaTimeEntry } from '../psa.ts'
import { type Api, instant, PAGE, timeText } from './api.ts'

/** [SW: Actions, Actions_List] Its id counts within its ticket. [SW: Actions/{id} takes ticket_id; PD] */
export const ACTION = z.object({
  id: count,
  ticket_id: count,
  outcome: text,
  note: text,
  note_html: text,
  who: text,
  who_agentid: reference,
  hiddenfromuser: flag,
  /** Hours. */
  timetaken: amount,
  datetime: text,
  actiondatecreated: text,
  actionarrivaldate: text,
  actioncompletiondate: text,
  action_contract_id: amount,
  action_contract_ref: text,
  actionby_user_id: amount,
})

export type ActionRow = z.infer<typeof ACTION>

/** The first words of notes that keep what else has no place. */
export const CHANGED = 'Changed: '
export const RESOLUTION = 'Resolution: '

const MS_PER_HOUR = 3_600_000
const MINUTES_PER_HOUR = 60
const DAY_MS = 86_400_000

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
  amp: '&',
}

/** The text of the HTML of a note that the service wrote. */
const textOf = (html: string): string =>
  html
    .replace(/\r?\n/g, '')
    .replace(/<br\s*\/?>|<\/(?:p|div)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (_, name: string) => ENTITIES[name] ?? '')

/** The contact who did the action. null: an agent did, or it is not told. Unverified: that the action of a contact names no agent. */
const contactOf = ({
  actionby_user_id,
  who_agentid,
}: Pick<ActionRow, 'actionby_user_id' | 'who_agentid'>): number | null =>
  actionby_user_id && !who_agentid ? actionby_user_id : null

/**
 * Notes may come back with the line ends of HTML or of Windows. Unverified: that lists cut long ones off; what the service
 * wrote is then read from the HTML, which is whole.
 */
export function signedOf({ note, note_html, actionby_user_id, who_agentid }: ActionRow): SignedText {
  const text = (note ?? '').replaceAll('\r\n', '\n')
  // A contact can write any text: no signature counts in what a contact wrote, and no agent with it.
  if (contactOf({ actionby_user_id, who_agentid }) !== null) return { text, author: null, marker: null }
  const read = parseSigned(text)
  if (read.marker !== null) return read
  const whole = parseSigned(textOf(note_html || text))
  return whole.marker === null ? read : whole
}

type Place = Pick<ActionRow, 'id' | 'ticket_id' | 'actiondatecreated' | 'datetime'>

const startOf = (row: ActionRow): Date => {
  const hours = row.timetaken ?? 0
  const done = instant(row.datetime) ?? new Date(0)
  return instant(row.actionarrivaldate) ?? new Date(done.getTime() - hours * MS_PER_HOUR)
}

const createdOf = (row: Pick<ActionRow, 'actiondatecreated' | 'datetime'>): Date =>
  instant(row.actiondatecreated) ?? instant(row.datetime) ?? new Date(0)

/** The id of an action, which is counted within its ticket. */
export const actionIdText = ({ ticket_id, id }: Pick<ActionRow, 'ticket_id' | 'id'>): string =>
  `${ticket_id}-${id}`

export function noteOf(row: ActionRow): PsaNote {
  const { text, author, marker } = signedOf(row)
  const contact = contactOf(row)
  return {
    note_id: actionIdText(row),
    ticket_id: String(row.ticket_id),
    author_name: author ?? row.who ?? '',
    author_side: contact !== null ? 'CONTACT' : row.who_agentid || marker ? 'TECHNICIAN' : null,
    author_contact_id: contact === null ? null : String(contact),
    is_internal: row.hiddenfromuser === true,
    text,
    created_at: createdOf(row),
    ...(marker && { made_by_key: marker }),
  }
}

export const timeEntryOf = (row: ActionRow, client_id: number | null | undefined): PsaTimeEntry => ({
  time_entry_id: actionIdText(row),
  ticket_id: String(row.ticket_id),
  psa_company_id: client_id ? String(client_id) : null,
  technician_psa_id: row.who_agentid || null,
  minutes: Math.round((row.timetaken ?? 0) * MINUTES_PER_HOUR),
  note: signedOf(row).text || null,
  agreement: row.action_contract_ref || null,
  returned_reason: null,
  started_at: startOf(row),
  created_at: createdOf(row),
})

const isTime = ({ timetaken }: ActionRow): boolean => (timetaken ?? 0) > 0

/** The ticket and the number of its action. */
function actionIdOf(text: string): { ticket_id: number; id: number } | null {
  const [ticket_id = null, id = null, ...rest] = text.split('-').map(idOf)
  return ticket_id === null || id === null || rest.length > 0 ? null : { ticket_id, id }
}

/** Of other lists there are 50 rows if no count is asked for. [PY] Unverified: how many actions. */
const ALL = 10_000

/** The notes among the actions. */
export const notesIn = (actions: readonly ActionRow[]): PsaNote[] =>
  actions
    .filter((row) => {
      const { text, marker } = signedOf(row)
      return text.trim() !== '' && !(marker !== null && text.startsWith(CHANGED))
    })
    .map(noteOf)

/** The actions of a ticket, the oldest first. */
export async function actionRows(api: Api, ticket_id: number): Promise<ActionRow[]> {
  const query = { ticket_id, count: ALL, excludesys: true, includehtmlnote: true }
  const rows = await api.list(ACTION, '/Actions', query)
  return rows.sort((one, other) => createdOf(one).getTime() - createdOf(other).getTime() || one.id - other.id)
}

export async function actionRow(api: Api, time_entry_id: string): Promise<ActionRow | null> {
  const wanted = actionIdOf(time_entry_id)
  if (!wanted) return null
  const { ticket_id, id } = wanted
  const row = await api.get(ACTION, `/Actions/${id}`, { ticket_id, includedetails: true })
  return row && isTime(row) ? { ...row, ticket_id } : null
}

const OF_CLIENT = z.object({ id: count, client_id: reference, deleted: flag })

const companyOf = (ticket: z.infer<typeof OF_CLIENT> | null): number | null =>
  ticket && !ticket.deleted ? (ticket.client_id ?? null) : null

/** The companies of tickets. Unverified: that ids are separated by commas; a ticket that is not in the list is read. [SW] */
async function companiesOf(api: Api, ids: readonly number[]): Promise<ReadonlyMap<number, number | null>> {
  const companies = new Map<number, number | null>()
  for (let at = 0; at < ids.length; at += PAGE) {
    const wanted = ids.slice(at, at + PAGE)
    const { rows } = await api.page(OF_CLIENT, '/Tickets', { ticketids: wanted.join(',') })
    for (const row of rows) companies.set(row.id, companyOf(row))
    for (const id of wanted.filter((one) => !companies.has(one)))
      companies.set(id, companyOf(await api.get(OF_CLIENT, `/Tickets/${id}`)))
  }
  return companies
}

/**
 * Time that is written down later than this after the work is not among the new time entries: actions are found by the
 * time of the work. [SW]
 */
const LATEST_MS = 7 * DAY_MS

type Actions = Pick<Psa, 'notesOf' | 'timeEntriesOf' | 'timeEntry' | 'timeEntriesAfter'>

export function actionsOf(api: Api, now: Date): Actions {
  /** The time of a day from then. Without a ticket, actions are listed between two times with at most a day between. [PY] */
  async function timeOfDay(start: Date): Promise<ActionRow[]> {
    const rows = await api.list(ACTION, '/Actions', {
      timeentriesonly: true,
      excludesys: true,
      count: ALL,
      includehtmlnote: true,
      startdate: timeText(start),
      enddate: timeText(new Date(start.getTime() + DAY_MS)),
    })
    return rows.filter(isTime)
  }
  return {
    async notesOf(ticket_id) {
      const id = idOf(ticket_id)
      return id === null ? [] : notesIn(await actionRows(api, id))
    },
    async timeEntriesOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const entries = (await actionRows(api, id)).filter(isTime)
      const companies = await companiesOf(api, entries.length === 0 ? [] : [id])
      return entries
        .map((row) => timeEntryOf(row, companies.get(id)))
        .sort((one, other) => one.started_at.getTime() - other.started_at.getTime())
    },
    async timeEntry(time_entry_id) {
      const row = await actionRow(api, time_entry_id)
      return row && timeEntryOf(row, (await companiesOf(api, [row.ticket_id])).get(row.ticket_id))
    },
    async timeEntriesAfter({ created_at, time_entry_id }) {
      const place = (row: Place): string =>
        `${createdOf(row).toISOString()} ${String(row.ticket_id).padStart(10, '0')} ${String(row.id).padStart(10, '0')}`
      const { ticket_id = 0, id = 0 } = actionIdOf(time_entry_id) ?? {}
      const datetime = created_at.toISOString()
      const after = place({ ticket_id, id, actiondatecreated: datetime, datetime })
      const rows = new Map<string, ActionRow>()
      for (let at = created_at.getTime() - LATEST_MS; at <= now.getTime() + DAY_MS; at += DAY_MS) {
        for (const row of await timeOfDay(new Date(at)))
          if (place(row) > after) rows.set(actionIdText(row), row)
        // The time of a later day is written down later.
        const before = [...rows.values()].filter((row) => createdOf(row).getTime() < at + DAY_MS)
        if (before.length >= MAX_TIME_ENTRIES) break
      }
      const found = [...rows.values()]
        .sort((one, other) => (place(one) < place(other) ? -1 : 1))
        .slice(0, MAX_TIME_ENTRIES)
      const companies = await companiesOf(api, [...new Set(found.map(({ ticket_id: of }) => of))])
      return found.map((row) => timeEntryOf(row, companies.get(row.ticket_id)))
    },
  }
}
