import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { describeApi, walk } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { byteOrder, searchable } from '../../setup/companies.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'
import { ids, list, read } from './calls.ts'

describeApi('agents', (api) => {
  it.each([
    [{}, [6, 5, 3, 2, 1]],
    [{ sort: 'created_at' }, [6, 5, 3, 2, 1]],
    [{ sort: 'name' }, [5, 1, 2, 6, 3]],
    [{ state: 'ARCHIVED' }, [4]],
    [{ state: 'ACTIVE' }, [6, 1]],
    [{ state: 'DRAFT', autonomy_type: 'AGENTIC' }, [2]],
    [{ state: ['DRAFT', 'ARCHIVED'] }, [4, 2]],
    [{ state: ['ACTIVE', 'ACTIVE', 'DRAFT'] }, [6, 2, 1]],
    [{ state: ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] }, [6, 5, 4, 3, 2, 1]],
    [{ autonomy_type: 'CONVERSATIONAL' }, [5]],
    [{ trigger_type: 'SCHEDULED' }, [6, 3]],
    [{ trigger_type: 'SCHEDULED', sort: 'name', search: 'ALERT' }, [6, 3]],
    [{ search: 'é' }, [5]],
    [{ search: '%' }, [2]],
    [{ search: '_' }, [6]],
    [{ search: '\\' }, [3]],
    [{ search: 'archived' }, []],
    [{ search: 'archived', state: 'ARCHIVED' }, [4]],
    [{ entity_type: 'TIME_ENTRY' }, [6, 3]],
    [{ entity_type: 'NONE', sort: 'name' }, [5]],
    [{ supervised: true }, [6, 2]],
    [{ supervised: false, sort: 'name' }, [5, 1, 3]],
    [{ supervised: true, entity_type: 'TIME_ENTRY' }, [6]],
  ])('listed with %j are %j', async (args, expected) => {
    const msp = await world()
    const at = (day: number) => new Date(Date.UTC(2026, 0, day))
    await addAgents(msp, [
      { id: 1, name: 'alpha', created_at: at(1) },
      { id: 2, name: 'Beta 100%', state: 'DRAFT', supervised: true, created_at: at(2) },
      {
        id: 3,
        name: 'c:\\alerts',
        state: 'PAUSED',
        autonomy_type: 'CHAINED_ACTIONS',
        trigger_type: 'SCHEDULED',
        entity_type: 'TIME_ENTRY',
        created_at: at(3),
      },
      { id: 4, name: 'archived', state: 'ARCHIVED', created_at: at(4) },
      {
        id: 5,
        name: 'A CAFÉ',
        state: 'PAUSED',
        autonomy_type: 'CONVERSATIONAL',
        trigger_type: 'CHAT',
        entity_type: 'NONE',
        created_at: at(5),
      },
      {
        id: 6,
        name: 'beta_alerts',
        trigger_type: 'SCHEDULED',
        entity_type: 'TIME_ENTRY',
        supervised: true,
        created_at: at(5),
      },
    ])
    expect(ids(await list(api, msp.admin, args))).toEqual(expected)
  })

  it('are all visited once, in order, by walking pages of any size with any filters, as any caller', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const agent = fc.record({
      id: fc.integer({ min: 1, max: 60 }),
      name: fc.string({ unit: fc.constantFrom(...'aAbéÉЯ日%_\\ 0'), minLength: 1, maxLength: 2 }),
      state: fc.constantFrom('DRAFT' as const, 'ACTIVE' as const, 'ARCHIVED' as const),
      trigger_type: fc.constantFrom('TRIGGERED' as const, 'SCHEDULED' as const),
      entity_type: fc.constantFrom('TICKET' as const, 'NONE' as const),
      supervised: fc.boolean(),
      day: fc.integer({ min: 1, max: 3 }),
      mine: fc.constantFrom('created', 'shared', 'no'),
    })
    const agents = fc.uniqueArray(agent, { selector: ({ id }) => id, maxLength: 20 })
    const filters = fc.record(
      {
        state: fc.subarray(['DRAFT', 'ACTIVE', 'ARCHIVED'], { minLength: 1 }),
        trigger_type: fc.constantFrom('TRIGGERED', 'SCHEDULED'),
        entity_type: fc.constantFrom('TICKET', 'NONE', 'TIME_ENTRY'),
        supervised: fc.boolean(),
        search: fc.constantFrom('a', 'É', '%', '_', '\\', '日'),
        sort: fc.constantFrom('created_at', 'name'),
        page_size: fc.integer({ min: 1, max: 7 }),
      },
      { requiredKeys: ['page_size'] },
    )
    await fc.assert(
      fc.asyncProperty(agents, filters, fc.boolean(), async (given, args, restricted) => {
        await prisma.agent.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addAgents(
          msp,
          given.map(({ day, mine, ...row }) => ({
            ...row,
            created_at: new Date(Date.UTC(2026, 0, day)),
            created_by_user_id: mine === 'created' ? msp.user.id : null,
          })),
        )
        for (const { id, mine } of given) if (mine === 'shared') await share(msp, id, msp.user.id)
        const { state, trigger_type, entity_type, supervised, search, sort } = args
        const expected = given
          .filter((row) => !restricted || row.mine !== 'no')
          .filter((row) => (state ? state.includes(row.state) : row.state !== 'ARCHIVED'))
          .filter((row) => !trigger_type || row.trigger_type === trigger_type)
          .filter((row) => !entity_type || row.entity_type === entity_type)
          .filter((row) => supervised === undefined || row.supervised === supervised)
          .filter((row) => !search || searchable(row.name).includes(searchable(search)))
          .sort((a, b) =>
            sort === 'name'
              ? byteOrder(searchable(a.name), searchable(b.name)) || a.id - b.id
              : b.day - a.day || b.id - a.id,
          )
          .map(({ id }) => id)
        const pages = await walk((cursor) =>
          list(api, restricted ? msp.user : msp.key, { ...args, ...cursor }),
        )
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every(({ data }) => data.length === args.page_size)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  it('cost one statement beside the credential, however many they are', async () => {
    const msp = await world()
    await addAgents(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ id: n + 1 })),
    )
    await list(api, msp.key)
    for (const work of [
      () => list(api, msp.key, { page_size: 5 }),
      () => list(api, msp.key, { page_size: 200 }),
      () => read(api, msp.key, 7),
    ]) {
      await work()
      expect(await countStatements(msp.database, work)).toBe(2)
    }
  })

  it.each([
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
    [{ state: 'active' }, 'state.0', 'enum'],
    [{ state: ['ACTIVE', 'GONE'] }, 'state.1', 'enum'],
    [{ autonomy_type: 'CHAT' }, 'autonomy_type', 'enum'],
    [{ trigger_type: 'RUN_NOW' }, 'trigger_type', 'enum'],
    [{ entity_type: 'ticket' }, 'entity_type', 'enum'],
    [{ supervised: 'yes' }, 'supervised', 'type'],
    [{ sort: 'NAME' }, 'sort', 'enum'],
    [{ search: ' ' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await list(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('take a cursor of the same states, however they are written', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, state: 'DRAFT' }])
    const first = await list(api, msp.key, { page_size: 1, state: ['ACTIVE', 'DRAFT'] })
    const cursor = first.pagination?.next_cursor
    expect(ids(await list(api, msp.key, { cursor, state: ['DRAFT', 'ACTIVE', 'DRAFT'] }))).toEqual([1])
  })

  it('refuse a cursor of other filters, of another order, list or tenant, or expired', async () => {
    const msp = await world()
    const other = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const cursor = (await list(api, msp.key, { page_size: 1 })).pagination?.next_cursor ?? ''
    expect(ids(await list(api, msp.key, { cursor, page_size: 9, sort: 'created_at' }))).toEqual([1])
    const refused = [
      await list(api, msp.key, { cursor, state: 'ACTIVE' }),
      await list(api, msp.key, { cursor, sort: 'name' }),
      await list(api, msp.key, { cursor, entity_type: 'TICKET' }),
      await list(api, msp.key, { cursor, supervised: false }),
      await api.call(msp.key, 'end_companies', { cursor }),
      await list(api, other.key, { cursor }),
      await list(api, msp.key, { cursor: `${cursor}A` }),
    ]
    clock.advance(days(1) + 1)
    refused.push(await list(api, await msp.newKey(), { cursor }))
    expect(refused.map(({ status, error }) => [status, error?.code, error?.details.reason])).toEqual([
      ...Array(4).fill([400, 'invalid_cursor', 'FILTERS_CHANGED']),
      ...Array(3).fill([400, 'invalid_cursor', 'MALFORMED']),
      [400, 'invalid_cursor', 'EXPIRED'],
    ])
  })
})
