/**
 * Webhooks of Autotask PSA. Sources: [HP] REST_WebhooksEntity, REST_WebhookFieldsEntity, REST_WebhookExcludedResourcesEntity,
 * Webhooks_Creating, SecretKeyPayloadVerification, Webhooks_Error_Handling; [NG] docs/api-integrations/autotask/webhooks.mdx; [N8]
 * helpers/webhook; and those of `api.ts`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Adapter, WebhookEvent } from '../adapter.ts'
import { VendorFailure } from '../http/failure.ts'
import { amount, reference, text } from '../http/forms.ts'
import { PortRefusal } from '../port.ts'
import { timeOfEvent } from '../times.ts'
import { IDENTIFIED } from './answers.ts'
import { type Api, apiOf, type Shared } from './api.ts'
import { contains, eq, filters } from './query.ts'
import { RefusedRequest } from './refusals.ts'
import { NOTE } from './rows.ts'
import type { Connection } from './zone.ts'

/** What has webhooks, as their paths name it. There are none for time entries and resources. [HP] */
const HOOKED = ['Ticket', 'TicketNote', 'Company', 'Contact'] as const

/** What events tell of, by the names that they give it. An older name of companies is `Account`. [NG, HP] */
const KINDS = {
  ticket: 'TICKET',
  company: 'COMPANY',
  account: 'COMPANY',
  contact: 'CONTACT',
  ticketnote: 'NOTE',
} as const satisfies Record<string, WebhookEvent['kind'] | 'NOTE'>

const ACTIONS = { create: 'ADDED', update: 'UPDATED', delete: 'DELETED' } as const

/** The parts of an event that are read. The guid is the webhook's: with the number it is the event's. [NG, N8] */
const EVENT = z.object({
  Action: z.string().transform((text) => ACTIONS[text.toLowerCase() as keyof typeof ACTIONS]),
  EntityType: z.string().transform((text) => KINDS[text.toLowerCase() as keyof typeof KINDS]),
  Id: z.number().int().nonnegative(),
  Guid: z.string().max(100).nullish(),
  SequenceNumber: z.number().int().nullish(),
  EventTime: z.string().max(100).nullish(),
  /** Unverified: the names of the keys. */
  Fields: z.record(z.string(), z.unknown()).nullish().catch(null),
})

const WEBHOOK = IDENTIFIED.extend({ webhookUrl: text })

const FIELD = IDENTIFIED.extend({ fieldID: amount })

const USER = IDENTIFIED.extend({ userName: text })

const EXCLUDED = IDENTIFIED.extend({ resourceID: reference })

/** At most 64 characters [HP], and nobody's but ours: it is made of the connection's secret, which the PSA knows too. */
const secretKeyOf = ({ connection_id, settings }: Connection): string =>
  createHmac('sha256', settings.secret).update(`webhooks of ${connection_id}`).digest('base64url')

const isRefused = (error: unknown): boolean => error instanceof RefusedRequest || error instanceof PortRefusal

/** The answer; the other if the PSA refuses the request. */
const unlessRefused = <Answer, Other>(asked: Promise<Answer>, other: Other): Promise<Answer | Other> =>
  asked.catch((error: unknown) => {
    if (isRefused(error)) return other
    throw error
  })

const pathOf = (url: string | null | undefined): string | undefined => URL.parse(url ?? '')?.pathname

/** The webhooks of the connection, wherever its address was before. */
const ofConnection = async (api: Api, entity: string, url: string): Promise<z.infer<typeof WEBHOOK>[]> =>
  (await api.all(WEBHOOK, entity, [], ['id', 'webhookUrl'])).filter(
    ({ webhookUrl }) => pathOf(webhookUrl) === pathOf(url),
  )

/**
 * The change of every field is told that the PSA takes: whether each of its list can be told is unverified. A webhook without a
 * field tells nothing. [HP]
 */
async function subscribe(api: Api, name: (typeof HOOKED)[number], id: number): Promise<void> {
  const [{ fieldID = [] }, rows] = await Promise.all([
    api.choices(`${name}WebhookFields`),
    api.all(FIELD, `${name}WebhookFields`, [eq('webhookID', id)], ['id', 'fieldID']),
  ])
  const known = new Set(rows.map((row) => row.fieldID))
  const missing = fieldID.filter(({ value, is_active }) => is_active && !known.has(value))
  const made = await Promise.allSettled(
    missing.map(({ value }) =>
      api.post(`/${name}Webhooks/${id}/Fields`, {
        webhookID: id,
        fieldID: value,
        isSubscribedField: true,
        // A note is told with its ticket, if the PSA tells it.
        isDisplayAlwaysField: name === 'TicketNote',
      }),
    ),
  )
  let told = known.size
  for (const one of made) {
    if (one.status === 'fulfilled') told++
    else if (!isRefused(one.reason)) throw one.reason
  }
  if (told === 0) throw new VendorFailure('AUTOTASK_PSA tells of no change of a field')
}

/**
 * The resource of the API's user; null: it is not found. Unverified: that resources are found by their user name. An e-mail
 * address can be that of a person too, whose changes have to be told.
 */
async function ownResource(api: Api, { settings: { username } }: Connection): Promise<number | null> {
  const named = filters(contains(['userName'], username))
  const rows = await unlessRefused(api.all(USER, 'Resources', named, ['id', 'userName']), [])
  const own = rows.find(({ userName }) => userName?.toLowerCase() === username.toLowerCase())
  return own?.id ?? null
}

/**
 * The changes of the resource are not told. [HP] Without it they are told, and known by their markers. Unverified: the names
 * of the fields in the query.
 */
async function exclude(api: Api, name: (typeof HOOKED)[number], id: number, resource: number): Promise<void> {
  const entity = `${name}WebhookExcludedResources`
  const rows = await unlessRefused(
    api.all(EXCLUDED, entity, [eq('webhookID', id)], ['id', 'resourceID']),
    null,
  )
  if (!rows || rows.some(({ resourceID }) => resourceID === resource)) return
  const excluded = { webhookID: id, resourceID: resource }
  await unlessRefused(api.post(`/${name}Webhooks/${id}/ExcludedResources`, excluded), null)
}

/** `sha1=` and base64(HMAC-SHA1(secret key, body)), of the bytes as they came. [HP, NG] */
function isSigned(connection: Connection, given: string, raw: Uint8Array): boolean {
  const wanted = createHmac('sha1', secretKeyOf(connection)).update(raw).digest()
  const [, base64 = ''] = /^sha1=([A-Za-z0-9+/]+={0,2})$/.exec(given) ?? []
  const signature = Buffer.from(base64, 'base64')
  return wanted.length === signature.length && timingSafeEqual(wanted, signature)
}

/** The ticket of a note. */
function ticketIn(fields: Readonly<Record<string, unknown>> | null | undefined): number | null {
  const [, id] = Object.entries(fields ?? {}).find(([name]) => name.toLowerCase() === 'ticketid') ?? []
  return z.int().nonnegative().safeParse(id).data ?? null
}

function parsedEvent(raw: Uint8Array): z.infer<typeof EVENT> | null {
  try {
    return EVENT.safeParse(JSON.parse(Buffer.from(raw).toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

export const webhooksOf = (shared: Shared): NonNullable<Adapter<never, 'AUTOTASK_PSA'>['webhooks']> => ({
  async register(connection, url) {
    const api = apiOf(shared, connection)
    const resource = await ownResource(api, connection)
    for (const name of HOOKED) {
      const entity = `${name}Webhooks`
      const [present, ...others] = await ofConnection(api, entity, url)
      for (const { id } of others) await api.delete(`/${entity}/${id}`)
      const webhook = {
        name: 'Automation Service',
        // The PSA switches off what failed 25 times. [HP]
        isActive: true,
        webhookUrl: url,
        deactivationUrl: url,
        secretKey: secretKeyOf(connection),
        isSubscribedToCreateEvents: true,
        isSubscribedToUpdateEvents: true,
        isSubscribedToDeleteEvents: true,
        sendThresholdExceededNotification: false,
      }
      if (present) await api.patch(entity, { id: present.id, ...webhook })
      const id = present?.id ?? (await api.post(`/${entity}`, webhook))
      await subscribe(api, name, id)
      if (resource !== null) await exclude(api, name, id, resource)
    }
  },
  async remove(connection, url) {
    const api = apiOf(shared, connection)
    for (const name of HOOKED)
      for (const { id, webhookUrl } of await ofConnection(api, `${name}Webhooks`, url))
        if (webhookUrl === url) await api.delete(`/${name}Webhooks/${id}`)
  },
  async verify(connection, headers, raw) {
    const given = headers['x-hook-signature']
    if (typeof given !== 'string' || !isSigned(connection, given, raw)) return null
    const event = parsedEvent(raw)
    // Signed, but of nothing that the port knows: such as that the webhook was switched off.
    if (!event?.Action || !event.EntityType) return []
    const { Action: action, EntityType: kind, Guid, SequenceNumber, EventTime } = event
    const changed_at = timeOfEvent(EventTime)
    const event_id = Guid && SequenceNumber != null ? `${Guid} ${SequenceNumber}` : null
    if (kind !== 'NOTE') return [{ kind, action, id: String(event.Id), event_id, changed_at }]
    const ticket =
      ticketIn(event.Fields) ?? (await apiOf(shared, connection).get(NOTE, 'TicketNotes', event.Id))?.ticketID
    if (ticket == null) return []
    return [{ kind: 'TICKET', action: 'UPDATED', id: String(ticket), event_id, changed_at }]
  },
})
