/** The feedback of the demo. */
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import type { FeedbackEntry } from '../../src/db/generated/client/client.ts'
import { MORNING, NIGHT, readDemo } from '../setup/demo.ts'

const INSTANTS = [MORNING, NIGHT]

const seeded: Database[] = []

beforeAll(async () => {
  for (const now of INSTANTS) seeded.push(await readDemo(now))
})

const entriesOf = ({ prisma }: Database) => prisma.feedbackEntry.findMany({ include: { agent: true } })

test('the demo has plausible feedback: over a third of the links are answered, and most answers are good', async () => {
  for (const database of seeded) {
    const entries = await entriesOf(database)
    const rated = entries.filter(({ rating }) => rating !== null)
    const positive = rated.filter(({ rating }) => rating === 'POSITIVE')
    expect(entries.length).toBeGreaterThan(200)
    expect(rated.length / entries.length).toBeGreaterThan(0.33)
    expect(rated.length / entries.length).toBeLessThan(0.47)
    expect(positive.length / rated.length).toBeGreaterThan(0.83)
    expect(positive.length / rated.length).toBeLessThan(0.92)
    expect(new Set(entries.map(({ agent_id }) => agent_id)).size).toBeGreaterThan(2)
    expect(new Set(entries.map(({ end_company_id }) => end_company_id)).size).toBeGreaterThan(10)
    expect(rated.filter(({ comment }) => comment !== null).length).toBeGreaterThan(30)
    expect(entries.filter(({ status }) => status === 'REVOKED')).toHaveLength(1)
  }
})

/** The entry is as the service leaves one. */
function isWhole(entry: FeedbackEntry, now: Date): boolean {
  const { status, rating, submitted_at, revoked_at, created_at, expires_at } = entry
  if ((status === 'REVOKED') !== (revoked_at !== null)) return false
  if ((rating === null) !== (submitted_at === null) || (status === 'SUBMITTED') !== (rating !== null))
    return false
  if (submitted_at && (submitted_at <= created_at || submitted_at >= expires_at)) return false
  return status === 'EXPIRED' ? expires_at <= now : status !== 'PENDING' || expires_at > now
}

test('every entry of the demo is as the service leaves one', async () => {
  for (const [index, database] of seeded.entries()) {
    const now = INSTANTS[index] as Date
    const entries = await entriesOf(database)
    expect(entries.filter((entry) => !isWhole(entry, now))).toEqual([])
    for (const { created_at, agent, expires_at } of entries) {
      expect(created_at > (agent?.created_at ?? now) && created_at < now).toBe(true)
      expect(expires_at.getUTCMilliseconds()).toBe(0)
    }
    const executions = await database.prisma.execution.findMany({
      where: { execution_id: { in: entries.flatMap(({ execution_id }) => execution_id ?? []) } },
    })
    const ended = new Map(executions.map((execution) => [execution.execution_id, execution]))
    for (const { execution_id, agent_id, ticket_number, created_at } of entries) {
      const execution = ended.get(execution_id ?? '')
      expect([execution?.agent_id, execution?.entity_number]).toEqual([agent_id, ticket_number])
      expect(created_at > (execution?.finished_at ?? created_at)).toBe(true)
    }
  }
})

test('people of the demo are told of a bad rating: an escalation and its items', async () => {
  for (const { prisma } of seeded) {
    const [escalation, ...others] = await prisma.escalationEvent.findMany({
      where: { trigger: 'NEGATIVE_FEEDBACK' },
    })
    expect(others).toEqual([])
    const feedback = await prisma.feedbackEntry.findFirst({
      where: { execution_id: escalation?.execution_id ?? '' },
    })
    expect(feedback?.rating).toBe('NEGATIVE')
    expect(Number(escalation?.created_at) - Number(feedback?.submitted_at)).toBeLessThan(60_000)
    const items = await prisma.inboxItem.findMany({ where: { subject_id: escalation?.id ?? '' } })
    expect(items.length).toBeGreaterThan(0)
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['ESCALATION']))
  }
})
