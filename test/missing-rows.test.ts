/** A tenant of which little is stored: its users and keys, and no row of anything that has a default. */
import { describe, expect, it } from 'vitest'
import { requireTenantRow } from '../src/access/credentials/credential.ts'
import { DEFAULTS } from '../src/areas/settings/rules.ts'
import { describeApi, published, rest } from './setup/api.ts'
import { ENVIRONMENT } from './setup/app.ts'
import { activitiesOf } from './setup/audit-log.ts'
import { requiredArguments } from './setup/samples.ts'
import { countStatements } from './setup/statements.ts'
import { type Msp, world } from './setup/world.ts'

const { operations } = await published()

async function bare(): Promise<Msp> {
  const msp = await world()
  const where = { tenant_id: msp.tenant_id }
  await msp.database.prisma.settings.deleteMany({ where })
  await msp.database.prisma.subscription.deleteMany({ where })
  return msp
}

describe('without rows of the tenant, no operation fails:', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const msp = await bare()
      for (const caller of [msp.key, msp.owner, msp.viewer]) {
        const { status, error } = await rest.call(caller, name, requiredArguments(operation))
        expect([status < 500, error?.code], name).not.toContain('internal_error')
        expect(status, name).toBeLessThan(500)
      }
    },
  )
})

describeApi('a tenant without settings', (api) => {
  const row = ({ database, tenant_id }: Msp) =>
    database.prisma.settings.findFirst({ where: { tenant_id, environment: ENVIRONMENT } })

  it('has the defaults of the model, and its own name', async () => {
    const msp = await bare()
    const { status, data } = await api.call(msp.key, 'settings')
    expect(status).toBe(200)
    expect(data).toMatchObject({ ...DEFAULTS, human_friendly_client_name: 'Test MSP', timezone: null })
    expect(await row(msp)).toBeNull()
    const stored = await (await world()).database.prisma.settings.create({
      data: {
        tenant_id: msp.tenant_id,
        environment: 'elsewhere',
        human_friendly_client_name: 'x',
        updated_at: new Date(),
      },
    })
    expect(stored).toMatchObject(DEFAULTS)
  })

  it('has them in its groups, its summary and itself', async () => {
    const msp = await bare()
    const tenant = await api.call(msp.viewer, 'tenant')
    expect(tenant.data).toMatchObject({
      id: msp.tenant_id,
      environment: ENVIRONMENT,
      environments: [ENVIRONMENT],
      timezone: null,
    })
    expect((await api.call(msp.viewer, 'permission_groups')).data).toHaveLength(6)
    const input = { requires_approval: true }
    expect((await api.call(msp.owner, 'update_permission_group', { name: 'TICKETS', input })).status).toBe(
      200,
    )
    expect((await api.call(msp.viewer, 'performance_summary')).data.total_executions).toBe(0)
  })

  it('stores settings with the first change, on the entity tag of the defaults', async () => {
    const msp = await bare()
    const { etag } = await api.call(msp.key, 'settings')
    const headers = { 'if-match': etag ?? '' }
    const input = { timezone: 'Europe/London', end_business_hours: 20 }
    const changed = await api.call(msp.key, 'update_settings', { input }, headers)
    expect(changed.data).toMatchObject({ ...DEFAULTS, ...input, human_friendly_client_name: 'Test MSP' })
    expect(await row(msp)).toMatchObject({ ...DEFAULTS, ...input, human_friendly_client_name: 'Test MSP' })
    expect((await api.call(msp.key, 'update_settings', { input: {} }, headers)).status).toBe(409)
    const [entry] = await activitiesOf(msp)
    expect(entry).toMatchObject({ before: { timezone: null }, after: { timezone: 'Europe/London' } })
  })

  it('that is refused a change stores nothing', async () => {
    const msp = await bare()
    const input = { start_business_hours: 19 }
    expect((await api.call(msp.key, 'update_settings', { input })).status).toBe(422)
    expect(await row(msp)).toBeNull()
  })

  it('reads them in as many statements as stored ones', async () => {
    const [msp, stored] = [await bare(), await world()]
    for (const operation of ['settings', 'tenant', 'permission_groups']) {
      const count = ({ database, key }: Msp) => countStatements(database, () => api.call(key, operation))
      expect([await count(msp), await count(stored)], operation).toEqual([2, 2])
    }
  })

  it.runIf(process.env.DATABASE_URL)('loses no change of several that come at once', async () => {
    const msp = await bare()
    const inputs = [{ start_business_hours: 7 }, { end_business_hours: 21 }, { timezone: 'Europe/Paris' }]
    const answers = await Promise.all(inputs.map((input) => api.call(msp.key, 'update_settings', { input })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await row(msp)).toMatchObject(Object.assign({}, ...inputs))
  })
})

it('of a tenant that is deleted while it calls, nothing is read: 401', () => {
  expect(() => requireTenantRow(undefined)).toThrow(expect.objectContaining({ code: 'invalid_credentials' }))
})
