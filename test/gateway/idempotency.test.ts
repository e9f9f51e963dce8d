import { expect, it, onTestFinished } from 'vitest'
import { sweepAnswers } from '../../src/gateway/idempotency.ts'
import { describeApi } from '../setup/api.ts'
import { clock, testApp } from '../setup/app.ts'
import { countActivities } from '../setup/audit-log.ts'
import { addCompanies } from '../setup/companies.ts'
import { json, request } from '../setup/http.ts'
import { SYSTEM } from '../setup/samples.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { days, type Msp, world } from '../setup/world.ts'

describeApi('an Idempotency-Key', (api) => {
  const update = (msp: Msp, input: object, key = 'k', caller = msp.admin) =>
    api.call(caller, 'update_settings', { input }, { 'idempotency-key': key })

  it('gives the first answer again, and changes nothing more', async () => {
    const msp = await world()
    const first = await update(msp, { end_business_hours: 20 })
    await api.call(msp.admin, 'update_settings', { input: { end_business_hours: 21 } })
    const again = await update(msp, { end_business_hours: 20 })
    expect(JSON.stringify(again.data)).toBe(JSON.stringify(first.data))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(again.warnings).toEqual([`replayed_request: ${first.headers.get('x-request-id')}`])
    expect(await countActivities(msp)).toBe(2)
  })

  it('with another request is 422', async () => {
    const msp = await world()
    await update(msp, { end_business_hours: 20 })
    const { status, error } = await update(msp, { end_business_hours: 21 })
    expect([status, error?.code]).toEqual([422, 'idempotency_key_reused'])
    expect(await countActivities(msp)).toBe(1)
  })

  it('gives its answer again after a rotation, as long as the secret that signed it is listed', async () => {
    const msp = await world()
    const { services } = (await testApp()).app
    const { signing_secrets } = services
    onTestFinished(() => void Object.assign(services, { signing_secrets }))
    const first = await update(msp, { end_business_hours: 20 })
    Object.assign(services, { signing_secrets: ['a later secret', ...signing_secrets] })
    const again = await update(msp, { end_business_hours: 20 })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(JSON.stringify(again.data)).toBe(JSON.stringify(first.data))
    expect((await update(msp, { end_business_hours: 21 })).error?.code).toBe('idempotency_key_reused')
    Object.assign(services, { signing_secrets: ['a later secret'] })
    expect((await update(msp, { end_business_hours: 20 })).error?.code).toBe('idempotency_key_reused')
    expect(await countActivities(msp)).toBe(1)
  })

  it('belongs to one credential', async () => {
    const msp = await world()
    await update(msp, { end_business_hours: 20 })
    const other = await update(msp, { end_business_hours: 21 }, 'k', msp.owner)
    expect([other.status, other.data.end_business_hours]).toEqual([200, 21])
  })

  it('belongs to one operation', async () => {
    const msp = await world()
    await update(msp, { end_business_hours: 20 })
    const args = { name: 'TICKETS', input: { requires_approval: true } }
    const other = await api.call(msp.admin, 'update_permission_group', args, { 'idempotency-key': 'k' })
    expect([other.status, other.data.requires_approval]).toEqual([200, true])
    expect(other.headers.get('idempotency-replayed')).toBeNull()
  })

  it.each([
    [400, { timezone: 'No/Where' }],
    [422, { start_business_hours: 20 }],
  ])('does not keep a refusal: %i', async (status, input) => {
    const msp = await world()
    for (let turn = 0; turn < 2; turn++) {
      const refused = await update(msp, input)
      expect([refused.status, refused.headers.get('idempotency-replayed')]).toEqual([status, null])
    }
    const mended = await update(msp, { start_business_hours: 9 })
    expect([mended.status, mended.data.start_business_hours]).toEqual([200, 9])
  })

  it('that met another version may be tried again with the new If-Match, and is the same request', async () => {
    const msp = await world()
    const input = { end_business_hours: 20 }
    const put = (etag: string) =>
      api.call(msp.admin, 'update_settings', { input }, { 'idempotency-key': 'k', 'if-match': etag })
    const late = await put('"7"')
    expect([late.status, late.error?.code]).toEqual([409, 'version_conflict'])
    const mended = await put(String(late.error?.details.current_etag))
    expect([mended.status, mended.data.revision]).toEqual([200, 2])
    const again = await put('"7"')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(await countActivities(msp)).toBe(1)
  })

  it('that met nothing may be tried again once there is something', async () => {
    const msp = await world()
    const { ids } = await ownRows(msp)
    const input = { system: SYSTEM, external_id: ids.external_id, psa_company_id: 'psa_new' }
    const map = () => api.call(msp.key, 'map_company_link', { input }, { 'idempotency-key': 'k' })
    expect((await map()).error?.code).toBe('psa_company_not_found')
    await addCompanies(msp, [{ id: 'new', psa_company_id: 'psa_new' }])
    expect((await map()).data).toMatchObject({ psa_company_id: 'psa_new', link_state: 'MANUAL' })
  })

  it('keeps an answer with its entity tag, its location and the id of its request', async () => {
    const msp = await world()
    const input = { vendor_name: 'Vendor', use_case: 'Once' }
    const ask = () => api.call(msp.admin, 'request_integration', { input }, { 'idempotency-key': 'k' })
    const first = await ask()
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.integrationRequest.updateMany({ where, data: { status: 'PLANNED' } })
    const again = await ask()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(first.etag).toMatch(/^"1\./)
    const facts = ({ data, etag, headers }: typeof first) => [data, etag, headers.get('location')]
    expect(facts(again)).toEqual(facts(first))
    expect(again.headers.get('location')).toBe(
      api.name === 'rest' ? `/public-api/integrations/requests/${first.data.id}` : null,
    )
    const [id, own] = [first, again].map(({ headers }) => headers.get('x-request-id'))
    expect(own).not.toBe(id)
    expect(again.warnings).toEqual([`replayed_request: ${id}`])
  })

  it('keeps the answer of a change that changed nothing too', async () => {
    const msp = await world()
    const first = await update(msp, {})
    await update(msp, { end_business_hours: 20 }, 'other')
    const again = await update(msp, {})
    expect([again.data, again.etag]).toEqual([first.data, first.etag])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await countActivities(msp)).toBe(1)
  })

  it('belongs to the user in whose name a key calls', async () => {
    const msp = await world()
    const key = await msp.newKey({ allow_acting_user_header: true })
    const input = { vendor_name: 'Vendor', use_case: 'Mine' }
    const ask = (acting_user?: string) =>
      api.call(
        key,
        'request_integration',
        { input },
        { 'idempotency-key': 'k', ...(acting_user && { 'x-acting-user': acting_user }) },
      )
    const answers = [await ask(msp.owner.id), await ask(msp.admin.id), await ask()]
    expect(answers.map(({ data }) => data.requested_by_name)).toEqual([
      `Owner (API key ${key.id})`,
      `Admin (API key ${key.id})`,
      key.id,
    ])
    expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null, null])
    expect((await ask(msp.admin.id)).data).toEqual(answers[1]?.data)
    expect(await countActivities(msp)).toBe(3)
  })

  it('is forgotten after 24 hours', async () => {
    const msp = await world()
    await update(msp, { end_business_hours: 20 })
    clock.advance(days(1))
    const later = await update(msp, { end_business_hours: 21 })
    expect([later.status, later.data.end_business_hours]).toEqual([200, 21])
  })

  it('leaves nothing behind once it is forgotten', async () => {
    const msp = await world()
    const kept = () =>
      msp.database.prisma.idempotencyRecord.findMany({
        where: { tenant_id: msp.tenant_id },
        select: { key: true },
      })
    await update(msp, {}, 'old')
    clock.advance(days(1) - 60_000)
    await update(msp, {}, 'new')
    await sweepAnswers(msp.database.sql, clock.now(), msp.environment)
    expect(await kept()).toHaveLength(2)
    clock.advance(60_000)
    await sweepAnswers(msp.database.sql, clock.now(), msp.environment)
    expect(await kept()).toEqual([{ key: 'new' }])
  })

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('such as %.10j is 400', async (key) => {
    const msp = await world()
    const { status, error } = await update(msp, {}, encodeURI(key) === key ? key : 'a b')
    expect([status, error?.code]).toEqual([400, 'bad_request'])
  })

  it('that cannot be read is refused before the input is judged', async () => {
    const msp = await world()
    const { status, error } = await update(msp, { end_business_hours: 99 }, 'a b')
    expect([status, error?.code]).toEqual([400, 'bad_request'])
  })

  it.runIf(process.env.DATABASE_URL)(
    'does not keep a mutation that lost a race from trying again',
    async () => {
      const msp = await world()
      const { ids, psa_company_id } = await ownRows(msp)
      const before = await countActivities(msp)
      const [tenant_id, external_id] = [msp.tenant_id, String(ids.external_id)]
      const input = { system: SYSTEM, external_id, psa_company_id }
      // The mutation holds the company and wants the link, this transaction the other way round: it gives way.
      const { call } = await msp.database.prisma.$transaction(
        async (tx) => {
          await tx.companyLink.updateMany({
            where: { tenant_id, external_id },
            data: { external_name: 'Other' },
          })
          const call = api.call(msp.key, 'map_company_link', { input }, { 'idempotency-key': 'k' })
          // It looks for a deadlock once, a second after it began to wait, and must be the first to look. So this waits
          // for it within one statement.
          await tx.$executeRawUnsafe("set local deadlock_timeout = '1min'")
          await tx.$executeRawUnsafe(
            `do $$ begin
               while not exists (
                 select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
               ) loop perform pg_sleep(0.005); end loop;
               update end_company set name = 'Other' where tenant_id = '${tenant_id}';
             end $$`,
          )
          return { call }
        },
        { timeout: 20_000 },
      )
      const { status, data } = await call
      expect([status, data?.external_name, data?.link_state]).toEqual([200, 'Other', 'MANUAL'])
      expect(await countActivities(msp)).toBe(before + 1)
    },
  )

  it.runIf(process.env.DATABASE_URL)('sent twenty times at once has one effect', async () => {
    const msp = await world()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => update(msp, { end_business_hours: 20 })),
    )
    for (const { status, error, headers } of answers) {
      if (status === 200) continue
      expect([status, error?.code, headers.get('retry-after')]).toEqual([409, 'idempotency_in_progress', '1'])
    }
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(await countActivities(msp)).toBe(1)
  })
})

it('An Idempotency-Key goes with one mutation: a document with two, or with none, is 422', async () => {
  const msp = await world()
  const change = (alias: string, hour: number) =>
    `${alias}: update_settings(input: { end_business_hours: ${hour} }) { revision }`
  const headers = { 'idempotency-key': 'k' }
  for (const query of [`mutation { ${change('a', 20)} ${change('b', 21)} }`, '{ settings { revision } }']) {
    const answer = await (await request('/graphql', json({ query }, { headers }), msp.admin)).json()
    expect(answer.errors).toMatchObject([
      {
        extensions: {
          status: 422,
          details: { field_errors: [{ code: 'one_mutation', location: 'header' }] },
        },
      },
    ])
    expect(answer.data ?? null).toBeNull()
  }
  expect(await countActivities(msp)).toBe(0)
})

it('A kept answer has its entity tag by the response key', async () => {
  const msp = await world()
  const query = 'mutation { mine: update_settings(input: { end_business_hours: 20 }) { revision } }'
  const init = json({ query }, { headers: { 'idempotency-key': 'k' } })
  for (const replayed of [null, 'true']) {
    const response = await request('/graphql', init, msp.admin)
    const { data, extensions } = await response.json()
    expect(data).toEqual({ mine: { revision: 2 } })
    expect(extensions.etags).toEqual({ mine: '"2"' })
    expect(response.headers.get('idempotency-replayed')).toBe(replayed)
  }
})

it('An Idempotency-Key belongs to one operation of a document with several', async () => {
  const msp = await world()
  const query = `mutation A { update_settings(input: { end_business_hours: 20 }) { end_business_hours } }
    mutation B { update_settings(input: { end_business_hours: 21 }) { end_business_hours } }`
  const run = async (operationName: string) => {
    const init = json({ query, operationName }, { headers: { 'idempotency-key': 'k' } })
    return await (await request('/graphql', init, msp.admin)).json()
  }
  expect((await run('A')).data.update_settings.end_business_hours).toBe(20)
  expect((await run('B')).errors[0].extensions.code).toBe('idempotency_key_reused')
})
