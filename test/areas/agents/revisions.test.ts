import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lockEditableAgent, reconfigure, storeAgent } from '../../../src/areas/agents/resource.ts'
import { readSnapshot } from '../../../src/areas/agents/revisions/agent-revision.ts'
import { configurationIn } from '../../../src/areas/agents/rules.ts'
import { Prisma } from '../../../src/db/generated/client/client.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import type { Context } from '../../../src/gateway/context.ts'
import { Stopwatch } from '../../../src/lib/stopwatch.ts'
import { addAgents, addRevisions, share } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { agentsOfPeople, revisionsOf } from './people.ts'

const contextOf = ({ tenant_id, environment, database, admin }: Msp): Context =>
  ({
    viewer: {
      tenant_id,
      environment,
      id: admin.id,
      name: 'Admin',
      kind: { type: 'USER' },
      person: { id: admin.id, name: 'Admin', role: 'ADMIN' },
      acting_user: null,
    },
    services: { database },
    request: { id: 'req', ip: null, user_agent: null, if_match: null },
    transaction: null,
    db_time: new Stopwatch(),
    now: clock.now(),
  }) as unknown as Context

const DRAFT = {
  name: 'Triage',
  description: null,
  state: 'DRAFT',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: { custom_instructions: 'Be brief.', max_minutes: 60 },
  agent_settings_edits: null,
  toolbox: { tools: ['web.search'] },
  integrations: null,
  schedule: null,
  callback_settings: null,
  actions: [{ type: 'ticket.add_note', params: { text: 'Dónde?' } }],
  ticket_conditions: null,
  time_entry_conditions: null,
  supervised: false,
  supervisor_technician_ids: [],
} as const

const CHANGED = {
  agent_settings: { custom_instructions: 'Be brief.', max_minutes: 30 },
  actions: [],
  supervisor_technician_ids: [7],
}

/** An agent that was created, and changed twice. */
async function changedAgent(): Promise<{ msp: Msp; id: number; change(patch: object): Promise<unknown> }> {
  const msp = await world()
  const change = (id: number, patch: object) => {
    const ctx = contextOf(msp)
    return inTransaction(ctx, 10_000, () =>
      reconfigure(ctx, lockEditableAgent(ctx, id), { verb: 'updated', decide: () => patch }),
    )
  }
  const ctx = contextOf(msp)
  const { id } = await inTransaction(ctx, 10_000, () => storeAgent(ctx, DRAFT as never))
  clock.advance(1000)
  await change(id, CHANGED)
  await change(id, { name: 'Sorting', toolbox: null })
  return { msp, id, change: (patch) => change(id, patch) }
}

const list = (api: Api, caller: Caller, agent_id: unknown, args = {}) =>
  api.call(caller, 'agent_revisions', { agent_id, ...args })

const restore = (api: Api, caller: Caller, agent_id: unknown, revision: unknown, headers = {}) =>
  api.call(caller, 'restore_agent_revision', { agent_id, revision }, headers)

describeApi('the revisions of an agent', (api) => {
  it('are the changes of its configuration, with what each changed', async () => {
    const { msp, id, change } = await changedAgent()
    await change({ name: 'Sorting' })
    await api.call(msp.admin, 'activate_agent', { agent_id: id })
    await change({ toolbox: { tools: ['web.search', 'memory.save'] } })
    const { data } = await list(api, msp.admin, id)
    const single = async (revision: unknown) => {
      const answer = await api.call(msp.admin, 'agent_revision', { agent_id: id, revision })
      return answer.data
    }
    const snapshot = { ...DRAFT, state: undefined }
    const third = { ...snapshot, ...CHANGED, name: 'Sorting', toolbox: null }
    const { state: _, ...first } = DRAFT
    const expected = [
      [5, ['toolbox'], { ...third, toolbox: { tools: ['web.search', 'memory.save'] } }],
      [3, ['name', 'toolbox'], third],
      [2, ['agent_settings.max_minutes', 'actions', 'supervisor_technician_ids'], { ...first, ...CHANGED }],
      [
        1,
        [
          'name',
          'autonomy_type',
          'trigger_type',
          'entity_type',
          'agent_settings',
          'toolbox',
          'actions',
          'supervised',
          'supervisor_technician_ids',
        ],
        first,
      ],
    ]
    for (const [index, [revision, changed_paths, configuration]] of expected.entries()) {
      const listed = { revision, changed_at: expect.any(String), changed_by_name: 'Admin', changed_paths }
      expect(data[index]).toEqual(listed)
      const stored = JSON.parse(JSON.stringify(configuration))
      expect(await single(revision)).toEqual({ ...listed, snapshot: stored })
    }
    expect(data).toHaveLength(4)
  })

  it('are stored with the change or not at all', async () => {
    const { msp, id } = await changedAgent()
    const ctx = contextOf(msp)
    const failing = inTransaction(ctx, 10_000, async () => {
      await reconfigure(ctx, lockEditableAgent(ctx, id), {
        verb: 'updated',
        decide: () => ({ name: 'Lost' }),
      })
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    expect((await revisionsOf(msp, id)).map(({ revision }) => revision)).toEqual([1, 2, 3])
    expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual([
      'agent.created',
      'agent.updated',
      'agent.updated',
    ])
  })

  it('are restored as a new one, and once', async () => {
    const { msp, id } = await changedAgent()
    const restored = await restore(api, msp.owner, id, 1)
    const { data, etag } = await api.call(msp.owner, 'agent', { agent_id: id })
    expect([restored.status, restored.data, restored.etag]).toEqual([
      200,
      {
        id,
        name: 'Triage',
        state: 'DRAFT',
        created_at: data.created_at,
        updated_at: data.updated_at,
      },
      etag,
    ])
    expect(data).toMatchObject({ ...DRAFT, revision: 4 })
    const [latest] = (await list(api, msp.owner, id)).data
    expect(latest).toMatchObject({
      revision: 4,
      changed_by_name: 'Owner',
      changed_paths: [
        'name',
        'agent_settings.max_minutes',
        'toolbox',
        'actions',
        'supervisor_technician_ids',
      ],
    })
    const again = await restore(api, msp.owner, id, 1)
    expect([again.status, again.etag]).toEqual([200, etag])
    expect((await activitiesOf(msp)).at(-1)?.action).toBe('agent.restored')
    expect(await activitiesOf(msp)).toHaveLength(4)
  })

  it('leave the state and the shares where they are', async () => {
    const { msp, id } = await changedAgent()
    await api.call(msp.owner, 'activate_agent', { agent_id: id })
    await share(msp, id, msp.viewer.id)
    await restore(api, msp.owner, id, 2)
    const { data } = await api.call(msp.viewer, 'agent', { agent_id: id })
    expect(data).toMatchObject({ state: 'ACTIVE', name: 'Triage', shared_with_me: true })
  })

  it.each([0, -1, 4, 2_147_483_648, 1e21, '01', 'x', '\u0000'])('has no revision %j', async (revision) => {
    const { msp, id } = await changedAgent()
    const read = await api.call(msp.owner, 'agent_revision', { agent_id: id, revision })
    for (const answer of [await restore(api, msp.owner, id, revision), read])
      expect(outcome(answer)).toEqual(
        api.name === 'rest' || (typeof revision === 'number' && revision < 2 ** 31)
          ? [404, 'agent_revision_not_found']
          : [422, 'request_validation_failed'],
      )
  })

  it('of an archived agent are read, and not restored', async () => {
    const { msp, id } = await changedAgent()
    await api.call(msp.owner, 'archive_agent', { agent_id: id })
    const refused = await restore(api, msp.owner, id, 1)
    expect([...outcome(refused), refused.error?.details.current_state]).toEqual([
      409,
      'agent_not_active',
      'ARCHIVED',
    ])
    expect((await list(api, msp.owner, id)).data).toHaveLength(3)
  })

  it('are restored on the version that was read', async () => {
    const { msp, id } = await changedAgent()
    const late = await restore(api, msp.owner, id, 1, { 'if-match': '"2"' })
    expect(outcome(late)).toEqual([409, 'version_conflict'])
    expect((await restore(api, msp.owner, id, 1, { 'if-match': '"3"' })).status).toBe(200)
  })

  it('are read by who sees the agent, and restored by who may change it', async () => {
    const msp = await agentsOfPeople()
    for (const id of [1, 2, 3, 4, 5]) await addRevisions(msp, id, [{ revision: 1 }])
    const statuses = async (ask: (id: number) => Promise<{ status: number }>) => {
      const answers = []
      for (const id of [1, 2, 3, 4, 5]) answers.push((await ask(id)).status)
      return answers
    }
    expect(await statuses((id) => list(api, msp.user, id))).toEqual([200, 200, 200, 404, 404])
    expect(await statuses((id) => list(api, msp.viewer, id))).toEqual([404, 404, 404, 404, 200])
    const read = (caller: Caller) => (id: number) =>
      api.call(caller, 'agent_revision', { agent_id: id, revision: 1 })
    expect(await statuses(read(msp.user))).toEqual([200, 200, 200, 404, 404])
    expect(await statuses(read(msp.viewer))).toEqual([404, 404, 404, 404, 200])
    expect(await statuses((id) => restore(api, msp.user, id, 1))).toEqual([200, 200, 403, 404, 404])
    expect(await statuses((id) => restore(api, msp.viewer, id, 1))).toEqual(Array(5).fill(403))
  })

  it('of an agent that was made before there were any are none', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    expect((await list(api, msp.owner, 1)).data).toEqual([])
  })
})

/** Changes of fields of each form, null and nothing changed among them. */
const changes = fc.array(
  fc.record(
    {
      name: fc.constantFrom('Triage', 'Sorting', 'Ünïcode \u{1f600}'),
      description: fc.constantFrom(null, 'A', '"quoted"\n'),
      agent_settings: fc.record({
        custom_instructions: fc.string(),
        max_minutes: fc.constantFrom(1, 60, 0.1 + 0.2),
      }),
      agent_settings_edits: fc.constantFrom(null, { max_minutes: 60 }),
      actions: fc.constantFrom(null, [], [{ type: 'ticket.close', params: { a: [1, null, { b: 'c' }] } }]),
      toolbox: fc.constantFrom(null, { tools: [] }, { tools: ['web.search'] }),
      supervised: fc.boolean(),
      supervisor_technician_ids: fc.constantFrom([], [7], [7, 8]),
    },
    { requiredKeys: [] },
  ),
  { minLength: 20, maxLength: 34 },
)

it('whatever the history of an agent, each revision has exactly the configuration that it had then', async () => {
  const { msp, id, change } = await changedAgent()
  const owned = { tenant_id: msp.tenant_id, agent_id: id }
  const { prisma } = msp.database
  const configured = async () =>
    configurationIn((await prisma.agent.findFirst({ where: { id, tenant_id: msp.tenant_id } })) ?? {})
  const then = new Map<number, unknown>()
  // One revision of an earlier release, which has fewer fields.
  await prisma.agentRevision.updateMany({
    where: { ...owned, revision: 2 },
    data: { snapshot: { name: 'Old' }, difference: Prisma.DbNull },
  })
  for (const patch of fc.sample(changes, { numRuns: 2, seed: 7 }).flat()) {
    await change(patch)
    const latest = await prisma.agentRevision.findFirst({ where: owned, orderBy: { revision: 'desc' } })
    then.set(latest?.revision ?? 0, await configured())
  }
  expect(then.size).toBeGreaterThan(35)
  const read = async (revision: number) => {
    const ctx = contextOf(msp)
    return await inTransaction(ctx, 10_000, () => readSnapshot(ctx, id, revision))
  }
  for (const [revision, configuration] of then)
    if (revision > 3) expect(await read(revision)).toEqual(configuration)
  expect(await read(2)).toEqual({ name: 'Old' })
  const rows = await prisma.agentRevision.findMany({ where: owned })
  const whole = rows.filter(({ snapshot }) => snapshot !== null)
  expect(whole.length).toBeLessThan(rows.length / 8)
  expect(rows.every(({ snapshot, difference }) => (snapshot === null) !== (difference === null))).toBe(true)
})

describeApi('the configuration of an agent', (api) => {
  it('has at most a megabyte in sum, whichever field makes it larger', async () => {
    const msp = await world()
    const actions = (size: number) =>
      Array.from({ length: 60 }, () => ({ type: 'ticket.add_note', params: { text: 'x'.repeat(size) } }))
    const body = {
      name: 'Large',
      autonomy_type: 'CHAINED_ACTIONS',
      trigger_type: 'TRIGGERED',
      entity_type: 'TICKET',
    }
    const settings = { agent_settings: {} }
    const refused = await api.call(msp.admin, 'create_agent', {
      input: { ...body, ...settings, actions: actions(18_000) },
    })
    expect([...outcome(refused), refused.error?.details.field_errors]).toEqual([
      400,
      'validation_error',
      [expect.objectContaining({ field: 'actions', code: 'configuration_too_large' })],
    ])
    const { data, ...created } = await api.call(msp.admin, 'create_agent', {
      input: { ...body, ...settings, actions: actions(17_000) },
    })
    expect(created.status).toBe(200)
    const before = await msp.database.prisma.agentRevision.count({ where: { tenant_id: msp.tenant_id } })
    await api.call(msp.admin, 'update_agent', { agent_id: data.id, input: { description: 'small' } })
    const [latest] = await msp.database.prisma.agentRevision.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { revision: 'desc' },
    })
    expect([before, latest?.snapshot, latest?.difference]).toEqual([1, null, { description: 'small' }])
  })
})
