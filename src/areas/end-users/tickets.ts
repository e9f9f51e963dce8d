/** The Tickets tab of a white-label chat app. */
import { END_USER_TICKETS } from '../../access/credentials/end-user.ts'
import { countTicketRead } from '../../access/credentials/end-user-calls.ts'
import type { EndUserViewer } from '../../access/credentials/end-user-jwt.ts'
import { rateLimited } from '../../access/limits/state.ts'
import { only } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { type PsaTicket, psaOf } from '../../connectors/psa.ts'
import { timed } from '../../db/tenancy/context.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { isSameEmail } from '../../lib/email-address.ts'
import { builder } from '../../schema/builder.ts'
import { companyOfWorkplaceTenant } from '../end-companies/index.ts'
import { area } from './area.ts'
import { CLOSED_WINDOW_DAYS, NO_CONTACT, type TicketLists, ticketLists } from './rules.ts'

type Tickets = TicketLists<PsaTicket>

const EndUserTicketState = builder.enumType('EndUserTicketState', {
  description: 'The result of looking the end user up in the PSA.',
  values: {
    OK: { description: 'The PSA has a contact with the user’s e-mail address.' },
    NO_CONTACT: {
      description: 'No contact at the user’s company has the user’s e-mail address. Both lists are empty.',
    },
  } satisfies Record<Tickets['state'], object>,
})

const EndUserTicket = builder.objectRef<PsaTicket>('EndUserTicket').implement({
  description: 'A ticket as the end user who opened it sees it.',
  fields: (t) => ({
    ticket_id: t.exposeID('ticket_id', { description: 'The ticket’s id in the PSA.' }),
    reference: t.exposeString('number', { description: 'The number that people know the ticket by.' }),
    title: t.exposeString('title', { description: 'The title.' }),
    status: t.exposeString('status', { description: 'The name of the status in the PSA.' }),
    url: t.expose('url', {
      type: 'URL',
      nullable: true,
      description: 'The ticket’s page. null: the PSA has none.',
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was opened.' }),
    updated_at: t.expose('updated_at', { type: 'DateTime', description: 'When it last changed.' }),
    closed_at: t.expose('closed_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was closed. null: it is open.',
    }),
  }),
})

const EndUserTickets = builder.objectRef<Tickets>('EndUserTickets').implement({
  description: 'The tickets of an end user.',
  fields: (t) => ({
    state: t.expose('state', {
      type: EndUserTicketState,
      description: 'The result of looking the end user up in the PSA.',
    }),
    closed_window_days: t.int({
      description: 'Closed tickets are shown for so many days.',
      resolve: () => CLOSED_WINDOW_DAYS,
    }),
    open: t.field({
      type: [EndUserTicket],
      max_items: 200,
      description: 'Open tickets, the last updated first: at most 200.',
      resolve: ({ open }) => [...open],
    }),
    recently_closed: t.field({
      type: [EndUserTicket],
      max_items: 200,
      description: 'Tickets closed within `closed_window_days` days, the last closed first: at most 200.',
      resolve: ({ recently_closed }) => [...recently_closed],
    }),
  }),
})

/** Counts the call; 429 for the thirty-first of a user in any minute. */
async function checkCalls(ctx: Context, caller: EndUserViewer): Promise<void> {
  const status = await timed(ctx.db_time, () => countTicketRead(ctx.services.database.sql, caller, ctx.now))
  ctx.rates.add(status)
  if (!status.decision.allowed) throw rateLimited(status, ctx.now)
}

async function readTickets(ctx: Context): Promise<Tickets> {
  const caller = callerOf(ctx) as EndUserViewer
  const { workplace_tenant_id, email } = caller
  await checkCalls(ctx, caller)
  if (!caller.has_tickets_tab) throw new ApiError('channel_not_found')
  const company = await companyOfWorkplaceTenant(ctx, workplace_tenant_id)
  if (!company) throw new ApiError('end_company_not_mapped')
  // Contract silent: a user without an address is no contact of a company.
  if (email === null) return NO_CONTACT
  const psa = psaOf(ctx)
  const contact = await psa.contactByEmail(company.psa_company_id, email)
  // Whatever the PSA takes for the same.
  if (!contact?.email || !isSameEmail(contact.email, email)) return NO_CONTACT
  const [open, closed] = await Promise.all([
    psa.openTicketsOf(contact.contact_id),
    psa.recentlyClosedTicketsOf(contact.contact_id, CLOSED_WINDOW_DAYS),
  ])
  return ticketLists(open, closed, ctx.now)
}

area.query('end_user_tickets', (t) =>
  t.field({
    type: EndUserTickets,
    description:
      'Gets the tickets of the signed-in end user of a white-label team-chat app. They are read live from the PSA: ' +
      'the open ones, and those closed within `closed_window_days` days. It takes the SSO token of the app’s tab and ' +
      'no other credential, over REST alone. A user may call it 30 times in any minute; the next call is 429 `rate_limited`. ' +
      '404 `channel_not_found`: the app is not installed in the user’s workplace-suite tenant, or its tab is ' +
      'switched off. 409 `end_company_not_mapped`: that tenant is not linked to one of the MSP’s companies.',
    rest: { method: 'GET', path: END_USER_TICKETS },
    access: only('END_USER', 'invalid_credentials'),
    errors: ['channel_not_found', 'end_company_not_mapped', 'upstream_unavailable'],
    resolve: (_root, _args, ctx) => readTickets(ctx),
  }),
)
