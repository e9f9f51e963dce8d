import type { Answer, Api, Arguments } from '../../setup/api.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

export const onPostgresql = process.env.DATABASE_URL !== undefined

export interface Row {
  external_id: string
  external_name: string | null
  psa_company_id: string | null
}

export const ids = ({ data }: Answer): string[] => data.links.map(({ external_id }: Row) => external_id)

export const list = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'company_links', { system: 'HUDU', ...args })

/** An MSP with companies a and b, two links to each of them and one to none. */
export async function linkedMsp(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  await addLinks(msp, [
    { external_id: '1', external_name: 'Zeta', psa_company_id: 'psa_a', confidence: 0.94 },
    { external_id: '2', external_name: 'alpha', psa_company_id: 'psa_a', confidence: 0.95 },
    { external_id: '3', external_name: 'Beta', psa_company_id: 'psa_b', link_state: 'MANUAL', confidence: 1 },
    { external_id: '4', external_name: null, psa_company_id: 'psa_b' },
    { external_id: '5', external_name: 'Gamma' },
  ])
  return msp
}
