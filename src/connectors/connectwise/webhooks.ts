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
  /** The record as JSON. */
  Entity: z.string().nullish().catch(null),
})

const ENTITY = z.object({ _info: z.object({ lastUpdated: z.iso.datetime() }) })

/** When the record changed; null if the callback does not have it. */
function changedAt(entity: string | null | undefined): Date | null {
  try {
    const parsed = ENTITY.safeParse(JSON.parse(entity ?? '')).data
    return parsed ? new Date(parsed._info.lastUpdated) : null
  } catch {
    return null
  }
}

const SIGNING_KEY = z.object({ signing_key: z.string().min(1) })

/** All records: the owner is object 1. [DG] */
const OF_ALL = { objectId: 1, level: 'owner' }

interface CallbackRow {
  id: number
  url?: string
  type?: string
  /** The PSA switches callbacks off that fail for three days. [DG] */
  inactiveFlag?: boolean
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

/** A signing key, or null if the PSA gave none, with the time at which it was asked for. */
interface KnownKey {
  key: Promise<string | null>
  asked_at: number
}

/** The keys that are kept: a new one replaces the oldest. */
const MAX_KEYS = 1000
/** Another key is asked for after so long; and earlier, if a signature is not made with the one that is known. */
const KEY_MS = 600_000
const CHANGED_KEY_MS = 10_000

const pathOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.pathname

export function webhooksOf(client: VendorClient): NonNullable<Adapter<never, 'CONNECTWISE_PSA'>['webhooks']> {
  const keys = new Map<string, KnownKey>()

  async function askForKey(connection: Connection, url: URL): Promise<string | null> {
    const site = client.site({ ...connection, system: 'CONNECTWISE_PSA' }, connection.settings.site)
    const answer = await site.read({ path: url.pathname, query: Object.fromEntries(url.searchParams) })
    return answer.is_ok ? (SIGNING_KEY.safeParse(answer.body).data?.signing_key ?? null) : null
  }

  /** The key, which is asked for if it is older than `ms`. */
  async function signingKey(connection: Connection, url: URL, ms: number): Promise<string | null> {
    const name = `${connection.connection_id} ${url.href}`
    const known = keys.get(name)
    if (known && performance.now() - known.asked_at < ms) return await known.key
    keys.delete(name)
    if (keys.size === MAX_KEYS) keys.delete(keys.keys().next().value as string)
    const asked = { key: askForKey(connection, url), asked_at: performance.now() }
    keys.set(name, asked)
    asked.key.catch(() => {
      if (keys.get(name) === asked) keys.delete(name)
    })
    return await asked.key
  }

  /** True if the PSA of the connection signed the bytes. Keys at another host may be anybody's. */
  async function isSigned(connection: Connection, key_url: string, given: string, raw: Uint8Array) {
    const url = URL.parse(key_url)
    const { origin } = new URL(connection.settings.site)
    if (url?.origin !== origin || url.username || url.password) return false
    const signature = Buffer.from(given, 'base64')
    for (const ms of [KEY_MS, CHANGED_KEY_MS]) {
      const key = await signingKey(connection, url, ms)
      const wanted = key === null ? null : signatureOf(key, raw)
      if (wanted?.length === signature.length && timingSafeEqual(wanted, signature)) return true
    }
    return false
  }

  /** Those of the connection, wherever its address was before. */
  const ofConnection = async (connection: Connection, url: string): Promise<CallbackRow[]> =>
    (await apiOf(client, connection).all<CallbackRow>('/system/callbacks')).filter(
      (row) => pathOf(row.url) === pathOf(url),
    )

  return {
    async register(connection, url) {
      const api = apiOf(client, connection)
      const missing = new Set(Object.keys(KINDS))
      for (const { id, type = '', inactiveFlag, ...row } of await ofConnection(connection, url)) {
        const is_right = row.url === callbackUrl(url) && !inactiveFlag && missing.delete(type)
        if (!is_right) await api.delete(`/system/callbacks/${id}`)
      }
      for (const type of missing)
        await api.post('/system/callbacks', {
          ...OF_ALL,
          type,
          url: callbackUrl(url),
          description: 'Automation Service',
          // What the API member itself changes is not told. [OA]
          isSelfSuppressedFlag: true,
          inactiveFlag: false,
        })
    },
    async remove(connection, url) {
      for (const { id, url: its } of await ofConnection(connection, url))
        if (its === callbackUrl(url)) await apiOf(client, connection).delete(`/system/callbacks/${id}`)
    },
    async verify(connection, headers, raw) {
      const given = headers['x-content-signature']
      const callback = parsedCallback(raw)
      if (typeof given !== 'string' || !callback) return null
      if (!(await isSigned(connection, callback.Metadata.key_url, given, raw))) return null
      const { Type: kind, Action: action, ID: id, MessageId } = callback
      const changed_at = changedAt(callback.Entity)
      return kind && action ? [{ kind, action, id, event_id: MessageId ?? null, changed_at }] : []
    },
  }
}
