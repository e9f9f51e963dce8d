import { beforeAll, expect, it } from 'vitest'
import type { Filter } from '../../../src/areas/company-filters/rules.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { installQueues } from '../agents/runnable.ts'
import { companies, inScope, listed, TYPES, tenancy, territory, type, using } from './companies.ts'

beforeAll(installQueues)

describeApi('company filters', (api) => {
  it('are none at first: every company fits', async () => {
    const msp = await companies('ab')
    const { data, etag } = await using(api, msp).read()
    expect(data).toEqual({ psa_type: null, filters: [], removable: listed(), revision: 1 })
    expect(etag).toMatch(/^"1\./)
    expect(await inScope(msp)).toBe('ab')
  })

  it('are chosen from the fields that the PSA has', async () => {
    const msp = await companies('')
    await msp.database.prisma.tenant.updateMany({
      where: { id: msp.tenant_id },
      data: { psa_type: 'HALO_PSA' },
    })
    const { data } = await api.call(msp.viewer, 'company_filter_options')
    expect(data.psa_type).toBe('HALO_PSA')
    expect(data.fields).toContainEqual({
      field_name: 'type',
      label: 'Type',
      options: TYPES.map((name, index) => ({ id: index + 1, name })),
    })
  })

  it('widen the scope at once, and only list what no longer fits', async () => {
    const msp = await companies('cd')
    const { read, replace } = using(api, msp)
    const { status, data, etag } = await replace([type(1)])
    expect(status).toBe(200)
    expect({ psa_type: data.psa_type, removable: data.removable }).toEqual({
      psa_type: null,
      removable: listed('c', 'd'),
    })
    expect(await inScope(msp)).toBe('abcd')
    const now = await read()
    expect([now.data, now.etag]).toEqual([
      { psa_type: null, filters: [type(1)], removable: listed('c', 'd'), revision: 2 },
      etag,
    ])
    expect((await replace([type(1, 2), territory(11)])).data.removable).toEqual(listed('b', 'd'))
    expect((await replace([])).data.removable).toEqual(listed())
  })

  it('are merged: a field and an option that are there twice count once', async () => {
    const msp = await companies('')
    const { read, replace } = using(api, msp)
    await replace([type(2, 1, 2), territory(11), { field_name: 'type', selected_options: [{ id: 3 }] }])
    expect((await read()).data.filters).toEqual([territory(11), type(1, 2, 3)])
  })

  it('that are sent back as they were read stay as they are, and nothing is recorded', async () => {
    const msp = await companies('cd')
    const { read, replace } = using(api, msp)
    for (const filters of [null, [type(1), territory(12)]]) {
      if (filters) await replace(filters)
      const before = await read()
      const recorded = (await activitiesOf(msp)).length
      const again = await replace(before.data.filters as Filter[])
      expect([again.status, again.data.removable, again.etag]).toEqual([
        200,
        before.data.removable,
        before.etag,
      ])
      expect(await read()).toMatchObject({ data: before.data, etag: before.etag })
      expect(await activitiesOf(msp)).toHaveLength(recorded)
    }
    // The PSA renames an option, and takes another away.
    const { prisma } = msp.database
    const where = tenancy(msp)
    await prisma.psaCompanyOption.updateMany({ where: { ...where, option_id: 1 }, data: { name: 'Renamed' } })
    await prisma.psaCompanyOption.deleteMany({ where: { ...where, field_name: 'territory', option_id: 12 } })
    const { data } = await read()
    expect((await replace(data.filters)).status).toBe(200)
    expect((await read()).data.revision).toBe(data.revision)
  })

  it('leave one activity row per change, with what was before and after', async () => {
    const msp = await companies('cd')
    await using(api, msp).replace([type(1)])
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'company_filters.replaced', before: { filters: [] }, after: { filters: [type(1)] } },
    ])
  })

  it('refuse an outdated If-Match', async () => {
    const msp = await companies('')
    const { read, replace } = using(api, msp)
    const { etag } = await read()
    expect((await replace([type(1)], { 'if-match': etag ?? '' })).status).toBe(200)
    expect(outcome(await replace([type(2)], { 'if-match': etag ?? '' }))).toEqual([409, 'version_conflict'])
  })

  it.each([
    [[{ field_name: 'size', selected_options: [{ id: 1 }] }], 'filters.0.field_name', 'unknown'],
    [[type(1), type(9)], 'filters.1.selected_options.0.id', 'unknown'],
    [[{ field_name: 'type', selected_options: [] }], 'filters.0.selected_options', 'length'],
    [[{ field_name: 'type' }], 'filters.0.selected_options', 'required'],
    [[{ field_name: 'type', selected_options: [{}] }], 'filters.0.selected_options.0.id', 'required'],
    [[{ field_name: 'type', selected_options: [{ id: '1' }] }], 'filters.0.selected_options.0.id', 'type'],
    [
      [{ field_name: 'type', selected_options: [{ id: 2 ** 31 }] }],
      'filters.0.selected_options.0.id',
      'range',
    ],
    [[{ field_name: 'a\u0000', selected_options: [{ id: 1 }] }], 'filters.0.field_name', 'characters'],
    [Array(51).fill(type(1)), 'filters', 'length'],
    [[type(...Array(501).fill(1))], 'filters.0.selected_options', 'length'],
    [null, 'filters', 'null'],
    [undefined, 'filters', 'required'],
  ])('refuse %j with 422, and stay as they are', async (filters, field, code) => {
    const msp = await companies('d')
    const { read, replace } = using(api, msp)
    const { status, error } = await replace(filters)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, code }])
    expect([(await read()).data.revision, await inScope(msp)]).toEqual([1, 'd'])
  })
})
