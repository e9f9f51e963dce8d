/** The rules of single endpoints. */
import type { Row } from './row.ts'

const LINKS = 'areas/company-links/list.test.ts'
const SETTINGS = 'areas/settings.test.ts'
const REQUESTS = 'areas/integrations/request.test.ts'
const SUMMARY = 'areas/performance/summary.test.ts'
const SUMMARY_WINDOW = 'areas/performance/summary-window.test.ts'
const FUNNEL = 'areas/observability/funnel.test.ts'
const END_USERS = 'areas/end-users'
const TAB = 'the token of the tab is for this route alone'
const WORK = 'areas/scheduled-work.test.ts'

export const ENDPOINTS: readonly Row[] = [
  {
    rule: ['GET /company-links', 1],
    says: 'Unmapped rows sort first',
    operations: ['GET /company-links'],
    proofs: [
      [LINKS, 'put unmapped rows first, then go by name in any letter case, with the id for a missing name'],
    ],
  },
  {
    rule: ['GET /company-links', 2],
    says: 'counts covers the system, psa_company_id and search filters and never status',
    operations: ['GET /company-links'],
    proofs: [
      [LINKS, 'with status %s are %j, and counted whatever the status'],
      [LINKS, 'filtered by %j are %j with the counts %j'],
    ],
  },
  {
    rule: ['GET /company-links', 3],
    says: 'A SharePoint-type folder that was never confirmed is not listed',
    operations: ['GET /company-links'],
    proofs: [[LINKS, 'never list or count a folder that nobody confirmed']],
  },
  {
    rule: ['GET /company-links', 4],
    says: 'Errors: standard set',
    operations: ['GET /company-links'],
    proofs: [[LINKS, 'refuse %j with 422']],
  },
  {
    rule: ['POST /api-keys/{key_id}/rotate', 1],
    says: 'Admin dashboard JWT only',
    operations: ['POST /api-keys/{key_id}/rotate'],
    proofs: [['access.test.ts', '%s']],
  },
  {
    rule: ['DELETE /api-keys/{key_id}', 1],
    says: 'Admin dashboard JWT only',
    operations: ['DELETE /api-keys/{key_id}'],
    proofs: [['access.test.ts', '%s']],
  },
  {
    rule: ['POST /integrations/requests', 1],
    says: 'can_share_test_key: default false',
    operations: ['POST /integrations/requests'],
    proofs: [[REQUESTS, 'asks for the least if nothing else is said']],
  },
  {
    rule: ['POST /integrations/requests', 2],
    says: 'A vendor that the integrations listing does not list',
    operations: ['POST /integrations/requests', 'GET /integrations'],
    proofs: [[REQUESTS, 'for %j is refused with 409: it is listed']],
  },
  {
    rule: ['POST /integrations/requests', 3],
    says: '5 requests in any 7 days; the sixth returns 429 rate_limited',
    operations: ['POST /integrations/requests'],
    proofs: [
      [REQUESTS, 'is the sixth of a tenant in seven days: refused until the oldest leaves the window'],
    ],
  },
  {
    rule: ['PUT /settings', 1],
    says: 'data_residency and referral_code are read-only; sending them is rejected',
    operations: ['PUT /settings'],
    proofs: [[SETTINGS, 'refuse read-only fields, even with their own values, and write nothing']],
  },
  {
    rule: ['PUT /settings', 2],
    says: 'A zone name that the service cannot load is rejected with 400',
    operations: ['PUT /settings'],
    proofs: [[SETTINGS, 'refuse the time zone %j with 400']],
  },
  {
    rule: ['PUT /settings', 3],
    says: 'Sending the timezone already stored is always accepted',
    operations: ['PUT /settings'],
    proofs: [[SETTINGS, 'always accept the stored time zone, even one that the runtime does not know']],
  },
  {
    rule: ['PUT /settings', 4],
    says: 'Sending null for timezone clears it',
    operations: ['PUT /settings'],
    proofs: [[SETTINGS, 'keep the time zone when it is absent and clear it when it is null']],
  },
  {
    rule: ['PUT /settings', 5],
    says: 'Partial patch: only fields present in the body change',
    operations: ['PUT /settings'],
    proofs: [[SETTINGS, 'change only in the fields that are given']],
  },
  {
    rule: ['PUT /technician-schedules/{schedule_id}', 1],
    says: 'Every technician on the schedule gets the new hours',
    operations: ['PUT /technician-schedules/{schedule_id}'],
    proofs: [
      ['areas/technicians/availability.test.ts', 'is that of their schedule, as it was replaced last'],
    ],
  },
  {
    rule: ['PUT /technician-schedules/{schedule_id}', 2],
    says: 'Through the API-request channel it needs approval unless the Technicians group turns that off',
    operations: ['PUT /technician-schedules/{schedule_id}'],
    proofs: [
      ['areas/technicians/approval.test.ts', 'of %s, a replacement waits, unless the group turns that off'],
    ],
  },
  {
    rule: ['GET /schemas/agents', 1],
    says: 'The matrix of combinations and the rules that the server validates by',
    operations: ['GET /schemas/agents'],
    proofs: [
      ['areas/schemas/agents.test.ts', 'has the whole matrix'],
      ['areas/schemas/agents.test.ts', 'has every rule in full, once for each write and kind'],
    ],
  },
  {
    rule: ['GET /schemas/agents', 2],
    says: 'rules[].code equals details.field_errors[].code in a 400',
    operations: ['GET /schemas/agents', 'POST /agents', 'PATCH /agents/{agent_id}'],
    proofs: [
      ['areas/agents/rule-codes.test.ts', 'have a case of every code that the schema of agents lists'],
      ['areas/agents/rule-codes.test.ts', 'are refused with %s: %s, %s'],
    ],
  },
  {
    rule: ['GET /scheduled-work', 1],
    says: 'by status',
    operations: ['GET /scheduled-work'],
    proofs: [[WORK, 'is found by its status, its ticket, and a part of the ticket’s id or number']],
  },
  {
    rule: ['GET /scheduled-work', 2],
    says: 'by exact ticket id',
    operations: ['GET /scheduled-work'],
    proofs: [[WORK, 'is found by its status, its ticket, and a part of the ticket’s id or number']],
  },
  {
    rule: ['GET /scheduled-work', 3],
    says: 'by partial match on ticket_id or ticket_number',
    operations: ['GET /scheduled-work'],
    proofs: [[WORK, 'is found by its status, its ticket, and a part of the ticket’s id or number']],
  },
  {
    rule: ['GET /scheduled-work', 4],
    says: 'page number (1-indexed, default 1)',
    operations: ['GET /scheduled-work'],
    proofs: [[WORK, 'has numbered pages, or a cursor in place of the number']],
  },
  {
    rule: ['GET /scheduled-work', 5],
    says: 'items per page (1 to 200, default 50)',
    operations: ['GET /scheduled-work'],
    proofs: [
      ['lists.test.ts', 'has 50 items on a page, or 1 to 200', 'rest'],
      [
        'gateway/bounds.test.ts',
        'of %s, %s (%s), is refused alike by REST, in variables and in literals',
        'graphql',
      ],
    ],
  },
  {
    rule: ['GET /scheduled-work', 6],
    says: 'Future runs queued for TRIGGERED agents',
    operations: ['GET /scheduled-work'],
    proofs: [[WORK, 'refuses %j, and stores nothing']],
  },
  {
    rule: ['GET /performance/summary', 1],
    says: 'Only agents the caller can view, in the current environment, are counted',
    operations: ['GET /performance/summary'],
    proofs: [
      [SUMMARY, 'counts the agents that the caller sees: all, or those created or shared'],
      [SUMMARY, 'is of one tenant and one environment'],
    ],
  },
  {
    rule: ['GET /performance/summary', 2],
    says: 'total_tickets_received is not scoped per agent; an older from covers only the retained part',
    operations: ['GET /performance/summary'],
    proofs: [
      [SUMMARY, 'counts the agents that the caller sees: all, or those created or shared'],
      [
        SUMMARY_WINDOW,
        'takes a start of any age, and says from when on executions, credits and tickets are kept',
      ],
    ],
  },
  {
    rule: ['GET /performance/summary', 3],
    says: 'earliest_execution_at: the first finished execution among the visible agents',
    operations: ['GET /performance/summary'],
    proofs: [
      [SUMMARY, 'has the first execution of agents of every kind, whichever kind is asked for'],
      [SUMMARY, 'counts the agents that the caller sees: all, or those created or shared'],
    ],
  },
  {
    rule: ['GET /performance/summary', 4],
    says: 'A chat (CONVERSATIONAL) filter yields credits only',
    operations: ['GET /performance/summary'],
    proofs: [[SUMMARY, 'of CONVERSATIONAL agents is credits alone, and says so']],
  },
  {
    rule: ['GET /executions/{execution_id}', 1],
    says: 'A run of an agent the acting user may not view answers 404, as one of another tenant',
    operations: ['GET /executions/{execution_id}'],
    proofs: [
      [
        'areas/executions/read.test.ts',
        'are not there if the caller does not see their agent, of another tenant or environment, or missing',
      ],
    ],
  },
  {
    rule: ['GET /executions/{execution_id}', 2],
    says: 'Every sub-resource of a run applies the same rule',
    operations: ['GET /executions/{execution_id}/til-requests'],
    proofs: [['areas/executions/parts.test.ts', 'has %s for whoever sees its agent, and for nobody else']],
  },
  {
    rule: ['GET /integrations/chat-app', 1],
    says: 'The path segment is the service’s own team-chat app status',
    operations: ['GET /integrations/chat-app'],
    proofs: [['areas/integrations/chat-app.test.ts', 'is offered, with no workspace before it is installed']],
  },
  {
    rule: ['GET /integrations/{name}', 1],
    says: 'Its connection state and latest sync row',
    operations: ['GET /integrations/{name}'],
    proofs: [
      [
        'areas/integrations/list.test.ts',
        'show what the tenant has connected in this environment, and nobody else’s',
      ],
    ],
  },
  {
    rule: ['GET /integrations/{name}', 2],
    says: 'Not in the canonical registry: 404 unknown_integration',
    operations: ['GET /integrations/{name}'],
    proofs: [['areas/integrations/list.test.ts', 'that are not in the registry are answered with 404: %j']],
  },
  {
    rule: ['GET /observability/callback-funnel', 1],
    says: 'Default window: the 24 hours before the upper bound, which is now',
    operations: ['GET /observability/callback-funnel'],
    proofs: [[FUNNEL, 'is of the 24 hours until now, or before its end, if nothing else is said']],
  },
  {
    rule: ['GET /observability/callback-funnel', 2],
    says: 'Maximum 7 days',
    operations: ['GET /observability/callback-funnel'],
    proofs: [
      [FUNNEL, 'takes seven days, and the ends of time'],
      [FUNNEL, 'of %j is refused with 400 %s'],
    ],
  },
  {
    rule: ['GET /observability/callback-funnel', 3],
    says: 'All leaf values other than window members are numbers',
    operations: ['GET /observability/callback-funnel'],
    proofs: [
      [FUNNEL, 'has every field of the contract, and counts what it says'],
      [FUNNEL, 'of a tenant that has nothing is zeros'],
    ],
  },
  {
    rule: ['GET /end-user/tickets', 1],
    says: 'Invalid token: 401',
    operations: ['GET /end-user/tickets'],
    proofs: [
      [`${END_USERS}/tickets.test.ts`, 'of a dashboard user and an API key are refused here', 'rest'],
      [`${END_USERS}/tickets.test.ts`, 'names a user and a tenant, or is refused', 'rest'],
    ],
    one_interface: TAB,
  },
  {
    rule: ['GET /end-user/tickets', 2],
    says: 'The app is not installed in that tenant, or has the tab off: 404 channel_not_found',
    operations: ['GET /end-user/tickets'],
    proofs: [
      [`${END_USERS}/tickets.test.ts`, 'without the app is 404', 'rest'],
      [`${END_USERS}/tickets.test.ts`, 'whose tab is off', 'rest'],
    ],
    one_interface: TAB,
  },
  {
    rule: ['GET /end-user/tickets', 3],
    says: 'The tenant is not linked to one of the MSP’s companies: 409 end_company_not_mapped',
    operations: ['GET /end-user/tickets'],
    proofs: [[`${END_USERS}/tickets.test.ts`, 'that is no company’s is 409', 'rest']],
    one_interface: TAB,
  },
  {
    rule: ['GET /end-user/tickets', 4],
    says: 'More than 30 requests a minute per user: 429',
    operations: ['GET /end-user/tickets'],
    proofs: [
      [`${END_USERS}/calls.test.ts`, 'the thirty-first is 429, until the first is a minute old', 'rest'],
    ],
    one_interface: TAB,
  },
  {
    rule: ['GET /end-user/tickets', 5],
    says: 'NO_CONTACT when no contact at the user’s company has the user’s e-mail address',
    operations: ['GET /end-user/tickets'],
    proofs: [
      [
        `${END_USERS}/tickets.test.ts`,
        'are those of the contact at the user’s company with the user’s address, in any letter case',
        'rest',
      ],
    ],
    one_interface: TAB,
  },
  {
    rule: ['GET /end-user/tickets', 6],
    says: 'The open tickets and those closed within the last closed_window_days days, read live from the PSA',
    operations: ['GET /end-user/tickets'],
    proofs: [
      [
        `${END_USERS}/tickets.test.ts`,
        'are the open ones and those closed in 30 days, each in its order',
        'rest',
      ],
      [
        `${END_USERS}/tickets.test.ts`,
        'are read live, and within five seconds by one call to the PSA',
        'rest',
      ],
    ],
    one_interface: TAB,
  },
]
