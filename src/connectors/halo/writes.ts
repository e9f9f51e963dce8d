/**
 * Writes to HaloPSA. The vendor has no idempotency keys: each write but a first try looks for its marker first. A new ticket has it in
 * `third_party_id_string`, which can be searched for; notes and time entries in their text; and of what else is changed an
 * internal note with the marker says so. Sources as in `api.ts`.
 */
import { z } from 'zod'
import { count } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import {
  type ChangeWrite,
  hasChanges,
  isMadeBy,
  markedOnce,
  markerOf,
  notFound,
  signed,
  withMarker,
} from '../markers.ts'
import { need, PortRefusal } from '../port.ts'
import type { PsaTicket, PsaWrites } from '../psa.ts'
import {
  ACTION,
  type ActionRow,
  actionIdText,
  actionRow,
  actionRows,
  CHANGED,
  noteOf,
  RESOLUTION,
  signedOf,
  timeEntryOf,
} from './actions.ts'
import { type Api, timeText } from './api.ts'
import { statusesOf, teamsOf } from './choices.ts'
import { companyRow, contractsOf } from './companies.ts'
import { agentRow, checkContact } from './people.ts'
import { TICKET, type TicketRow } from './rows.ts'
import { fieldsOf } from './ticket-fields.ts'
import { ticketRow, wholeTicket } from './tickets.ts'

const MS_PER_MINUTE = 60_000
const MINUTES_PER_HOUR = 60
/** The name of the action that notes are; the vendor needs one. [HA, PD] */
const OUTCOME = 'Note'

/** Longer than that of one marker, which is all that it has: the search for it is exact. [RZ] */
const MAX_REFERENCE = 100

/** The time until a search finds a new ticket. Unverified. */
const SEARCHED_AFTER_MS = 5000

/** The thing that a write has made, by its id. */
const IDENTIFIED = z.object({ id: count })

const referenceOf = (marker: string): string => withMarker([], marker, MAX_REFERENCE)

const unsupported = () => Promise.reject(new PortRefusal('NOT_SUPPORTED'))

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const htmlOf = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '').replaceAll('\n', '<br>')

/** Unverified: how the one is made of the other. Both are written. [SW] */
const noteFields = (text: string) => ({ note: text, note_html: htmlOf(text) })

const hasMarker = (rows: readonly ActionRow[], marker: string): ActionRow | undefined =>
  rows.find((row) => signedOf(row).marker === marker)

export function writesOf(api: Api, now: Date, is_first_try: boolean): PsaWrites {
  const once = <Result>(key: string, work: (marker: string) => Promise<Result>): Promise<Result> =>
    markedOnce(api, key, work)

  const rowOf = async (ticket_id: string): Promise<TicketRow> =>
    need(await ticketRow(api, ticket_id), 'TICKET_NOT_FOUND')

  const whole = async (ticket_id: string): Promise<PsaTicket> =>
    need(await wholeTicket(api, ticket_id), 'TICKET_NOT_FOUND')

  /** Makes the action, and answers with its number. */
  const postAction = async (ticket_id: number, fields: object): Promise<number> => {
    const action = { ticket_id, outcome: OUTCOME, ...fields }
    return (await api.post(IDENTIFIED, '/Actions', action, 'TICKET_NOT_FOUND')).id
  }

  /** The action as it is read: the answer to a write lacks much. */
  async function addAction(ticket_id: number, fields: object, marker: string): Promise<ActionRow> {
    const id = await postAction(ticket_id, fields)
    const row = await api.get(ACTION, `/Actions/${id}`, { ticket_id, includedetails: true })
    return row
      ? { ...row, ticket_id }
      : need(hasMarker(await actionRows(api, ticket_id), marker), 'TICKET_NOT_FOUND')
  }

  /** The action of the marker on the ticket, which is made if there is none. */
  async function markedAction(ticket_id: number, fields: object, marker: string): Promise<ActionRow> {
    const known = is_first_try ? undefined : hasMarker(await actionRows(api, ticket_id), marker)
    return known ?? (await addAction(ticket_id, fields, marker))
  }

  /** Remembers on the ticket that a change was made. The note comes after it: without it the change is made again. */
  const remember = (ticket_id: number, text: string, marker: string, is_internal = true) =>
    addAction(ticket_id, { ...noteFields(signed(text, '', marker)), hiddenfromuser: is_internal }, marker)

  const isChanged = async (ticket_id: number, marker: string): Promise<boolean> =>
    hasMarker(await actionRows(api, ticket_id), marker) !== undefined

  const isNamed = (marker: string) => (row: TicketRow) => row.third_party_id_string === referenceOf(marker)

  /** A filter that the system does not know would be ignored: what it finds is looked at. [PD, RZ] */
  async function createdTicket(marker: string, query: object): Promise<TicketRow | undefined> {
    const { rows } = await api.page(TICKET, '/Tickets', {
      ...query,
      third_party_id_string: referenceOf(marker),
      order: 'dateoccurred',
      orderdesc: true,
    })
    return rows.find(isNamed(marker))
  }

  async function isChangeMade(marker: string, write: ChangeWrite): Promise<boolean> {
    if ('time_entry_id' in write) {
      const row = await actionRow(api, write.time_entry_id)
      return row !== null && (await isChanged(row.ticket_id, marker))
    }
    const ticket = await wholeTicket(api, write.ticket_id)
    if (!ticket || 'into_ticket_id' in write) return false
    // The change comes before the note that remembers it.
    return (await isChanged(idOf(write.ticket_id) as number, marker)) || hasChanges(ticket, write.changes)
  }

  const finders = {
    newTicket: (marker: string) => createdTicket(marker, {}),
    note: isChanged,
    timeEntry: isChanged,
    changed: isChangeMade,
  }

  return {
    addNote: (ticket_id, { author_name, is_internal, text }, key) =>
      once(key, async (marker) => {
        const id = need(idOf(ticket_id), 'TICKET_NOT_FOUND')
        const fields = { ...noteFields(signed(text, author_name, marker)), hiddenfromuser: is_internal }
        if (!is_first_try) {
          await rowOf(ticket_id)
          const known = hasMarker(await actionRows(api, id), marker)
          if (known) return { note_id: actionIdText(known) }
        }
        try {
          return { note_id: actionIdText({ ticket_id: id, id: await postAction(id, fields) }) }
        } catch (error) {
          // Unverified: the status of a refusal. A ticket that is gone is told as such.
          if (error instanceof PortRefusal) await rowOf(ticket_id)
          throw error
        }
      }),
    addTimeEntry: (ticket_id, { technician_psa_id, minutes, note, started_at }, key) =>
      once(key, async (marker) => {
        const { id, client_id } = await rowOf(ticket_id)
        // Without an agent it would be the time of the API's own agent, who did not do the work. [KB]
        const psa_id = need(technician_psa_id, 'NOT_SUPPORTED')
        const agent = need(await agentRow(api, psa_id), 'TECHNICIAN_NOT_FOUND')
        const ended_at = new Date(started_at.getTime() + minutes * MS_PER_MINUTE)
        const fields = {
          ...noteFields(signed(note ?? '', agent.name ?? '', marker)),
          hiddenfromuser: true,
          who_agentid: agent.id,
          timetaken: Number((minutes / MINUTES_PER_HOUR).toFixed(4)),
          datetime: timeText(ended_at),
          actionarrivaldate: timeText(started_at),
          actioncompletiondate: timeText(ended_at),
        }
        return timeEntryOf(await markedAction(id, fields, marker), client_id)
      }),
    updateTicket: (ticket_id, changes, key) =>
      once(key, async (marker) => {
        const row = await rowOf(ticket_id)
        if (!is_first_try && (await isChanged(row.id, marker))) return await whole(ticket_id)
        const fields = await fieldsOf(api, row, changes)
        if (Object.keys(fields).length > 0)
          await api.post(z.unknown(), '/Tickets', { id: row.id, ...fields }, 'TICKET_NOT_FOUND')
        const { resolution } = changes
        if (resolution) await remember(row.id, `${RESOLUTION}${resolution}`, marker, false)
        else await remember(row.id, `${CHANGED}${Object.keys(changes).join(', ')}`, marker)
        return await whole(ticket_id)
      }),
    // Without a contact it gets the company's general one. Unverified.
    createTicket: ({ psa_company_id, contact_id, title, description, board }, key) =>
      once(key, async (marker) => {
        const { id: client_id } = need(await companyRow(api, psa_company_id), 'COMPANY_NOT_FOUND')
        const known = is_first_try ? undefined : await createdTicket(marker, { client_id })
        if (known) return await whole(String(known.id))
        const contact = contact_id === null ? null : await checkContact(api, contact_id, client_id)
        const teams = board === null ? [] : await teamsOf(api)
        const team =
          board === null
            ? null
            : need(
                teams.find(({ name }) => name === board),
                'NOT_SUPPORTED',
              )
        const [status] = await statusesOf(api)
        const made = await api.post(IDENTIFIED, '/Tickets', {
          summary: title,
          details: description,
          client_id,
          ...(contact && { user_id: contact.id }),
          ...(team && { team_id: team.id, team: team.name }),
          ...(status && { status_id: status.id }),
          third_party_id_string: referenceOf(marker),
        })
        return await whole(String(made.id))
      }),
    // `merged_into_id` is read; nothing that is published merges tickets. [SW]
    mergeTicket: unsupported,
    setAgreement: (time_entry_id, agreement, key) =>
      once(key, async (marker) => {
        const read = async () => need(await actionRow(api, time_entry_id), 'TIME_ENTRY_NOT_FOUND')
        const row = await read()
        const { client_id } = await rowOf(String(row.ticket_id))
        if (!is_first_try && (await isChanged(row.ticket_id, marker))) return timeEntryOf(row, client_id)
        const contracts = client_id ? await contractsOf(api, client_id) : []
        const { id } = need(
          contracts.find(({ ref }) => ref === agreement),
          'AGREEMENT_NOT_FOUND',
        )
        const change = { id: row.id, ticket_id: row.ticket_id, action_contract_id: id }
        await api.post(z.unknown(), '/Actions', change, 'TIME_ENTRY_NOT_FOUND')
        const changed = await read()
        // Unverified: that this field is taken. Nothing is said to be done that was not.
        if (changed.action_contract_id !== id) throw new PortRefusal('NOT_SUPPORTED')
        await remember(row.ticket_id, `${CHANGED}agreement of ${time_entry_id}`, marker)
        return timeEntryOf(changed, client_id)
      }),
    // Whole time sheets are rejected and approved, but no single action. [SW]
    returnTimeEntry: unsupported,
    sendMessage: ({ contact_id, ticket_id, author_name, subject, body }, key) =>
      once(key, async (marker) => {
        // An e-mail is an action of a ticket. [SW]
        const { id } = await rowOf(need(ticket_id, 'NOT_SUPPORTED'))
        const contact = await checkContact(api, contact_id)
        const emailto = need(contact.emailaddress?.trim() || null, 'NOT_SUPPORTED')
        const fields = {
          ...noteFields(signed(`${subject}\n\n${body}`, author_name, marker)),
          hiddenfromuser: false,
          sendemail: true,
          emailto,
          emailsubject: subject,
          emailbody_html: htmlOf(`${body}\n\n${author_name}`),
        }
        return { message_id: noteOf(await markedAction(id, fields, marker)).note_id }
      }),
    async outcomeOf(key, write, ends_at = now) {
      if (await isMadeBy(finders, markerOf(api.connection_id, key), write)) return 'MADE'
      return notFound({ now, ends_at }, write === 'NEW_TICKET' ? SEARCHED_AFTER_MS : 0)
    },
  }
}
