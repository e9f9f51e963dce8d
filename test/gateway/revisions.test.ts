import { describe, expect, it } from 'vitest'
import { isRequired } from '../../src/schema/calls/input.ts'
import { type Api, type Arguments, apis, describeApi, published } from '../setup/api.ts'
import { clock, ENVIRONMENT } from '../setup/app.ts'
import { countActivities } from '../setup/audit-log.ts'
import { json, request } from '../setup/http.ts'
import { idFor, requiredArguments } from '../setup/samples.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { type Msp, world } from '../setup/world.ts'

interface Resource {
  name: string
  read: readonly [operation: string, args: (msp: Msp) => Arguments]
  /** The list that has it, and what finds it there. */
  list?: readonly [operation: string, name: string]
  write: readonly [operation: string, args: (msp: Msp) => Arguments]
  /** Two inputs, each of which changes what the other wrote. */
  inputs: readonly [object, object]
}

const key = ({ key: { id } }: Msp) => ({ key_id: id })
const user = ({ user: { id } }: Msp) => ({ user_id: id })
const tickets = () => ({ name: 'TICKETS' })

const RESOURCES: readonly Resource[] = [
  {
    name: 'settings',
    read: ['settings', () => ({})],
    write: ['update_settings', () => ({})],
    inputs: [{ end_business_hours: 20 }, { end_business_hours: 21 }],
  },
  {
    name: 'billing alerts',
    read: ['billing_alerts', () => ({})],
    write: ['update_billing_alerts', () => ({})],
    inputs: [{ thresholds_pct: [50] }, { thresholds_pct: [60, 100] }],
  },
  {
    name: 'an API key',
    read: ['api_key', key],
    list: ['api_keys', 'id'],
    write: ['update_api_key', key],
    inputs: [
      { description: 'One', allowed_cidrs: ['127.0.0.0/8'], scopes: ['settings:write', 'settings:read'] },
      { description: 'Two' },
    ],
  },
  {
    name: 'a user',
    read: ['tenant_user', user],
    list: ['tenant_users', 'id'],
    write: ['set_user_role', user],
    inputs: [{ role: 'ADMIN' }, { role: 'VIEWER' }],
  },
  {
    name: 'a permission group',
    read: ['permission_group', tickets],
    list: ['permission_groups', 'name'],
    write: ['update_permission_group', tickets],
    inputs: [{ requires_approval: true, approver_technician_ids: [] }, { requires_approval: false }],
  },
]

const using = (api: Api, { read, list, write }: Resource, msp: Msp) => ({
  read: (headers = {}) => api.call(msp.owner, read[0], read[1](msp), headers),
  write: (input: object, headers = {}) => api.call(msp.owner, write[0], { ...write[1](msp), input }, headers),
  async rowIn(id: unknown) {
    if (!list) return null
    const { data } = await api.call(msp.owner, list[0])
    return data.find((row: Record<string, unknown>) => row[list[1]] === id)
  },
})

const revisionIn = (etag: string | null) => Number(etag?.match(/^"(\d+)[."]/)?.[1])

describe.each(RESOURCES)('a revision of $name', (resource) => {
  describeApi('is what concurrency is judged by', (api) => {
    it('with every change a new one, also within one millisecond', async () => {
      const msp = await world()
      const { read, write, rowIn } = using(api, resource, msp)
      clock.freeze()
      const first = await read()
      const tags = [first.etag]
      for (const input of [...resource.inputs, ...resource.inputs]) {
        const { data, etag } = await write(input, { 'if-match': tags.at(-1) ?? '' })
        expect(revisionIn(etag)).toBe(data.revision)
        expect(await read()).toMatchObject({ data, etag })
        const id = data.id ?? data.name
        expect((await rowIn(id))?.revision).toBe(resource.list && data.revision)
        tags.push(etag)
      }
      expect(tags.map(revisionIn)).toEqual([1, 2, 3, 4, 5])
      for (const outdated of tags.slice(0, -1)) {
        const { status, error } = await write({ ...resource.inputs[0] }, { 'if-match': outdated ?? '' })
        expect([status, error?.code, error?.details.current_etag]).toEqual([
          409,
          'version_conflict',
          tags.at(-1),
        ])
      }
      const byRow = await write(resource.inputs[0], { 'if-match': 'W/"1", "5"' })
      expect(byRow.data.revision).toBe(6)
    })

    it('the same after writing what is stored', async () => {
      const msp = await world()
      const { read, write } = using(api, resource, msp)
      await write(resource.inputs[0])
      const stored = await read()
      clock.advance(1000)
      const again = await write(resource.inputs[0])
      expect([again.status, again.data, again.etag]).toEqual([200, stored.data, stored.etag])
      expect(await read()).toMatchObject({ data: stored.data, etag: stored.etag })
      expect(await countActivities(msp)).toBe(1)
    })

    it.runIf(process.env.DATABASE_URL)('and of six writes at once with one tag one is made', async () => {
      const msp = await world()
      const { read, write } = using(api, resource, msp)
      clock.freeze()
      const { etag } = await read()
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => write(resource.inputs[0], { 'if-match': etag ?? '' })),
      )
      const outcomes = answers.map(({ error, data }) => error?.code ?? data.revision)
      expect(outcomes.sort()).toEqual([2, ...Array(5).fill('version_conflict')])
      expect(await countActivities(msp)).toBe(1)
    })

    it.runIf(process.env.DATABASE_URL)('and all tags differ, however many write at once', async () => {
      const msp = await world()
      const { write } = using(api, resource, msp)
      clock.freeze()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => write(resource.inputs[index % 2] ?? {})),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
      // One that comes after another with the same input changes nothing, and gets the same tag.
      const changed = answers.map(({ etag }) => revisionIn(etag)).filter((revision) => revision > 1)
      expect(new Set(changed).size).toBe(await countActivities(msp))
    })
  })
})

describeApi('a revision', (api) => {
  it('does not change with the bookkeeping, but the tag does', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const of = { tenant_id: msp.tenant_id, environment: ENVIRONMENT }
    const read = () =>
      Promise.all([
        api.call(msp.owner, 'api_key', { key_id: msp.key.id }),
        api.call(msp.owner, 'tenant_user', { user_id: msp.user.id }),
      ])
    const before = await read()
    const at = clock.now()
    await prisma.apiKey.updateMany({ where: { ...of, id: msp.key.id }, data: { last_used_at: at } })
    await prisma.tenantUser.updateMany({ where: { ...of, id: msp.user.id }, data: { last_seen_at: at } })
    const after = await read()
    expect(after.map(({ data }) => data.revision)).toEqual([1, 1])
    for (const [index, { etag }] of after.entries()) expect(etag).not.toBe(before[index]?.etag)
    const input = { description: 'Used' }
    const key_id = msp.key.id
    const headers = { 'if-match': before[0].etag ?? '' }
    expect((await api.call(msp.owner, 'update_api_key', { key_id, input }, headers)).status).toBe(200)
  })

  it('of a key that is rotated or revoked is a new one; revoking it again leaves it', async () => {
    const msp = await world()
    const key_id = msp.key.id
    const rotated = await api.call(msp.owner, 'rotate_api_key', { key_id })
    const replacement = await api.call(msp.owner, 'api_key', { key_id: rotated.data.id })
    expect([replacement.data.revision, replacement.etag]).toEqual([1, rotated.etag])
    expect((await api.call(msp.owner, 'api_key', { key_id })).data.revision).toBe(2)
    const revoked = await api.call(msp.owner, 'revoke_api_key', { key_id })
    expect(revoked.data.revision).toBe(3)
    clock.advance(1000)
    const again = await api.call(msp.owner, 'revoke_api_key', { key_id, input: { reason: 'Again' } })
    expect([again.data, again.etag]).toEqual([revoked.data, revoked.etag])
    expect(await countActivities(msp)).toBe(2)
  })

  it('of an integration request stays when its status changes, but the tag does not', async () => {
    const msp = await world()
    const { ids } = await ownRows(msp)
    const args = { request_id: ids.request_id }
    const before = await api.call(msp.viewer, 'integration_request', args)
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.integrationRequest.updateMany({ where, data: { status: 'PLANNED' } })
    const after = await api.call(msp.viewer, 'integration_request', args)
    expect([after.data.status, after.data.revision]).toEqual(['PLANNED', before.data.revision])
    expect(after.etag).not.toBe(before.etag)
  })
})

describe('entity tags in GraphQL', () => {
  const rest = apis.find(({ name }) => name === 'rest') as Api
  const ask = async (msp: Msp, query: string, headers = {}) =>
    await (await request('/graphql', json({ query }, { headers }), msp.owner)).json()

  it('stand by response key', async () => {
    const msp = await world()
    const query = `{ settings { revision } again: settings { timezone } tenant { id }
      key: api_key(key_id: "${msp.key.id}") { id } none: api_key(key_id: "none") { id } }`
    for (let turn = 0; turn < 6; turn++) {
      const { data, extensions } = await ask(msp, query)
      expect(data.none).toBeNull()
      expect(extensions.etags).toEqual({
        settings: '"1"',
        again: '"1"',
        key: expect.stringMatching(/^"1\.[\w-]{22}"$/),
      })
      expect(extensions).not.toHaveProperty('etag')
    }
  })

  it('are those of REST, whatever is selected', async () => {
    const msp = await world()
    const { ids } = await ownRows(msp)
    const { operations } = await published()
    const tagged = operations.filter(({ kind, has_etag }) => kind === 'query' && has_etag)
    expect(tagged.length).toBeGreaterThan(10)
    for (const operation of tagged) {
      const { name, field } = operation
      const named = {
        ...requiredArguments(operation),
        ...ids,
        ...(name === 'permission_group' && tickets()),
        ...(name === 'integration_sync' && { name: 'hudu' }),
        ...(name === 'integration_connection' && { name: 'connectwise-psa' }),
      }
      const args = field.args.filter((arg) => arg.name in named && isRequired(arg))
      const values = Object.fromEntries(
        args.map((arg) => [arg.name, idFor(arg, named[arg.name as keyof typeof named] as string)]),
      )
      const variables = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
      const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
      const query =
        args.length > 0
          ? `query (${variables}) { ${name}(${given}) { __typename } }`
          : `{ ${name} { __typename } }`
      const { extensions } = await (
        await request('/graphql', json({ query, variables: values }), msp.owner)
      ).json()
      const { status, etag } = await rest.call(msp.owner, name, values)
      expect([name, status, extensions.etags]).toEqual([name, 200, { [name]: etag }])
    }
  })

  it('are not there if nothing has one', async () => {
    const msp = await world()
    expect((await ask(msp, '{ tenant { id } }')).extensions).not.toHaveProperty('etags')
  })

  it('are judged for each of several mutations', async () => {
    const msp = await world()
    const query = `mutation {
      settings: update_settings(input: { end_business_hours: 20 }) { revision }
      group: update_permission_group(name: "TICKETS", input: { requires_approval: true }) { revision }
      late: update_settings(input: { end_business_hours: 21 }) { revision }
    }`
    const { data, errors, extensions } = await ask(msp, query, { 'if-match': '"1"' })
    expect(data).toEqual({ settings: { revision: 2 }, group: { revision: 2 }, late: null })
    expect(errors).toMatchObject([
      { path: ['late'], extensions: { code: 'version_conflict', details: { current_etag: '"2"' } } },
    ])
    expect(extensions.etags).toEqual({ settings: '"2"', group: expect.stringMatching(/^"2\./) })
  })
})

it('Every operation that can meet another version answers with an entity tag', async () => {
  const { operations } = await published()
  const judging = operations.filter(({ errors }) => errors?.includes('version_conflict'))
  expect(judging.length).toBeGreaterThan(5)
  expect(judging.filter(({ has_etag }) => !has_etag).map(({ name }) => name)).toEqual([])
})

describe('If-None-Match', () => {
  const get = (path: string, msp: Msp, value: string) =>
    request(`/public-api${path}`, { headers: { 'if-none-match': value } }, msp.owner)

  it('names the whole tag', async () => {
    const msp = await world()
    const path = `/api-keys/${msp.key.id}`
    const etag = (await request(`/public-api${path}`, {}, msp.owner)).headers.get('etag') ?? ''
    expect((await get(path, msp, etag)).status).toBe(304)
    expect((await get(path, msp, `"x", W/${etag}`)).status).toBe(304)
    expect((await get(path, msp, '*')).status).toBe(304)
    expect((await get(path, msp, '"1"')).status).toBe(200)
  })

  it('that is neither * nor quoted tags is 400', async () => {
    const msp = await world()
    const answer = await get('/settings', msp, '1')
    const { error } = await answer.json()
    expect([answer.status, error.code]).toEqual([400, 'bad_request'])
    expect(error.details.reason).toContain('If-None-Match')
  })
})
