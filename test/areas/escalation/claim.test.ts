import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEscalations, addNotifications } from '../../setup/escalations.ts'
import { raised } from '../../setup/raised.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import { world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const event_id = 'esc_1'

/** A tenant with an escalation of an agent that the USER does not see. */
async function tenant(also: object = {}) {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addEscalations(msp, [{ id: event_id, agent_id: 1, entity_number: 'T-4711', ...also }])
  return msp
}

describeApi('an escalation', (api) => {
  it('belongs to the first person who acknowledges it', async () => {
    const msp = await tenant()
    const first = await api.call(msp.admin, 'acknowledge_escalation', { event_id })
    expect(first.data).toMatchObject({
      status: 'ACKNOWLEDGED',
      acknowledged_by_name: 'Admin',
      acknowledged_at: expect.any(String),
      next_step_at: null,
    })
    const again = await api.call(msp.admin, 'acknowledge_escalation', { event_id })
    expect([again.status, again.data]).toEqual([200, first.data])
    const second = await api.call(msp.owner, 'acknowledge_escalation', { event_id })
    expect([second.status, second.error]).toMatchObject([
      409,
      {
        code: 'already_acknowledged',
        details: { acknowledged_by_name: 'Admin', acknowledged_at: first.data.acknowledged_at },
      },
    ])
    expect(await raised(msp, 'escalation.acknowledged')).toMatchObject([
      { data: { event_id, status: 'ACKNOWLEDGED', acknowledged_by_name: 'Admin' } },
    ])
  })

  it('belongs to a key without an acting user as to a person of its own', async () => {
    const msp = await tenant()
    const [one, other] = [await msp.newKey(), await msp.newKey()]
    expect((await api.call(one, 'acknowledge_escalation', { event_id })).status).toBe(200)
    expect((await api.call(one, 'acknowledge_escalation', { event_id })).status).toBe(200)
    expect((await api.call(other, 'acknowledge_escalation', { event_id })).error?.code).toBe(
      'already_acknowledged',
    )
    expect((await api.call(msp.admin, 'acknowledge_escalation', { event_id })).error?.code).toBe(
      'already_acknowledged',
    )
  })

  it('belongs to the acting user of a key as to the user', async () => {
    const msp = await tenant()
    const key = await msp.newKey({ acting_user_id: msp.admin.id })
    const { data } = await api.call(key, 'acknowledge_escalation', { event_id })
    expect(data.acknowledged_by_name).toMatch(/^Admin \(API key /)
    expect((await api.call(msp.admin, 'acknowledge_escalation', { event_id })).status).toBe(200)
  })

  it('is resolved by anybody who may acknowledge it, once', async () => {
    const msp = await tenant()
    await api.call(msp.admin, 'acknowledge_escalation', { event_id })
    const input = { comment: 'The mailbox works again.' }
    const resolved = await api.call(msp.owner, 'resolve_escalation', { event_id, input })
    expect(resolved.data).toMatchObject({
      status: 'RESOLVED',
      acknowledged_by_name: 'Admin',
      resolved_by_name: 'Owner',
      resolved_at: expect.any(String),
      comment: 'The mailbox works again.',
      unanswered: false,
    })
    for (const operation of ['resolve_escalation', 'acknowledge_escalation'])
      expect((await api.call(msp.admin, operation, { event_id })).error).toMatchObject({
        code: 'escalation_event_closed',
        details: { status: 'RESOLVED' },
      })
    expect(await raised(msp, 'escalation.resolved')).toMatchObject([
      { data: { event_id, status: 'RESOLVED', comment: 'The mailbox works again.' } },
    ])
  })

  it('is resolved without a word, and by no secret', async () => {
    const msp = await tenant()
    const secret = { comment: 'The password is svc_sk_dev_0123456789abcdefghij' }
    const refused = await api.call(msp.admin, 'resolve_escalation', { event_id, input: secret })
    expect(refused.error?.code).toBe('secret_in_content')
    const long = await api.call(msp.admin, 'resolve_escalation', {
      event_id,
      input: { comment: 'x'.repeat(2001) },
    })
    expect(long.error?.code).toBe('request_validation_failed')
    const { data } = await api.call(msp.admin, 'resolve_escalation', { event_id })
    expect(data).toMatchObject({ status: 'RESOLVED', comment: null })
  })

  describe('is for people of a lower role', () => {
    it('who were told of it by name: they see it, acknowledge and resolve it', async () => {
      const msp = await tenant()
      await makeTechnician(msp, msp.user.id, 8)
      await makeTechnician(msp, msp.viewer.id, 9)
      await addNotifications(msp, [{ event_id, target_id: '8' }])
      expect((await api.call(msp.user, 'escalation_events')).data).toMatchObject([{ id: event_id }])
      expect((await api.call(msp.user, 'acknowledge_escalation', { event_id })).data.status).toBe(
        'ACKNOWLEDGED',
      )
      expect((await api.call(msp.user, 'resolve_escalation', { event_id })).data.status).toBe('RESOLVED')
      expect((await api.call(msp.viewer, 'escalation_event', { event_id })).error?.code).toBe(
        'escalation_event_not_found',
      )
      expect((await api.call(msp.viewer, 'acknowledge_escalation', { event_id })).error?.code).toBe(
        'escalation_event_not_found',
      )
    })

    it('and not for who could not be told', async () => {
      const msp = await tenant()
      await makeTechnician(msp, msp.user.id, 8)
      const failed = { via: 'EMAIL', at: null, error_code: 'no_address' } as const
      await addNotifications(msp, [{ event_id, target_id: '8', ...failed }])
      const { error } = await api.call(msp.user, 'acknowledge_escalation', { event_id })
      expect(error?.code).toBe('escalation_event_not_found')
    })

    it('and for others to read alone, if they see its agent', async () => {
      const msp = await tenant()
      await share(msp, 1, msp.user.id)
      expect((await api.call(msp.user, 'escalation_event', { event_id })).status).toBe(200)
      for (const operation of ['acknowledge_escalation', 'resolve_escalation'])
        expect((await api.call(msp.user, operation, { event_id })).status).toBe(403)
      const key = await msp.newKey({ scopes: ['escalation:read'] })
      expect((await api.call(key, 'acknowledge_escalation', { event_id })).error).toMatchObject({
        code: 'insufficient_scope',
        details: { required_scopes: ['escalation:write'] },
      })
    })

    it('and seen by everybody if it is about no agent', async () => {
      const msp = await tenant({ agent_id: null })
      expect((await api.call(msp.viewer, 'escalation_event', { event_id })).data).toMatchObject({
        id: event_id,
        agent_id: null,
      })
    })
  })

  it('has an entity tag that its steps change', async () => {
    const msp = await tenant()
    const read = () => api.call(msp.admin, 'escalation_event', { event_id })
    const before = await read()
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.escalationEvent.updateMany({ where, data: { current_step: 1 } })
    expect((await read()).etag).not.toBe(before.etag)
  })
})
