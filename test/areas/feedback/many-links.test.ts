/** Hundreds of links, or as many as `TEST_LINKS` says: scanners answer none of them, and the summary is exact. */
import { beforeAll, describe, expect, it } from 'vitest'
import { feedbackUrl } from '../../../src/access/credentials/feedback-link.ts'
import { addAgents, share } from '../../setup/agents.ts'
import { type Api, type Arguments, apis, describeApi } from '../../setup/api.ts'
import { SIGNING_SECRET, testApp } from '../../setup/app.ts'
import { countActivities } from '../../setup/audit-log.ts'
import { addCompanies, byteOrder } from '../../setup/companies.ts'
import { addFeedback, answer, EXECUTION, feedbackMsp, feedbackOf, linkIn } from '../../setup/feedback.ts'
import { type Caller, days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

/** Midnight there is at another quarter of an hour than in UTC. */
const ZONE = 'Asia/Kathmandu'
const LINKS = Number(process.env.TEST_LINKS ?? 300)
const MADE = Math.round(LINKS / 10)
const STORED = LINKS - MADE
/** Between links: the oldest ones are before the window. */
const STEP_MS = (900 * 41 * 60_000) / STORED
const RATINGS = ['POSITIVE', 'POSITIVE', 'NEGATIVE', 'POSITIVE', 'NEUTRAL', 'POSITIVE', 'POSITIVE'] as const
const UNANSWERED = ['PENDING', 'EXPIRED', 'REVOKED'] as const
/** The last one is gone. */
const COMPANIES = ['cmp_a', 'cmp_b', 'cmp_c', 'cmp_d', 'cmp_gone']
const NAMES = new Map([
  ...COMPANIES.slice(0, -1).map((id) => [id, `Company ${id}`] as const),
  ['alder', 'Alder & Co'],
])
const OF_USER: readonly (number | null)[] = [2, 3, null]

/** A link as the test knows it. */
interface Known {
  id: string
  agent_id: number | null
  end_company_id: string | null
  rating: (typeof RATINGS)[number] | null
  created_at: Date
}

const NOW = new Date()
const WINDOW = { from: new Date(NOW.getTime() - days(24.3)), to: new Date(NOW.getTime() + days(0.5)) }

let msp: Msp
const known: Known[] = []

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item

/** Every second one was answered, and some of these were revoked afterwards. */
function stored(n: number) {
  const rating = n % 2 === 0 ? at(RATINGS, n / 2) : null
  const created_at = new Date(NOW.getTime() - Math.round((n + 1) * STEP_MS))
  const link: Known = {
    id: `fb_${n}_${msp.tenant_id}`,
    agent_id: at([2, 3, 4, 5, null], n >> 1),
    end_company_id: at([...COMPANIES, null, 'cmp_a'], n >> 2),
    rating,
    created_at,
  }
  const status = rating ? (n % 40 === 0 ? 'REVOKED' : 'SUBMITTED') : at(UNANSWERED, n >> 1)
  return { link, status } as const
}

async function make(n: number): Promise<void> {
  const api = apis[n % 2] as Api
  const { data } = await api.call(msp.admin, 'create_feedback_link', { input: { execution_id: EXECUTION } })
  const rating = n % 4 < 2 ? at(RATINGS, n) : null
  const { id, agent_id, end_company_id, created_at } = data
  expect([agent_id, end_company_id]).toEqual([1, 'alder'])
  known.push({ id, agent_id, end_company_id, rating, created_at: new Date(created_at) })
  if (rating === null) return
  const link = linkIn(data.url)
  // The first answer is replaced.
  for (const given of [at(RATINGS, n + 1), rating])
    expect((await answer(api, link, { rating: given })).error).toBeNull()
}

beforeAll(async () => {
  await installQueues()
  msp = await feedbackMsp()
  const { database, tenant_id } = msp
  await database.prisma.settings.updateMany({ where: { tenant_id }, data: { timezone: ZONE } })
  await addAgents(
    msp,
    [2, 3, 4, 5].map((id) => ({
      id,
      name: `Agent ${id}`,
      created_by_user_id: id === 2 ? msp.user.id : null,
    })),
  )
  await share(msp, 3, msp.user.id)
  await addCompanies(
    msp,
    COMPANIES.slice(0, -1).map((id) => ({ id, name: `Company ${id}` })),
  )
  const links = Array.from({ length: STORED }, (_, n) => stored(n))
  await addFeedback(
    msp,
    links.map(({ link, status }) => ({
      ...link,
      status,
      submitted_at: link.rating && link.created_at,
      // The links are still good, so that scanners can open them.
      expires_at: new Date(Math.ceil(NOW.getTime() / 1000) * 1000 + days(1)),
    })),
  )
  known.push(...links.map(({ link }) => link))
  for (let n = 0; n < MADE; n++) await make(n)
}, 120_000)

const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100

function figuresOf(links: readonly Known[]) {
  const count = (rating: Known['rating']) => links.filter((link) => link.rating === rating).length
  const [positive, neutral, negative] = [count('POSITIVE'), count('NEUTRAL'), count('NEGATIVE')]
  const response_count = positive + neutral + negative
  return {
    positive,
    neutral,
    negative,
    response_count,
    sent_count: links.length,
    response_rate_pct: percentage(response_count, links.length),
    csat_pct: percentage(positive, response_count),
  }
}

const inWindow = ({ created_at }: Known): boolean => created_at >= WINDOW.from && created_at < WINDOW.to

/** The links of each key, those of most links first. */
function groupsOf(links: readonly Known[], keyOf: (link: Known) => string, labelOf: (key: string) => string) {
  return Array.from(Map.groupBy(links, keyOf), ([key, some]) => ({
    key,
    label: labelOf(key),
    ...figuresOf(some),
  })).toSorted((one, other) => other.sent_count - one.sent_count || byteOrder(one.key, other.key))
}

const date = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short' })
const dayOf = (instant: Date): string => date.format(instant)

/** Every day of the window. */
function daysOf(links: readonly Known[]) {
  const of_day = Map.groupBy(links, ({ created_at }) => dayOf(created_at))
  const keys = new Set<string>()
  for (let ms = WINDOW.from.getTime(); ms < WINDOW.to.getTime(); ms += 900_000) keys.add(dayOf(new Date(ms)))
  return [...keys].map((key) => ({ key, label: key, ...figuresOf(of_day.get(key) ?? []) }))
}

const GROUPS: Record<string, (links: readonly Known[]) => unknown[]> = {
  AGENT: (links) =>
    groupsOf(
      links,
      ({ agent_id }) => String(agent_id ?? ''),
      (key) => ({ '': 'No agent', 1: 'Mailbox helper' })[key] ?? `Agent ${key}`,
    ),
  COMPANY: (links) =>
    groupsOf(
      links,
      ({ end_company_id }) => end_company_id ?? '',
      (key) => NAMES.get(key) ?? (key || 'No company'),
    ),
  DAY: daysOf,
}

/** The page twice, and twice what a program gets. */
const OPENINGS = ['text/html', '*/*'].flatMap((accept) =>
  ['GET', 'HEAD'].map((method) => [method, accept] as const),
)

describe('scanners of mails', () => {
  it('open each of hundreds of links by GET and by HEAD, as a page and as data, and nothing is recorded', async () => {
    const { base } = await testApp()
    const state = async () => [
      await feedbackOf(msp),
      await countActivities(msp),
      await msp.database.prisma.liveEvent.count({ where: { tenant_id: msp.tenant_id } }),
    ]
    const before = await state()
    const [entries] = before as [Awaited<ReturnType<typeof feedbackOf>>]
    expect(entries).toHaveLength(STORED + MADE)
    const opened = new Map<string, number>()
    const open = async (entry: (typeof entries)[number]) => {
      const url = feedbackUrl({ signing_secrets: [SIGNING_SECRET], public_url: base }, entry)
      for (const [method, accept] of OPENINGS) {
        const { status, body } = await fetch(url, { method, headers: { accept } })
        await body?.cancel()
        const answered = `${entry.status === 'REVOKED' ? 'revoked' : 'good'} ${status}`
        opened.set(answered, (opened.get(answered) ?? 0) + 1)
      }
    }
    const waiting = entries.values()
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (const entry of waiting) await open(entry)
      }),
    )
    const revoked = entries.filter(({ status }) => status === 'REVOKED').length
    expect(Object.fromEntries(opened)).toEqual({
      'good 200': 4 * (entries.length - revoked),
      'revoked 404': 4 * revoked,
    })
    expect(await state()).toEqual(before)
  }, 120_000)
})

describeApi('the summary of hundreds of links', (api) => {
  const read = async (args: Arguments, caller: Caller = msp.admin) =>
    (
      await api.call(caller, 'feedback_summary', {
        from: WINDOW.from.toISOString(),
        to: WINDOW.to.toISOString(),
        ...args,
      })
    ).data

  it('has exact figures', async () => {
    const links = known.filter(inWindow)
    expect(links.length).toBeGreaterThan(0.8 * LINKS)
    expect(links.length).toBeLessThan(known.length)
    expect(await read({})).toEqual({
      window: { from: WINDOW.from.toISOString(), to: WINDOW.to.toISOString(), timezone: ZONE },
      group_by: null,
      ...figuresOf(links),
      groups: [],
    })
    const whole = await read({ from: new Date(NOW.getTime() - days(60)).toISOString() })
    expect(whole).toMatchObject(figuresOf(known))
  })

  it.each(Object.keys(GROUPS))(
    'has exact groups by %s, and the same figures as without groups',
    async (group_by) => {
      const links = known.filter(inWindow)
      const data = await read({ group_by })
      expect(data).toMatchObject({ group_by, ...figuresOf(links) })
      expect(data.groups).toEqual(GROUPS[group_by]?.(links))
    },
  )

  it.each(Object.keys(GROUPS))('counts what a USER sees, by %s', async (group_by) => {
    const seen = known.filter((link) => inWindow(link) && OF_USER.includes(link.agent_id))
    const data = await read({ group_by }, msp.user)
    expect(data).toMatchObject(figuresOf(seen))
    expect(data.groups).toEqual(GROUPS[group_by]?.(seen))
  })

  it('counts those of one agent, as far as the caller sees it', async () => {
    const of = (wanted: number) => known.filter((link) => inWindow(link) && link.agent_id === wanted)
    for (const agent_id of [1, 4]) expect(await read({ agent_id })).toMatchObject(figuresOf(of(agent_id)))
    const data = await read({ agent_id: 3, group_by: 'COMPANY' }, msp.user)
    expect(data).toMatchObject(figuresOf(of(3)))
    expect(data.groups).toEqual(GROUPS.COMPANY?.(of(3)))
    expect(await read({ agent_id: 4 }, msp.user)).toMatchObject(figuresOf([]))
  })
})
