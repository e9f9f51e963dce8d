/** Dispatch in the demo. */
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { MORNING, NIGHT, readDemo } from '../setup/demo.ts'

const INSTANTS = [MORNING, NIGHT]

const STATUSES = ['APPLIED', 'EXPIRED', 'FAILED', 'NONE_FITS', 'OVERRIDDEN', 'SUGGESTED']

const seeded: Database[] = []

beforeAll(async () => {
  for (const now of INSTANTS) seeded.push(await readDemo(now))
})

test('the demo has decisions of each status, most of them applied', async () => {
  for (const { prisma } of seeded) {
    const decisions = await prisma.dispatchDecision.findMany()
    expect([...new Set(decisions.map(({ status }) => status))].sort()).toEqual(STATUSES)
    const applied = decisions.filter(({ status }) => status === 'APPLIED')
    expect(decisions.length).toBeGreaterThan(30)
    expect(applied.length / decisions.length).toBeGreaterThan(0.3)
    expect(new Set(decisions.map(({ rule_id }) => rule_id))).toEqual(new Set([1, 2, null]))
  }
})

test('every decision of the demo is as the service leaves one', async () => {
  for (const [index, { prisma }] of seeded.entries()) {
    const now = INSTANTS[index] as Date
    const present = new Set(
      (await prisma.technicianProfile.findMany({ where: { deleted_at: null } })).map(({ id }) => id),
    )
    for (const decision of await prisma.dispatchDecision.findMany()) {
      const { status, suggested_technician_id: suggested, chosen_technician_id: chosen } = decision
      const is_given = status === 'APPLIED' || status === 'OVERRIDDEN'
      expect(suggested === null).toBe(status === 'NONE_FITS')
      expect(chosen !== suggested).toBe(status === 'OVERRIDDEN')
      expect(chosen === null || present.has(chosen)).toBe(true)
      expect(decision.overridden_by_name !== null).toBe(status === 'OVERRIDDEN')
      expect(decision.applied_at !== null).toBe(is_given)
      expect(decision.updated_at >= decision.created_at && decision.updated_at < now).toBe(true)
      expect(status !== 'SUGGESTED' || decision.expires_at > now).toBe(true)
      expect((decision.candidates as object[]).length).toBeGreaterThan(0)
    }
    const open = await prisma.dispatchDecision.findMany({ where: { status: 'SUGGESTED' } })
    const tickets = await prisma.psaTicket.findMany({
      where: { ticket_id: { in: open.map(({ ticket_id }) => ticket_id) } },
    })
    for (const { assignee_psa_id, closed_at } of tickets)
      expect([assignee_psa_id, closed_at]).toEqual([null, null])
  }
})
