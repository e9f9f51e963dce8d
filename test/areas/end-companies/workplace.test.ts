import { describe, expect, it } from 'vitest'
import { type Api, apis, describeApi } from '../../setup/api.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { type Msp, world } from '../../setup/world.ts'

const mapper = (api: Api, msp: Msp) => ({
  read: (end_company_id: string) => api.call(msp.key, 'end_company', { end_company_id }),
  map: (end_company_id: string, workplace_tenant_id: unknown, headers = {}) =>
    api.call(msp.key, 'map_workplace_tenant', { end_company_id, input: { workplace_tenant_id } }, headers),
  unmap: (end_company_id: string, headers = {}) =>
    api.call(msp.key, 'unmap_workplace_tenant', { end_company_id }, headers),
})

describeApi('the workplace tenant of a company', (api) => {
  it('is mapped, replaced and taken away, each with a new revision', async () => {
    const msp = await world()
    const { read, map, unmap } = mapper(api, msp)
    await addCompanies(msp, [{ id: 'a', name: 'Acme' }])
    await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a' }])
    const before = await read('a')
    const mapped = await map('a', ' 7c0f-acme ')
    expect(mapped.data).toEqual({ ...before.data, workplace_tenant_id: '7c0f-acme', revision: 2 })
    const replaced = await map('a', 'other')
    expect(replaced.data).toMatchObject({ workplace_tenant_id: 'other', revision: 3, link_count: 1 })
    expect(await read('a')).toMatchObject({ data: replaced.data, etag: replaced.etag })
    const unmapped = await unmap('a')
    expect(unmapped.data).toEqual({ ...before.data, revision: 4 })
    expect((await activitiesOf(msp)).map(({ action, targets }) => [action, targets])).toEqual(
      ['mapped', 'mapped', 'unmapped'].map((verb) => [
        `end_company.workplace_${verb}`,
        [{ type: 'end_company', id: 'a', name: 'Acme' }],
      ]),
    )
  })

  it('that is there already, or is not there, stays as it is', async () => {
    const msp = await world()
    const { read, map, unmap } = mapper(api, msp)
    await addCompanies(msp, [{ id: 'a', workplace_tenant_id: 'wt' }, { id: 'b' }])
    for (const [id, again] of [
      ['a', () => map('a', 'wt')],
      ['b', () => unmap('b')],
    ] as const) {
      const { data, etag } = await read(id)
      const answer = await again()
      expect([answer.status, answer.data, answer.etag]).toEqual([200, data, etag])
    }
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('belongs to one company, in each tenant and environment', async () => {
    const msp = await world()
    const { map, unmap, read } = mapper(api, msp)
    await addCompanies(msp, [{ id: 'a', workplace_tenant_id: 'wt' }, { id: 'b' }])
    await addCompanies({ ...msp, environment: 'elsewhere' }, [{ id: 'c', workplace_tenant_id: 'free' }])
    await addCompanies(await world(), [{ id: 'd', workplace_tenant_id: 'free' }])
    const taken = await map('b', 'wt')
    expect([taken.status, taken.error?.code, taken.error?.details]).toMatchObject([
      409,
      'workplace_tenant_taken',
      { end_company_id: 'a' },
    ])
    expect((await read('b')).data.workplace_tenant_id).toBeNull()
    expect((await map('b', 'free')).status).toBe(200)
    await unmap('a')
    expect((await map('b', 'wt')).status).toBe(200)
  })

  it('of no company, or of another tenant’s, is 404', async () => {
    const [msp, other] = [await world(), await world()]
    const { map, unmap } = mapper(api, msp)
    await addCompanies(other, [{ id: 'theirs' }])
    for (const id of ['theirs', 'nobody', '\u0000']) {
      for (const answer of [await map(id, 'wt'), await unmap(id)])
        expect([answer.status, answer.error?.code]).toEqual([404, 'end_company_not_found'])
    }
  })

  it.each([
    ['', 'length'],
    ['   ', 'length'],
    ['x'.repeat(121), 'length'],
    ['a\u0000b', 'characters'],
    [7, 'type'],
    [null, 'null'],
    [undefined, 'required'],
  ])('cannot be %j', async (workplace_tenant_id, code) => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }])
    const { status, error } = await mapper(api, msp).map('a', workplace_tenant_id)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field: 'workplace_tenant_id', code }])
  })

  it('changes with a current If-Match alone, and the tag of a company follows its syncs', async () => {
    const msp = await world()
    const { read, map, unmap } = mapper(api, msp)
    await addCompanies(msp, [{ id: 'a' }])
    const first = await read('a')
    await msp.database.prisma.endCompany.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { end_user_count: 3 },
    })
    const synced = await read('a')
    expect([synced.data.revision, synced.etag === first.etag]).toEqual([1, false])
    expect((await map('a', 'wt', { 'if-match': first.etag ?? '' })).status).toBe(200)
    for (const late of [
      await map('a', 'other', { 'if-match': synced.etag ?? '' }),
      await unmap('a', { 'if-match': '"1"' }),
    ])
      expect([late.status, late.error?.code]).toEqual([409, 'version_conflict'])
    expect((await unmap('a', { 'if-match': '"2"' })).status).toBe(200)
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one company of twenty gets the workplace tenant', async () => {
    const msp = await world()
    await addCompanies(
      msp,
      Array.from({ length: TIMES }, (_, index) => ({ id: `c${index}` })),
    )
    const answers = await times((index) => mapper(api, msp).map(`c${index}`, 'wt'))
    const outcomes = answers.map(({ status, error }) => error?.code ?? status)
    expect(outcomes.sort()).toEqual([200, ...Array(TIMES - 1).fill('workplace_tenant_taken')])
    const where = { tenant_id: msp.tenant_id, workplace_tenant_id: 'wt' }
    expect(await msp.database.prisma.endCompany.count({ where })).toBe(1)
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('twenty tenants for one company: each has its turn, and the last one stays', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }])
    const answers = await times((index) => mapper(api, msp).map('a', `wt_${index}`))
    const revisions = answers.map(({ data }) => data.revision).sort((a, b) => a - b)
    expect(revisions).toEqual(Array.from({ length: TIMES }, (_, index) => index + 2))
    const last = answers.find(({ data }) => data.revision === TIMES + 1)
    expect((await mapper(api, msp).read('a')).data).toEqual(last?.data)
  })
})
