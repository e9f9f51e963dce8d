/** Connecting systems: what is stored, what is answered, and which system serves which tenant. */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decryptSecrets } from '../../../src/areas/integrations/credentials.ts'
import { storedConnections } from '../../../src/composition/connectors.ts'
import { CONNECTION_FIELDS } from '../../../src/connectors/fields.ts'
import { statement } from '../../../src/db/sql.ts'
import { createSecretBox } from '../../../src/lib/secret-box.ts'
import { AWAY, PLAYED, WRONG } from '../../setup/adapters.ts'
import { type Answer, type Api, apisAt, outcome } from '../../setup/api.ts'
import { ENCRYPTION_KEY, type Running, startApp } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { raised } from '../../setup/raised.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

const TABLES = statement(
  'test.tables',
  `select table_name as name from information_schema.tables
   where table_schema = 'public' and table_type = 'BASE TABLE'`,
)

const lines: string[] = []
let running: Running

beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  running = await startApp(await testDatabase(), {}, log, { adapters: PLAYED })
})
afterAll(() => running.app.close(0))

const CONNECTWISE = 'connectwise-psa'
const HALO = 'halo-psa'
const SITE = 'https://api-eu.psa.example'

/** Secrets that nothing else has. */
let made = 0
const secret = (): string => `sEcReT${String(++made).padStart(6, '0')}ofAconnection`

const connectwise = (changes: object = {}) => ({
  connectwise_psa: {
    site: SITE,
    company: 'acme',
    client_id: 'client-1',
    public_key: secret(),
    private_key: secret(),
    ...changes,
  },
})
const halo = (changes: object = {}) => ({
  halo_psa: { site: 'https://acme.halo.example', client_id: 'c', client_secret: secret(), ...changes },
})

const connect = (api: Api, caller: Caller, name: string, input: object, headers = {}): Promise<Answer> =>
  api.call(caller, 'connect_integration', { name, input }, headers)
const read = (api: Api, { owner }: Msp, name = CONNECTWISE) =>
  api.call(owner, 'integration_connection', { name })
/** True if agents of the tenant can merge tickets. */
const canMerge = async (api: Api, { owner }: Msp): Promise<boolean> => {
  const { data } = await api.call(owner, 'tool_schemas', {})
  return data.find(({ name }: { name: string }) => name === 'ticket.merge').available
}
const problems = ({ error }: Answer) =>
  error?.details.field_errors?.map(({ field, code }) => [field, code]) ?? error?.code

describe.each(apisAt(async () => running.base))('a connection, through $name,', (api) => {
  it('is stored, shown without its secrets, and kept where fields are left out', async () => {
    const msp = await world()
    expect((await read(api, msp)).data).toMatchObject({
      id: CONNECTWISE,
      connected: false,
      connectwise_psa: null,
      poll_interval_seconds: 300,
      revision: 1,
    })
    const given = connectwise()
    const first = await connect(api, msp.admin, CONNECTWISE, given)
    const { site, company, client_id } = given.connectwise_psa
    const shown = { site, company, client_id, secrets_set: ['public_key', 'private_key'] }
    expect(first.data).toMatchObject({ connected: true, connectwise_psa: shown, revision: 2 })
    expect(first.data.updated_by_name).toBe('Admin')
    expect((await read(api, msp)).data).toEqual(first.data)
    const status = await api.call(msp.viewer, 'integration', { name: CONNECTWISE })
    expect(status.data).toMatchObject({ connected: true, health: 'UNKNOWN' })
    const changed = await connect(api, msp.owner, CONNECTWISE, {
      connectwise_psa: { company: 'other' },
      poll_interval_seconds: 0,
    })
    expect(changed.data).toMatchObject({
      connectwise_psa: { ...shown, company: 'other' },
      poll_interval_seconds: 0,
      revision: 3,
    })
    const where = { connection_id: { not: '' }, tenant_id: msp.tenant_id }
    const [row] = await msp.database.prisma.systemConnection.findMany({ where })
    if (!row?.secrets) throw new Error('Nothing was stored')
    const { public_key, private_key } = given.connectwise_psa
    const secrets = decryptSecrets(createSecretBox([ENCRYPTION_KEY]), row, row.secrets)
    expect(secrets).toEqual({ public_key, private_key })
    const again = await connect(api, msp.owner, CONNECTWISE, { connectwise_psa: { public_key } })
    expect([again.etag, again.data.revision]).toEqual([changed.etag, 3])
    const tenant = await api.call(msp.owner, 'tenant')
    expect(tenant.data).toMatchObject({ psa_type: 'CONNECTWISE_PSA', psa_connected: true })
  })

  it('takes no secret to another address', async () => {
    const msp = await world()
    await connect(api, msp.owner, CONNECTWISE, connectwise())
    const elsewhere = { site: 'https://attacker.example' }
    const refused = await connect(api, msp.owner, CONNECTWISE, { connectwise_psa: elsewhere })
    expect(problems(refused)).toEqual([
      ['connectwise_psa.public_key', 'required'],
      ['connectwise_psa.private_key', 'required'],
    ])
    expect((await read(api, msp)).data.connectwise_psa.site).toBe(SITE)
    expect((await connect(api, msp.owner, CONNECTWISE, connectwise(elsewhere))).status).toBe(200)
  })

  it.each([
    ['no system', {}, [['connectwise_psa', 'required']]],
    ['another system', halo(), [['halo_psa', 'other_system']]],
    ['two systems', { ...connectwise(), ...halo() }, [['halo_psa', 'other_system']]],
    ['null for a secret', connectwise({ private_key: null }), [['connectwise_psa.private_key', 'null']]],
    ['http', connectwise({ site: 'http://psa.example' }), [['connectwise_psa.site', 'format']]],
    ['a user name', connectwise({ site: 'https://me:pw@psa.example' }), [['connectwise_psa.site', 'format']]],
    ['a query', connectwise({ site: 'https://psa.example/?a=b' }), [['connectwise_psa.site', 'format']]],
    ['a space in a key', connectwise({ private_key: 'a b' }), [['connectwise_psa.private_key', 'format']]],
    ['a long key', connectwise({ public_key: 'x'.repeat(256) }), [['connectwise_psa.public_key', 'length']]],
    [
      'a missing field',
      { connectwise_psa: { site: SITE, company: 'acme', public_key: 'p', private_key: 'q' } },
      [['connectwise_psa.client_id', 'required']],
    ],
    [
      'a late look',
      { ...connectwise(), poll_interval_seconds: 86_401 },
      [['poll_interval_seconds', 'range']],
    ],
  ])('is refused with %s, and nothing is written', async (_case, input, expected) => {
    const msp = await world()
    const refused = await connect(api, msp.owner, CONNECTWISE, input)
    expect([refused.status, problems(refused)]).toEqual([422, expected])
    expect((await read(api, msp)).data).toMatchObject({ connected: false, revision: 1 })
  })

  it('is of a system that an adapter reaches', async () => {
    const msp = await world()
    const calls = ['integration_connection', 'test_integration', 'disconnect_integration'] as const
    for (const name of calls)
      expect(outcome(await api.call(msp.owner, name, { name: 'unifi' }))).toEqual([
        409,
        'integration_not_connectable',
      ])
    expect(outcome(await connect(api, msp.owner, 'unifi', halo()))).toEqual([
      409,
      'integration_not_connectable',
    ])
    expect(outcome(await connect(api, msp.owner, 'none', halo()))).toEqual([404, 'unknown_integration'])
    const tried = await api.call(msp.owner, 'test_integration', { name: HALO })
    expect(outcome(tried)).toEqual([409, 'integration_not_connected'])
    const { data } = await api.call(msp.key, 'connection_schemas')
    expect(data.map(({ id, fields }: { id: string; fields: unknown[] }) => [id, fields.length])).toEqual([
      [CONNECTWISE, CONNECTION_FIELDS.CONNECTWISE_PSA.length],
      [HALO, CONNECTION_FIELDS.HALO_PSA.length],
    ])
  })

  it('is refused with an outdated If-Match', async () => {
    const msp = await world()
    const { etag } = await read(api, msp)
    const headers = { 'if-match': etag ?? '' }
    expect((await connect(api, msp.owner, CONNECTWISE, connectwise(), headers)).status).toBe(200)
    const late = await connect(api, msp.owner, CONNECTWISE, connectwise(), headers)
    expect(outcome(late)).toEqual([409, 'version_conflict'])
    const gone = await api.call(msp.owner, 'disconnect_integration', { name: CONNECTWISE }, headers)
    expect(outcome(gone)).toEqual([409, 'version_conflict'])
  })

  it('is deleted with its credentials, and its revision goes on', async () => {
    const msp = await world()
    await connect(api, msp.owner, CONNECTWISE, connectwise())
    const gone = await api.call(msp.owner, 'disconnect_integration', { name: CONNECTWISE })
    expect(gone.data).toMatchObject({ connected: false, revision: 3 })
    expect(gone.data.connectwise_psa).toMatchObject({ company: 'acme', secrets_set: [] })
    const again = await api.call(msp.owner, 'disconnect_integration', { name: CONNECTWISE })
    expect([again.status, again.data.revision]).toEqual([200, 3])
    const [row] = await msp.database.prisma.systemConnection.findMany({ where: { tenant_id: msp.tenant_id } })
    expect([row?.secrets, row?.ingest_secret]).toEqual([null, null])
    expect((await connect(api, msp.owner, CONNECTWISE, connectwise())).data.revision).toBe(4)
  })

  it('is tried, and the health of the integration follows', async () => {
    const msp = await world()
    const attempt = async (private_key: string) => {
      await connect(api, msp.owner, CONNECTWISE, connectwise({ private_key }))
      const { data } = await api.call(msp.owner, 'test_integration', { name: CONNECTWISE })
      const { health, health_message } = data.integration
      return { ok: data.ok, message: data.message, health, health_message }
    }
    const found = await attempt(secret())
    expect(found).toMatchObject({ ok: true, health: 'HEALTHY', health_message: null })
    expect(found.message).toMatch(/^Found CONNECTWISE_PSA by .*\[removed\]/)
    const refused = 'The system does not accept the credentials.'
    expect(await attempt(WRONG)).toEqual({
      ok: false,
      message: refused,
      health: 'DOWN',
      health_message: refused,
    })
    expect(await attempt(AWAY)).toMatchObject({ ok: false, health: 'DOWN' })
  })

  it('decides which system serves the tenant, from the next call on', async () => {
    const [one, other] = [await world(), await world()]
    await connect(api, one.owner, CONNECTWISE, connectwise())
    await connect(api, other.owner, HALO, halo())
    const fits = async (msp: Msp) => outcome(await api.call(msp.owner, 'company_filter_options'))
    expect([await fits(one), await fits(other)]).toEqual([
      [409, 'not_supported_by_system'],
      [200, undefined],
    ])
    expect(await canMerge(api, one)).toBe(false)
    expect(await canMerge(api, other)).toBe(true)
    const moved = await connect(api, one.owner, HALO, halo())
    expect(moved.warnings).toEqual([`disconnected: ${CONNECTWISE}`])
    expect(await raised(one, 'integration.disconnected')).toMatchObject([
      { entity_id: CONNECTWISE, data: { reason: 'BY_PERSON' } },
    ])
    expect([await fits(one), await canMerge(api, one)]).toEqual([[200, undefined], true])
    expect((await read(api, one)).data).toMatchObject({ connected: false })
    const { data } = await api.call(one.owner, 'integrations', { connected: true })
    expect(data.map(({ id }: { id: string }) => id)).toEqual([HALO])
    expect((await api.call(one.owner, 'tenant')).data.psa_type).toBe('HALO_PSA')
  })

  it('that the system refuses shows as DOWN', async () => {
    const msp = await world()
    await connect(api, msp.owner, HALO, halo({ client_secret: WRONG }))
    const refused = await api.call(msp.owner, 'company_filter_options')
    expect(outcome(refused)).toEqual([503, 'upstream_unavailable'])
    const health = async () => (await api.call(msp.owner, 'integration', { name: HALO })).data.health
    await expect.poll(health).toBe('DOWN')
  })

  it('that the system refuses three times in a row raises an event, once until it is healthy again', async () => {
    const msp = await world()
    const { sql } = msp.database
    await connect(api, msp.owner, HALO, halo())
    const { connection_id, revision } = await msp.database.prisma.systemConnection.findFirstOrThrow({
      where: { tenant_id: msp.tenant_id },
    })
    const { connections, settled } = storedConnections({ ...running.app.services, sql } as never)
    const named = { connection_id, revision } as never
    const refuse = async (count: number) => {
      for (let refused = 0; refused < count; refused++) connections.ended(named, 'REFUSED')
      await settled()
    }
    const events = async () =>
      (await raised(msp, 'integration.disconnected')).map(({ entity_id, data }) => [entity_id, data.reason])
    const health = async () => (await api.call(msp.owner, 'integration', { name: HALO })).data.health
    await refuse(2)
    expect(await events()).toEqual([])
    expect((await api.call(msp.owner, 'company_filter_options')).status).toBe(200)
    await expect.poll(health).toBe('HEALTHY')
    await refuse(2)
    expect(await events()).toEqual([])
    await refuse(5)
    expect([await events(), await health()]).toEqual([[[HALO, 'CREDENTIALS_REFUSED']], 'DOWN'])
    expect((await api.call(msp.owner, 'test_integration', { name: HALO })).data.ok).toBe(true)
    await refuse(3)
    expect(await events()).toHaveLength(2)
    expect((await read(api, msp, HALO)).data.connected).toBe(true)
  })

  it('has its credentials nowhere in clear', async () => {
    const msp = await world()
    const secrets = [secret(), secret(), secret()] as const
    const [public_key, private_key, client_secret] = secrets
    const keyed = { 'idempotency-key': `k-${secret()}` }
    const answers = [
      await connect(api, msp.owner, CONNECTWISE, connectwise({ public_key, private_key }), keyed),
      await connect(api, msp.owner, CONNECTWISE, connectwise({ public_key, private_key }), keyed),
      await connect(api, msp.owner, CONNECTWISE, connectwise({ public_key, private_key, company: '!' })),
      await connect(api, msp.owner, CONNECTWISE, connectwise({ public_key: `${public_key} x`, private_key })),
      await api.call(msp.owner, 'test_integration', { name: CONNECTWISE }),
      await connect(api, msp.owner, HALO, halo({ client_secret, client_id: WRONG })),
      await api.call(msp.owner, 'test_integration', { name: HALO }),
      await api.call(msp.owner, 'company_filter_options'),
      await api.call(msp.owner, 'activity_log'),
      await read(api, msp),
    ]
    const tables = await msp.database.sql.rows<{ name: string }>(TABLES, [])
    expect(tables.length).toBeGreaterThan(50)
    const found: string[] = []
    const grep = (place: string, text: string) => {
      if (secrets.some((each) => text.includes(each))) found.push(place)
    }
    for (const { name } of tables) {
      const grepTable = statement(
        `test.grep_${name}`,
        `select 1 as found from "${name}" t, unnest($1::text[]) as s (sought) where strpos(t::text, s.sought) > 0 limit 1`,
      )
      const rows = await msp.database.sql.rows(grepTable, [secrets])
      if (rows.length > 0) found.push(name)
    }
    for (const [index, { headers: _, ...answer }] of answers.entries())
      grep(`answer ${index}`, JSON.stringify(answer))
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) grep(line, line)
    expect(found).toEqual([])
  })

  it.runIf(process.env.DATABASE_URL)('is one of two PSAs that are connected at once', async () => {
    const msp = await world()
    const both = await Promise.all([
      connect(api, msp.owner, CONNECTWISE, connectwise()),
      connect(api, msp.admin, HALO, halo()),
      connect(api, msp.owner, CONNECTWISE, connectwise()),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200])
    const { data } = await api.call(msp.owner, 'integrations', { connected: true })
    expect(data).toHaveLength(1)
    const rows = await msp.database.prisma.systemConnection.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(rows.filter(({ secrets }) => secrets !== null).map(({ name }) => name)).toEqual([data[0].id])
  })
})
