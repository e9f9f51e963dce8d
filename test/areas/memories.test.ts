import { describe, expect, it } from 'vitest'
import { addAgents, share } from '../setup/agents.ts'
import { type Answer, apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { TIMES, times } from '../setup/at-once.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { addMemories } from '../setup/memories.ts'
import { days, type Msp, world } from '../setup/world.ts'

const draft = (changes: object = {}) => ({
  input: {
    content: 'Invoices go out on Thursdays.',
    category: 'PROCEDURAL',
    scope_type: 'TENANT',
    ...changes,
  },
})

const fieldsOf = ({ error }: Answer) =>
  error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)

const actions = async (msp: Msp) => (await activitiesOf(msp)).map(({ action }) => action)

describeApi('memories', (api) => {
  it('are kept with every field of the contract', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 7 }])
    const { status, data, headers } = await api.call(
      msp.admin,
      'create_memory',
      draft({
        scope_type: 'CLIENT',
        scope_id: 'psa_1',
        audiences: ['DISPATCH', 'TECHNICIANS', 'DISPATCH'],
        evidence: 'Ticket 4711',
        restricted_to_agent_ids: ['7', '7'],
      }),
    )
    expect([status, data]).toEqual([
      200,
      {
        id: expect.stringMatching(/^mem_/),
        state: 'ACTIVE',
        content: 'Invoices go out on Thursdays.',
        category: 'PROCEDURAL',
        audiences: ['DISPATCH', 'TECHNICIANS'],
        scope_type: 'CLIENT',
        scope_id: 'psa_1',
        derivation: 'STATED',
        confidence: 1,
        evidence: 'Ticket 4711',
        created_by: 'USER',
        created_by_user_name: 'Admin',
        restricted_to_agent_ids: ['7'],
        test_mode: false,
        pinned: false,
        pinned_at: null,
        last_confirmed_at: null,
        superseded_by: null,
        supersedes_id: null,
        deleted_at: null,
        created_at: expect.any(String),
        revision: 1,
      },
    ])
    if (api.name === 'rest') expect(headers.get('location')).toBe(`/public-api/memories/${data.id}`)
    const read = await api.call(msp.key, 'memory', { memory_id: data.id })
    expect([read.status, read.data]).toEqual([200, data])
  })

  it('say who wrote them, and are certain if a person stated them', async () => {
    const msp = await world()
    const by = async (caller: Msp['user'], changes: object) => {
      const { data, warnings } = await api.call(caller, 'create_memory', draft(changes))
      return [data.created_by, data.confidence, warnings.length]
    }
    expect(await by(msp.user, {})).toEqual(['USER', 1, 0])
    expect(await by(msp.user, { confidence: 0.3 })).toEqual(['USER', 1, 1])
    expect(await by(msp.user, { derivation: 'OBSERVED', confidence: 0.3 })).toEqual(['USER', 0.3, 0])
    expect(await by(msp.key, {})).toEqual(['API_KEY', 0.8, 0])
    const { prisma } = msp.database
    const now = clock.now()
    const owned = { tenant_id: msp.tenant_id, environment: msp.environment, created_at: now, updated_at: now }
    await prisma.technicianProfile.create({ data: { ...owned, id: 5, psa_id: 5, name: 'T' } })
    await prisma.tenantUser.updateMany({
      where: { tenant_id: msp.tenant_id, id: msp.user.id },
      data: { technician_profile_id: 5 },
    })
    expect(await by(msp.user, {})).toEqual(['TECHNICIAN', 1, 0])
  })

  it.each([
    [{ audiences: ['ALL', 'DISPATCH'] }, ['audiences exclusive']],
    [{ scope_id: 'psa_1' }, ['scope_id exclusive']],
    [{ scope_type: 'DEVICE' }, ['scope_id required']],
    [{ scope_type: 'DEVICE', scope_id: ' ' }, ['scope_id length']],
    [{ scope_type: 'DEVICE', scope_id: 'x'.repeat(201) }, ['scope_id length']],
    [{ scope_type: 'DEVICE', scope_id: 'a\0b' }, ['scope_id characters']],
    [{ restricted_to_agent_ids: ['99'] }, ['restricted_to_agent_ids.0 unknown']],
    [
      { restricted_to_agent_ids: ['98', '98', '99'] },
      [0, 1, 2].map((index) => `restricted_to_agent_ids.${index} unknown`),
    ],
    [{ content: ' ' }, ['content length']],
    [{ content: 'x'.repeat(4001) }, ['content length']],
    [{ confidence: 1.5 }, ['confidence range']],
  ])('refuse %j, and keep nothing', async (changes, problems) => {
    const msp = await world()
    const answer = await api.call(msp.admin, 'create_memory', draft(changes))
    expect([answer.status, answer.error?.code]).toEqual([422, 'request_validation_failed'])
    expect(fieldsOf(answer)?.map((text) => text.replace('input.', ''))).toEqual(problems)
    expect((await api.call(msp.key, 'memories')).data).toEqual([])
  })

  it('hold no secrets', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1' }])
    const secret = 'The key is svc_sk_dev_0123456789abcdefghij.'
    const created = await api.call(msp.admin, 'create_memory', draft({ content: secret, evidence: secret }))
    expect([created.status, created.error?.code, fieldsOf(created)]).toEqual([
      422,
      'secret_in_content',
      ['content secret', 'evidence secret'],
    ])
    expect(JSON.stringify(created.error)).not.toContain('0123456789abcdefghij')
    const updated = await api.call(msp.admin, 'update_memory', {
      memory_id: 'mem_1',
      input: { content: secret },
    })
    expect(updated.error?.code).toBe('secret_in_content')
    expect(await actions(msp)).toEqual([])
  })

  it('with other content are new memories, which replace the old ones', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1', scope_type: 'CLIENT', scope_id: 'psa_1', evidence: 'Ticket 1' }])
    const { data } = await api.call(msp.admin, 'update_memory', {
      memory_id: 'mem_1',
      input: { content: 'It moved.', category: 'EPISODIC' },
    })
    expect(data).toMatchObject({
      content: 'It moved.',
      category: 'EPISODIC',
      scope_id: 'psa_1',
      evidence: 'Ticket 1',
      supersedes_id: 'mem_1',
      superseded_by: null,
      state: 'ACTIVE',
      created_by: 'USER',
      revision: 1,
    })
    const old = (await api.call(msp.key, 'memory', { memory_id: 'mem_1' })).data
    expect(old).toMatchObject({
      state: 'SUPERSEDED',
      superseded_by: data.id,
      category: 'SEMANTIC',
      revision: 2,
    })
    const listed = (await api.call(msp.key, 'memories')).data.map(({ id }: { id: string }) => id)
    expect(listed).toEqual([data.id])
    const refused = ['pin_memory', 'unpin_memory', 'confirm_memory', 'delete_memory', 'restore_memory']
    for (const operation of refused) {
      const { status, error } = await api.call(msp.admin, operation, { memory_id: 'mem_1' })
      expect([operation, status, error?.code, error?.details.superseded_by]).toEqual([
        operation,
        409,
        'memory_superseded',
        data.id,
      ])
    }
    expect(await actions(msp)).toEqual(['memory.superseded'])
  })

  it('with the same content keep their id, and change only if something changes', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1', content: 'Same.' }])
    const update = (input: object, headers = {}) =>
      api.call(msp.admin, 'update_memory', { memory_id: 'mem_1', input }, headers)
    const same = await update({ content: ' Same. ', audiences: ['ALL'], evidence: null })
    expect([same.status, same.data.revision]).toEqual([200, 1])
    const changed = await update({ content: 'Same.', confidence: 0.5 }, { 'if-match': '"1"' })
    expect(changed.data).toMatchObject({ id: 'mem_1', confidence: 0.5, revision: 2 })
    expect((await update({ confidence: 0.6 }, { 'if-match': '"1"' })).error?.code).toBe('version_conflict')
    expect(await actions(msp)).toEqual(['memory.updated'])
  })

  it('that were read are sent back, whatever they hold and whichever of their agents the caller sees', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
    const secret = 'Bearer abcdefgh12345678'
    await addMemories(msp, [{ id: 'mem_1', content: secret, evidence: secret, restricted_agent_ids: [1, 2] }])
    const { content, evidence, restricted_to_agent_ids } = (
      await api.call(msp.user, 'memory', { memory_id: 'mem_1' })
    ).data
    const update = (input: object) => api.call(msp.user, 'update_memory', { memory_id: 'mem_1', input })
    const same = await update({ content, evidence, restricted_to_agent_ids })
    expect([same.status, same.data?.revision]).toEqual([200, 1])
    const other = await update({ restricted_to_agent_ids: ['1', '2', '3'] })
    expect(fieldsOf(other)?.map((text) => text.replace('input.', ''))).toEqual([
      'restricted_to_agent_ids.2 unknown',
    ])
    expect((await update({ content, evidence: `${secret}9` })).error?.code).toBe('secret_in_content')
    expect(await actions(msp)).toEqual([])
  })

  it('that are pinned are replaced by people alone', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1' }])
    const pinned = await api.call(msp.user, 'pin_memory', { memory_id: 'mem_1' })
    expect(pinned.data).toMatchObject({ pinned: true, pinned_at: expect.any(String), revision: 2 })
    expect((await api.call(msp.user, 'pin_memory', { memory_id: 'mem_1' })).data).toEqual(pinned.data)
    const update = (caller: Msp['user']) =>
      api.call(caller, 'update_memory', { memory_id: 'mem_1', input: { content: 'Other.' } })
    const refused = await update(msp.key)
    expect([refused.status, refused.error?.code]).toEqual([409, 'memory_pinned'])
    const replaced = await update(msp.user)
    expect([replaced.status, replaced.data.pinned, replaced.data.revision]).toEqual([200, true, 1])
    const unpinned = await api.call(msp.user, 'unpin_memory', { memory_id: replaced.data.id })
    expect(unpinned.data).toMatchObject({ pinned: false, pinned_at: null })
    expect(await actions(msp)).toEqual(['memory.pinned', 'memory.superseded', 'memory.unpinned'])
  })

  it('are surer once they are confirmed', async () => {
    const msp = await world()
    await addMemories(msp, [
      { id: 'mem_1', confidence: 0.4 },
      { id: 'mem_2', confidence: 0.99 },
    ])
    const confirm = async (memory_id: string) => {
      const { data } = await api.call(msp.user, 'confirm_memory', { memory_id })
      expect(data.last_confirmed_at).toEqual(expect.any(String))
      return data.confidence
    }
    expect([await confirm('mem_1'), await confirm('mem_2')]).toEqual([0.95, 0.99])
  })

  it('are deleted, and restored for 30 days', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1' }])
    const deleted = await api.call(msp.user, 'delete_memory', { memory_id: 'mem_1' })
    expect(deleted.data).toMatchObject({ state: 'DELETED', deleted_at: expect.any(String) })
    expect((await api.call(msp.user, 'delete_memory', { memory_id: 'mem_1' })).data).toEqual(deleted.data)
    expect((await api.call(msp.key, 'memories')).data).toEqual([])
    const refused = await api.call(msp.user, 'confirm_memory', { memory_id: 'mem_1' })
    expect([refused.status, refused.error?.code]).toEqual([409, 'memory_deleted'])
    const restored = await api.call(msp.user, 'restore_memory', { memory_id: 'mem_1' })
    expect(restored.data).toMatchObject({ state: 'ACTIVE', deleted_at: null })
    await addMemories(msp, [
      { id: 'mem_2', state: 'DELETED', deleted_at: new Date(clock.now().getTime() - days(30) - 1000) },
      { id: 'mem_3', state: 'DELETED', deleted_at: new Date(clock.now().getTime() - days(29)) },
    ])
    const gone = await api.call(msp.user, 'restore_memory', { memory_id: 'mem_2' })
    expect([gone.status, gone.error?.code]).toEqual([404, 'memory_not_found'])
    const listed = await api.call(msp.key, 'memories', { state: ['DELETED'] })
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual(['mem_3'])
  })

  it('for agents that the caller does not see do not exist', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
    await share(msp, 2, msp.viewer.id)
    await addMemories(msp, [
      { id: 'mem_1', restricted_agent_ids: [1, 9] },
      { id: 'mem_2', restricted_agent_ids: [2] },
      { id: 'mem_3' },
    ])
    const seenBy = async (caller: Msp['user']) =>
      (await api.call(caller, 'memories')).data.map(({ id }: { id: string }) => id)
    expect([await seenBy(msp.key), await seenBy(msp.user), await seenBy(msp.viewer)]).toEqual([
      ['mem_3', 'mem_2', 'mem_1'],
      ['mem_3', 'mem_1'],
      ['mem_3', 'mem_2'],
    ])
    for (const operation of ['memory', 'pin_memory', 'delete_memory']) {
      const { status, error } = await api.call(msp.user, operation, { memory_id: 'mem_2' })
      expect([status, error?.code]).toEqual([404, 'memory_not_found'])
    }
    const foreign = await api.call(msp.user, 'create_memory', draft({ restricted_to_agent_ids: ['2'] }))
    expect(fieldsOf(foreign)?.map((text) => text.replace('input.', ''))).toEqual([
      'restricted_to_agent_ids.0 unknown',
    ])
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('a memory gets exactly one successor', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1' }])
    const answers = await times((n) =>
      api.call(msp.admin, 'update_memory', { memory_id: 'mem_1', input: { content: `Other ${n}` } }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error?.code === 'memory_superseded')).toHaveLength(TIMES - 1)
    expect(await msp.database.prisma.agentMemory.count({ where: { tenant_id: msp.tenant_id } })).toBe(2)
  })

  it('a memory is deleted or replaced, and never both', async () => {
    const msp = await world()
    await addMemories(msp, [{ id: 'mem_1' }])
    const answers = await times((n) =>
      n % 2
        ? api.call(msp.admin, 'delete_memory', { memory_id: 'mem_1' })
        : api.call(msp.admin, 'update_memory', { memory_id: 'mem_1', input: { content: `Other ${n}` } }),
    )
    const { data } = await api.call(msp.key, 'memory', { memory_id: 'mem_1' })
    const replaced = answers.filter(({ status }, n) => n % 2 === 0 && status === 200).length
    const deleted = answers.filter(({ status }, n) => n % 2 === 1 && status === 200).length
    expect([data.state, replaced > 0, deleted > 0]).toEqual(
      data.state === 'DELETED' ? ['DELETED', false, true] : ['SUPERSEDED', true, false],
    )
    expect(data.revision).toBe(2)
  })
})
