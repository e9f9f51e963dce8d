/** The webhook endpoints of the demo MSP, at hosts that there are not. */
import { DEMO_KEY_ID } from '../access/demo.ts'
import { WebhookDisabledReason, WebhookEndpointStatus } from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'
import { list, number, numbers, oneOf, optional, table, text } from './table.ts'
import { PEOPLE } from './tenant.ts'
import { ENDPOINT_PREFIX, storedSecret } from './webhook-secrets.ts'

const LATEST = 'latest'

/**
 * `created`, `failing` and `off`: days ago. It takes no event that happens after `failing`, or none of the latest three. Without
 * an owner, the demo key made it.
 */
export const ENDPOINTS = table(
  {
    id: (cell) => ENDPOINT_PREFIX + cell,
    url: text,
    event_types: list,
    severities: list,
    agent_ids: numbers,
    owner: optional(text),
    status: oneOf(WebhookEndpointStatus),
    disabled_reason: optional(oneOf(WebhookDisabledReason)),
    created: number,
    failing: optional((cell) => (cell === LATEST ? LATEST : number(cell))),
    off: optional(number),
    description: text,
  },
  `
  oncall | https://events.opsbridge.example/v2/harbourline | * | CRITICAL | | usr_owner | ENABLED | | 28 | | | Pages the engineer on call if an agent fails.
  warehouse | https://ingest.harbourline.example/automation/events | execution.completed, execution.cancelled, integration.* | | | | ENABLED | | 9 | | | Figures for the monthly reports.
  resets | https://desk.harbourline.example/hooks/password-resets | til_request.approved, til_request.rejected, til_request.expired | | 2 | usr_user | ENABLED | | 12 | latest | | Tells the service desk what became of a password reset.
  board | https://board.tidewater.example/in/7f21 | execution.failed, til_request.created | | 1, 4, 5 | usr_hughes | DISABLED | MANUAL | 26 | | 8.2 | The wall board of the service desk.
  tickets | https://sync.portside.example/hooks/harbourline | til_request.rejected, til_request.expired, til_request.cancelled, execution.failed | | | usr_admin | AUTO_DISABLED | FAILING | 24 | 9.4 | | The ticket bridge. Portside moved it without telling us.
  trial | https://trial.boardroom.example/receive?account=harbourline | execution.failed | WARNING, CRITICAL | 1, 4, 5 | usr_admin | AUTO_DISABLED | GONE | 16 | 11 | | Trial of Boardroom, until the end of the month.
`,
)

export type DemoEndpoint = (typeof ENDPOINTS)[number]

const KEY_NAME = 'Demo'

/** The columns of an endpoint that are there when it is created. */
export function createdColumns(endpoint: DemoEndpoint, seeding: Seeding) {
  const { id, url, description, event_types, severities, agent_ids, owner, created } = endpoint
  const { environment } = seeding.tenancy
  const person = PEOPLE.find((one) => one.id === owner)
  return {
    ...seeding.tenancy,
    id,
    url,
    description,
    event_types,
    severities,
    agent_ids,
    end_company_ids: [],
    secret: storedSecret(id, { ...seeding, environment }),
    owner_user_id: owner,
    created_by_key_id: owner === null ? DEMO_KEY_ID : null,
    created_by_name: person?.name ?? KEY_NAME,
    created_at: seeding.ago(created),
  }
}
