import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addLinks } from '../../setup/companies.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { ids, linkedMsp, list, onPostgresql, type Row } from './links.ts'

describeApi('confirming company links', (api) => {
  const confirm = (caller: Caller, external_ids: unknown, headers?: Record<string, string>) =>
    api.call(caller, 'confirm_company_links', { input: { system: 'HUDU', external_ids } }, headers)

  it('makes AUTO links MANUAL with the company they have, in the order asked, twice-named ones once', async () => {
    const msp = await linkedMsp()
    const { status, data } = await confirm(msp.admin, ['4', '1', '4'])
    expect([status, data]).toMatchObject([
      200,
      [
        { external_id: '4', psa_company_id: 'psa_b', psa_company_name: 'Company b', link_state: 'MANUAL' },
        { external_id: '1', match_method: 'MANUAL', confidence: 1, mapped_by: 'Admin', needs_review: false },
      ],
    ])
    expect(data).toHaveLength(2)
    expect((await list(api, msp.key, { status: 'manual' })).data.links).toEqual([
      data[0],
      expect.objectContaining({ external_id: '3' }),
      data[1],
    ])
  })

  it('leaves a MANUAL link exactly as it is', async () => {
    const msp = await linkedMsp()
    const where = { tenant_id: msp.tenant_id, external_id: '3' }
    const before = await msp.database.prisma.companyLink.findFirst({ where })
    clock.advance(1000)
    expect((await confirm(msp.admin, ['3', '1'])).status).toBe(200)
    expect(await msp.database.prisma.companyLink.findFirst({ where })).toEqual(before)
  })

  it('leaves MANUAL links as they are, and records nothing', async () => {
    const msp = await linkedMsp()
    const first = await confirm(msp.admin, ['1', '2'])
    expect(first.data.map(({ revision }: { revision: number }) => revision)).toEqual([2, 2])
    clock.advance(1000)
    expect((await confirm(msp.owner, ['1', '2'])).data).toEqual(first.data)
    const mixed = await confirm(msp.owner, ['1', '4'])
    expect(mixed.data).toEqual([first.data[0], expect.objectContaining({ revision: 2, mapped_by: 'Owner' })])
    const rows = await activitiesOf(msp)
    expect(rows.map(({ targets }) => targets)).toMatchObject([
      [{ id: 'HUDU/1' }, { id: 'HUDU/2' }],
      [{ id: 'HUDU/4' }],
    ])
  })

  it.each([
    [['1', 'none', '5', 'nobody', 'none'], 404, 'company_link_not_found', ['none', 'nobody']],
    [['1', '5', '2', '6'], 409, 'company_link_unmapped', ['5', '6']],
    [['5', 'none'], 404, 'company_link_not_found', ['none']],
    [Array.from({ length: 200 }, (_, n) => (n === 77 ? 'bad' : '1')), 404, 'company_link_not_found', ['bad']],
  ])('refuses %j with %d %s for %j, and changes nothing', async (external_ids, status, code, bad) => {
    const msp = await linkedMsp()
    await addLinks(msp, [{ external_id: '6' }])
    const answer = await confirm(msp.admin, external_ids)
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    expect(answer.error?.details).toMatchObject({ id: bad[0], ids: bad })
    if (status === 409) {
      expect(answer.error?.details.missing).toEqual(['psa_company_id'])
      expect(answer.error?.message).toMatch(/^5, 6: no psa_company_id/)
    }
    expect(ids(await list(api, msp.key, { status: 'manual' }))).toEqual(['3'])
  })

  it.each([
    [[], 'external_ids', 'length'],
    [Array.from({ length: 201 }, String), 'external_ids', 'length'],
    [undefined, 'external_ids', 'required'],
    [null, 'external_ids', 'null'],
    ['1', 'external_ids', 'type'],
    [['1', null], 'external_ids.1', 'null'],
    [['1', 2], 'external_ids.1', 'type'],
  ])('refuses the ids %j with 422', async (external_ids, field, code) => {
    const msp = await linkedMsp()
    const { status, error } = await confirm(msp.admin, external_ids)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it('takes 200 ids', async () => {
    const msp = await linkedMsp()
    const external_ids = Array.from({ length: 200 }, (_, n) => `n${n}`)
    await addLinks(
      msp,
      external_ids.map((external_id) => ({ external_id, psa_company_id: 'psa_a' })),
    )
    const { data } = await confirm(msp.admin, external_ids)
    expect(data.map(({ external_id }: Row) => external_id)).toEqual(external_ids)
  })

  it('does not reach links of another tenant', async () => {
    const msp = await linkedMsp()
    const other = await world()
    expect((await confirm(other.admin, ['1'])).error?.code).toBe('company_link_not_found')
    expect(ids(await list(api, msp.key, { status: 'manual' }))).toEqual(['3'])
  })

  it('lists a folder that nobody had confirmed', async () => {
    const msp = await linkedMsp()
    const system = 'SHAREPOINT'
    await addLinks(msp, [{ external_id: 'h', system, psa_company_id: 'psa_a' }])
    await api.call(msp.admin, 'confirm_company_links', { input: { system, external_ids: ['h'] } })
    expect(ids(await list(api, msp.key, { system }))).toEqual(['h'])
  })

  it('is for ADMIN, OWNER and keys with the scope', async () => {
    const msp = await linkedMsp()
    const reader = await msp.newKey({ scopes: ['end_companies:read'] })
    const answers = await Promise.all([msp.user, msp.viewer, reader].map((caller) => confirm(caller, ['1'])))
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('leaves one activity row and is replayed for the same Idempotency-Key', async () => {
    const msp = await linkedMsp()
    const headers = { 'idempotency-key': 'confirm-once' }
    const first = await confirm(msp.admin, ['2', '1'], headers)
    const again = await confirm(msp.admin, ['2', '1'], headers)
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first.data, 'true'])
    const rows = await activitiesOf(msp)
    expect(rows).toMatchObject([
      {
        action: 'company_link.confirmed',
        targets: [{ id: 'HUDU/2' }, { id: 'HUDU/1' }],
        before: [{ link_state: 'AUTO' }, { link_state: 'AUTO' }],
        after: [{ link_state: 'MANUAL' }, { link_state: 'MANUAL' }],
      },
    ])
  })

  it.runIf(onPostgresql)('costs five statements, for one link as for many', async () => {
    const msp = await linkedMsp()
    for (const external_ids of [['1'], ['2', '4']]) {
      // The caller, BEGIN, the lock, the write with its activity, COMMIT.
      expect(await countStatements(msp.database, () => confirm(msp.admin, external_ids))).toBe(5)
    }
  })

  it.runIf(onPostgresql)('and clearing at once end in one of the two orders', async () => {
    const msp = await linkedMsp()
    for (let round = 0; round < 5; round++) {
      await msp.database.prisma.companyLink.updateMany({
        where: { tenant_id: msp.tenant_id, external_id: '1' },
        data: { psa_company_id: 'psa_a', link_state: 'AUTO' },
      })
      const [confirmed] = await Promise.all([
        confirm(msp.admin, ['1', '2']),
        api.call(msp.key, 'map_company_link', {
          input: { system: 'HUDU', external_id: '1', psa_company_id: null },
        }),
      ])
      expect([200, 409]).toContain(confirmed.status)
      const { data } = await list(api, msp.key, { status: 'unmapped', search: 'zeta' })
      expect(data.links).toMatchObject([{ link_state: 'UNMAPPED', mapped_by: null }])
    }
  })
})
