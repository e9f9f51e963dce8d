/** The events of company links. */
import { expect, it } from 'vitest'
import { type Api, apis } from '../../setup/api.ts'
import { raised } from '../../setup/raised.ts'
import { linkedMsp } from './links.ts'

const [api] = apis as [Api]

it('a person maps and confirms: each link that has a company by it raises company_link.mapped once', async () => {
  const msp = await linkedMsp()
  const map = (external_id: string, psa_company_id: string | null, more: object = {}) =>
    api.call(msp.admin, 'map_company_link', {
      input: { system: 'HUDU', external_id, psa_company_id, ...more },
    })
  await map('5', 'psa_a', { is_primary: true })
  await map('5', 'psa_a')
  await map('3', 'psa_b', { is_primary: true })
  await map('3', null)
  const input = { system: 'HUDU', external_ids: ['1', '2', '5'] }
  await api.call(msp.admin, 'confirm_company_links', { input })
  await api.call(msp.admin, 'confirm_company_links', { input })
  const events = await raised(msp, 'company_link.mapped')
  expect(events.map(({ entity_id, data }) => [entity_id, data.link_state, data.psa_company_id])).toEqual([
    ['HUDU/5', 'MANUAL', 'psa_a'],
    ['HUDU/1', 'MANUAL', 'psa_a'],
    ['HUDU/2', 'MANUAL', 'psa_a'],
  ])
})
