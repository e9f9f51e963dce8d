/**
 * Callbacks of ConnectWise PSA. Sources: [DG] ConnectWise Developer Guide, PSA-Callbacks (chihlasm/resolutionflow), [CR]
 * covenanttechnologysolutions/connectwise-rest, src/utils/Callback.ts, and those of `api.ts`.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Adapter, OpenedConnection, WebhookEvent } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { count, flag, NAMED, text } from '../http/forms.ts'
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

const CALLBACK_ROW = z.object({
  id: count,
  url: text,
  type: text,
  /** The PSA switches callbacks off that fail for three days. [DG] */
  inactiveFlag: flag,
})

type CallbackRow = z.infer<typeof CALLBACK_ROW>

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

/** The signing key of a connection's site, as far as this process knows it. */
interface SiteKey {
  /** The last key with which an event was signed. */
  verified: string | null
  /** The last request for a key: what the site answered with, or null if that is no key. */
  answer: Promise<string | null>
  asked_at: number
}

/** The sites whose keys are kept: a new one replaces the oldest. */
const MAX_SITES = 1000
/**
 * A site is asked for its key at most this often, whatever address an event names and whatever the answer was: a sender who
 * knows the secret of the address cannot make the service call the vendor by events that are not signed.
 */
const ASK_AGAIN_MS = 60_000

const pathOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.pathname

export function webhooksOf(client: VendorClient): NonNullable<Adapter<never, 'CONNECTWISE_PSA'>['webhooks']> {
  const sites = new Map<string, SiteKey>()

  async function askForKey(connection: Connection, url: URL): Promise<string | null> {
    const site = client.site({ ...connection, system: 'CONNECTWISE_PSA' }, connection.settings.site)
    const answer = await site.read({ path: url.pathname, query: Object.fromEntries(url.searchParams) })
    return answer.is_ok ? (SIGNING_KEY.safeParse(answer.body).data?.signing_key ?? null) : null
  }

  /** Asks the site for its key, unless it was asked within the last minute. */
  function siteKey(connection: Connection, url: URL): SiteKey {
    const name = `${connection.connection_id} ${url.origin}`
    const known = sites.get(name)
    const now = performance.now()
    if (known && now - known.asked_at < ASK_AGAIN_MS) return known
    sites.delete(name)
    if (sites.size === MAX_SITES) sites.delete(sites.keys().next().value as string)
    const asked = { verified: known?.verified ?? null, answer: askForKey(connection, url), asked_at: now }
    asked.answer.catch(() => {})
    sites.set(name, asked)
    return asked
  }

  /**
   * True if the PSA of the connection signed the bytes. Keys at another host may be anybody's. The verified key is good until an
   * event is signed with another key of the site: only an event that it does not verify leads to a request.
   */
  async function isSigned(connection: Connection, key_url: string, given: string, raw: Uint8Array) {
    const url = URL.parse(key_url)
    const { origin } = new URL(connection.settings.site)
    if (url?.origin !== origin || url.username || url.password) return false
    const signature = Buffer.from(given, 'base64')
    const signs = (key: string | null): boolean => {
      const wanted = key === null ? null : signatureOf(key, raw)
      return wanted?.length === signature.length && timingSafeEqual(wanted, signature)
    }
    if (signs(sites.get(`${connection.connection_id} ${origin}`)?.verified ?? null)) return true
    const site = siteKey(connection, url)
    const key = await site.answer
    if (!signs(key)) return false
    site.verified = key
    return true
  }

  /** Those of the connection, wherever its address was before. */
  const ofConnection = async (connection: Connection, url: string): Promise<CallbackRow[]> =>
    (await apiOf(client, connection).all(CALLBACK_ROW, '/system/callbacks')).filter(
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
        await api.post(NAMED, '/system/callbacks', {
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
