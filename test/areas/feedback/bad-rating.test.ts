/** A bad rating reaches people: by an escalation, and in their inboxes. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { submitted } from '../../../src/areas/feedback/events.ts'
import { share } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import { addPolicies, escalate, escalationsOf } from '../../setup/escalations.ts'
import { addEvents } from '../../setup/events.ts'
import { followFeed, inboxesWith, inboxMsp, itemsOf } from '../../setup/inboxes.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { addFailing } from '../escalation/failing.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const TICKET = { ticket_id: '4711', ticket_number: 'T-4711' }

type Entry = Parameters<typeof submitted>[0]

/** Raises an event for each entry: feedback on ticket 4711 and agent 1, unless the entry says something else. */
async function rate(msp: Msp, ...entries: readonly Partial<Entry>[]): Promise<void> {
  const events = entries.flatMap((entry) =>
    submitted({
      id: 'fb_1',
      rating: 'NEGATIVE',
      comment: 'Words of the end user',
      execution_id: null,
      agent_id: 1,
      ...TICKET,
      end_company_id: null,
      ...entry,
    } as Entry),
  )
  await addEvents(msp, events)
}

describe('the escalation of a bad rating', () => {
  async function tenant(...policies: object[]): Promise<Msp> {
    const msp = await inboxMsp()
    await addPolicies(
      msp,
      policies.map((policy, index) => ({ id: index + 1, triggers: ['NEGATIVE_FEEDBACK'], ...policy })),
    )
    return msp
  }

  async function rated(msp: Msp, ...entries: readonly Partial<Entry>[]) {
    await rate(msp, ...entries)
    await escalate(msp)
    return await escalationsOf(msp)
  }

  it('names the ticket, the execution and the agent, and not the words of the end user', async () => {
    const msp = await tenant({})
    await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711' }])
    expect(await rated(msp, { execution_id: 'exe_1' })).toMatchObject([
      {
        policy_id: 1,
        trigger: 'NEGATIVE_FEEDBACK',
        status: 'OPEN',
        reason: null,
        agent_id: 1,
        execution_id: 'exe_1',
        entity_id: '4711',
        entity_number: 'T-4711',
        subject: 'TICKET/4711',
      },
    ])
  })

  it('is none of another rating', async () => {
    const msp = await tenant({})
    expect(await rated(msp, { rating: 'POSITIVE' }, { id: 'fb_2', rating: 'NEUTRAL' })).toEqual([])
  })

  it('is of the execution if there is no ticket, as long as that is kept', async () => {
    const msp = await tenant({})
    await addFailing(msp, [{ execution_id: 'exe_1', entity_type: 'NONE', entity_id: null }])
    const none = { ticket_id: null, ticket_number: null }
    expect(
      await rated(msp, { ...none, execution_id: 'exe_1' }, { ...none, id: 'fb_2', execution_id: 'exe_gone' }),
    ).toMatchObject([{ subject: 'EXECUTION/exe_1', entity_id: null, execution_id: 'exe_1' }])
  })

  it('of a ticket alone is opened by a policy for all agents, or by the default', async () => {
    const alone = { agent_id: null }
    for (const [policy, opens] of [
      [{ agent_ids: [1] }, 0],
      [{ agent_ids: [1], is_default: true }, 1],
      [{ agent_ids: [] }, 1],
    ] as const) {
      const msp = await tenant(policy)
      expect(await rated(msp, alone)).toHaveLength(opens)
    }
  })

  it('is opened once for feedback, also after it was resolved', async () => {
    const msp = await tenant({})
    expect(await rated(msp, {}, { rating: 'POSITIVE' }, {})).toHaveLength(1)
    const { tenant_id } = msp
    await msp.database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { status: 'RESOLVED' },
    })
    expect(await rated(msp, { rating: 'NEUTRAL' }, {})).toHaveLength(1)
    expect(await rated(msp, { id: 'fb_2' }, { id: 'fb_3' })).toHaveLength(2)
  })
})

describe('the item of a bad rating', () => {
  async function rated(msp: Msp, ...entries: readonly Partial<Entry>[]) {
    await rate(msp, ...entries)
    await followFeed(msp)
    return await itemsOf(msp, msp.owner.id)
  }

  it('names the agent and the ticket, and is for those who may edit the agent', async () => {
    const msp = await inboxMsp()
    await share(msp, 1, msp.user.id, true)
    expect(await rated(msp, {})).toMatchObject([
      {
        kind: 'FEEDBACK',
        cause: 'fb_1',
        severity: 'WARNING',
        title: 'Ada: an end user gave a bad rating (ticket T-4711)',
        body: null,
        subject_type: 'FEEDBACK',
        subject_id: 'fb_1',
        action_required: false,
        resolved: false,
        affected_agent_ids: [1],
        affected_entity_numbers: ['T-4711'],
      },
    ])
    expect((await inboxesWith(msp)).toSorted()).toEqual([msp.owner.id, msp.admin.id, msp.user.id].toSorted())
  })

  it('about no agent is for ADMINs and OWNERs', async () => {
    const msp = await inboxMsp()
    expect(await rated(msp, { agent_id: null, ticket_number: null })).toMatchObject([
      { title: 'An end user gave a bad rating', affected_agent_ids: [] },
    ])
    expect((await inboxesWith(msp)).toSorted()).toEqual([msp.owner.id, msp.admin.id].toSorted())
  })

  it('is none of another rating', async () => {
    const msp = await inboxMsp()
    expect(await rated(msp, { rating: 'POSITIVE' }, { id: 'fb_2', rating: 'NEUTRAL' })).toEqual([])
  })

  it.each(['NEUTRAL', 'POSITIVE'] as const)(
    'is settled by a rating that is %s, of no other',
    async (rating) => {
      const msp = await inboxMsp()
      await rated(msp, {}, { id: 'fb_2' })
      const items = await rated(msp, { rating })
      expect(items.map(({ cause, resolved }) => [cause, resolved]).toSorted()).toEqual([
        ['fb_1', true],
        ['fb_2', false],
      ])
      expect((await rated(msp, {})).filter(({ cause }) => cause === 'fb_1')).toHaveLength(2)
    },
  )

  it('is settled by a later rating that came with it', async () => {
    const msp = await inboxMsp()
    expect(await rated(msp, {}, { rating: 'POSITIVE' })).toMatchObject([{ resolved: true }])
  })
})
