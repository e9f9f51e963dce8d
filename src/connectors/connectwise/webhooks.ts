/**
 * Callbacks of ConnectWise PSA. Sources: [DG] ConnectWise Developer Guide, PSA-Callbacks (chihlasm/resolutionflow), [CR]
 * covenanttechnologysolutions/connectwise-rest, src/utils/Callback.ts, and those of `api.ts`.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Adapter, OpenedConnection, WebhookEvent } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { apiOf } from './api.ts'

/** The types of callbacks, and what they tell of. Older releases lack `member` and `time`. [OA, DG] */
const KINDS = {
  ticket: 'TICKET',
  company: 'COMPANY',
  contact: 'CONTACT',
  member: 'TECHNICIAN',
  time: 'TIME_ENTRY',
} as const satisfies Record<string, WebhookEvent['kind']>

type CallbackType = keyof typeof KINDS

const ACTIONS = { added: 'ADDED', updated: 'UPDATED', deleted: 'DELETED' } as const

/** The parts of a callback that are read. [DG, DJ] */
const CALLBACK = z.object({
  MessageId: z.string().max(100).nullish(),
  Action: z.string().transform((text) => ACTIONS[text.toLowerCase() as keyof typeof ACTIONS]),
  Type: z.string().transform((text) => KINDS[text.toLowerCase() as CallbackType]),
  ID: z.union([z.number().int(), z.string().max(20)]).transform(String),
  Metadata: z.object({ key_url: z.string().max(2000) }),
})

const SIGNING_KEY = z.object({ signing_key: z.string().min(1) })

/** All records: the owner is object 1. [DG] */
const OF_ALL = { objectId: 1, level: 'owner' }

interface CallbackRow {
  id: number
  url?: string
  type?: string
}

/** The PSA appends the id of the record: the address ends in a parameter. [DG, DJ, CR] */
function callbackUrl(url: string): string {
  const address = new URL(url)
  address.searchParams.set('id', '')
  return address.href
}

function parsedCallback(raw: Uint8Array): z.infer<typeof CALLBACK> | null {
  try {
    return CALLBACK.safeParse(JSON.parse(Buffer.from(raw).toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

/** base64(HMAC-SHA256(SHA256(signing key), body)). [DG, CR] */
const signatureOf = (signing_key: string, raw: Uint8Array): Buffer =>
  createHmac('sha256', createHash('sha256').update(signing_key).digest()).update(raw).digest()

type Connection = OpenedConnection<'CONNECTWISE_PSA'>

export function webhooksOf(client: VendorClient): NonNullable<Adapter<never, 'CONNECTWISE_PSA'>['webhooks']> {
  /** null: the address of the key is not the connection's own host, so that anybody may have signed. */
  async function signingKey(connection: Connection, key_url: string): Promise<string | null> {
    const url = URL.parse(key_url)
    const { origin } = new URL(connection.settings.site)
    if (url?.origin !== origin || url.username || url.password) return null
    const site = client.site({ ...connection, system: 'CONNECTWISE_PSA' }, connection.settings.site)
    const answer = await site.read({ path: url.pathname, query: Object.fromEntries(url.searchParams) })
    return answer.is_ok ? (SIGNING_KEY.safeParse(answer.body).data?.signing_key ?? null) : null
  }

  const registered = async (connection: Connection, url: string): Promise<CallbackRow[]> =>
    (await apiOf(client, connection).all<CallbackRow>('/system/callbacks')).filter(
      (row) => row.url === callbackUrl(url),
    )

  return {
    async register(connection, url) {
      const known = await registered(connection, url)
      for (const type of Object.keys(KINDS)) {
        if (known.some((row) => row.type === type)) continue
        await apiOf(client, connection).post('/system/callbacks', {
          ...OF_ALL,
          type,
          url: callbackUrl(url),
          description: 'Automation Service',
          // What the API member itself changes is not told. [OA]
          isSelfSuppressedFlag: true,
          inactiveFlag: false,
        })
      }
    },
    async remove(connection, url) {
      for (const { id } of await registered(connection, url))
        await apiOf(client, connection).delete(`/system/callbacks/${id}`)
    },
    async verify(connection, headers, raw) {
      const given = headers['x-content-signature']
      const callback = parsedCallback(raw)
      if (typeof given !== 'string' || !callback) return null
      const key = await signingKey(connection, callback.Metadata.key_url)
      if (key === null) return null
      const [wanted, signature] = [signatureOf(key, raw), Buffer.from(given, 'base64')]
      if (wanted.length !== signature.length || !timingSafeEqual(wanted, signature)) return null
      const { Type: kind, Action: action, ID: id, MessageId } = callback
      return kind && action ? [{ kind, action, id, event_id: MessageId ?? null }] : []
    },
  }
}
