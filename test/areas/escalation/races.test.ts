/** People and steps in the same moment. On PostgreSQL, where transactions are at work at once. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEscalation } from '../../../src/areas/escalation/open.ts'
import { takeStep } from '../../../src/areas/escalation/step.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import type { JobContext } from '../../../src/jobs/job.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, apis } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { counted } from '../../setup/at-once.ts'
import { addEscalations, addPolicies, escalate } from '../../setup/escalations.ts'
import { raised } from '../../setup/raised.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { addFailing, failAll } from './failing.ts'

/** The times that each race is run: 5, or as often as `TEST_RACES` says. */
const RACES = Number(process.env.TEST_RACES ?? 5)
const TRANSACTION_MS = 10_000

const api = apis[1] as Api
const event_id = 'esc_1'
const STEPS = ['1', '2'].map((id) => ({
  wait_minutes: 0,
  target_type: 'TECHNICIANS',
  target_ids: [id],
  notify_via: ['INBOX'],
}))

beforeAll(installQueues)
afterEach(() => clock.reset())

const contextOf = async ({ tenant_id, environment }: Msp) =>
  serviceContext((await testApp()).app.services, 'escalation.take_step', 'test', { tenant_id, environment })

/** Takes the step as its job does, in a process of its own. */
async function step(msp: Msp, number: number): Promise<void> {
  const ctx = await contextOf(msp)
  await inTransaction(ctx, TRANSACTION_MS, () => takeStep(ctx as JobContext, { event_id, step: number }))
}

async function tenant(): Promise<Msp> {
  const msp = await world()
  await addTechnicians(msp, [{ id: 1 }, { id: 2, psa_id: 2 }])
  await addEscalations(msp, [{ id: event_id, steps: STEPS, next_step_at: clock.now() }])
  return msp
}

const read = async (msp: Msp) => (await api.call(msp.admin, 'escalation_event', { event_id })).data
const acknowledge = (msp: Msp, caller: keyof Pick<Msp, 'admin' | 'owner'>) =>
  api.call(msp[caller], 'acknowledge_escalation', { event_id })

describe.runIf(process.env.DATABASE_URL)('at once,', () => {
  it('of two people who acknowledge, one has it, and the other one reads the name', {
    timeout: 120_000,
  }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await tenant()
      const answers = await Promise.all([acknowledge(msp, 'admin'), acknowledge(msp, 'owner')])
      expect(counted(answers)).toEqual({ 200: 1, already_acknowledged: 1 })
      const { acknowledged_by_name } = await read(msp)
      const [first, second] = answers.toSorted((a, b) => a.status - b.status)
      expect(first?.data.acknowledged_by_name).toBe(acknowledged_by_name)
      expect(second?.error?.details.acknowledged_by_name).toBe(acknowledged_by_name)
      expect(await raised(msp, 'escalation.acknowledged')).toHaveLength(1)
    }
  })

  it('of an acknowledgement and a step, one comes first, and no step comes after a person', {
    timeout: 120_000,
  }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await tenant()
      const [answer] = await Promise.all([acknowledge(msp, 'admin'), step(msp, 1)])
      expect(answer.status).toBe(200)
      await step(msp, 2)
      const { status, current_step, notified, next_step_at } = await read(msp)
      expect([status, next_step_at]).toEqual(['ACKNOWLEDGED', null])
      expect(notified).toHaveLength(current_step)
      expect(await raised(msp, 'escalation.notified')).toHaveLength(current_step)
      expect(current_step).toBeLessThanOrEqual(1)
    }
  })

  it('of a resolution and a step, the escalation ends RESOLVED', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await tenant()
      const [answer] = await Promise.all([
        api.call(msp.admin, 'resolve_escalation', { event_id }),
        step(msp, 1),
        acknowledge(msp, 'owner'),
      ])
      expect(answer.status).toBe(200)
      await step(msp, 2)
      const { status, current_step, notified, next_step_at } = await read(msp)
      expect([status, next_step_at]).toEqual(['RESOLVED', null])
      expect(notified).toHaveLength(current_step)
    }
  })

  it('a step that two workers take is taken once', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await tenant()
      await Promise.all([step(msp, 1), step(msp, 1)])
      expect(await read(msp)).toMatchObject({ current_step: 1, notified: [{ target_id: '1' }] })
      expect(await raised(msp, 'escalation.notified')).toHaveLength(1)
      const { prisma } = msp.database
      const jobs = await prisma.$queryRaw<object[]>`
        select 1 from pgboss.job where name = 'escalation.take_step' and data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
      expect(jobs).toHaveLength(1)
    }
  })

  it('two failures on one ticket open one escalation', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await world()
      await addPolicies(msp, [{ id: 1 }])
      const open = async (number: number) => {
        const ctx = await contextOf(msp)
        const cause = {
          trigger: 'EXECUTION_FAILED' as const,
          agent_id: null,
          execution_id: `exe_${number}`,
          entity_id: '4711',
          entity_number: 'T-4711',
          subject: 'TICKET/4711',
          reason: null,
        }
        return await inTransaction(ctx, TRANSACTION_MS, () => openEscalation(ctx, cause))
      }
      const ids = await Promise.all([open(1), open(2), open(3)])
      expect(new Set(ids).size).toBe(1)
      expect(await raised(msp, 'escalation.opened')).toHaveLength(1)
    }
  })

  it('two processes that follow one tenant open each escalation once', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await world()
      await addAgents(msp, [{ id: 1 }])
      await addPolicies(msp, [{ id: 1 }])
      await addFailing(msp, [
        { execution_id: 'exe_1', entity_id: '1' },
        { execution_id: 'exe_2', entity_id: '2' },
      ])
      await failAll(msp)
      await Promise.all([escalate(msp), escalate(msp)])
      await escalate(msp)
      expect(await raised(msp, 'escalation.opened')).toHaveLength(2)
      expect(await raised(msp, 'escalation.notified')).toHaveLength(2)
    }
  })

  it('of two policies that become the default, one is', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await world()
      await addTechnicians(msp, [{ id: 1 }])
      const input = {
        name: 'P',
        triggers: ['EXECUTION_FAILED'],
        steps: [{ target_type: 'TECHNICIANS', target_ids: ['1'] }],
      }
      const created = await Promise.all(
        [1, 2, 3].map(() => api.call(msp.admin, 'create_escalation_policy', { input })),
      )
      expect(counted(created)).toEqual({ 200: 3 })
      const changed = await Promise.all(
        created.map(({ data }) =>
          api.call(msp.admin, 'update_escalation_policy', {
            policy_id: data.id,
            input: { is_default: true },
          }),
        ),
      )
      expect(counted(changed)).toEqual({ 200: 3 })
      const { data } = await api.call(msp.admin, 'escalation_policies')
      expect(data.filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1)
    }
  })
})
