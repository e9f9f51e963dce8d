/** A tenant whose companies have attributes in the PSA, and the calls about its company filters. */
import type { Api, Arguments } from '../../setup/api.ts'
import { addCompanies } from '../../setup/companies.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

export const TYPES = ['Managed', 'Break-fix', 'Prospect']
export const type = (...ids: number[]) => ({
  field_name: 'type',
  selected_options: ids.map((id) => ({ id, name: TYPES[id - 1] as string })),
})
export const territory = (...ids: number[]) => ({
  field_name: 'territory',
  selected_options: ids.map((id) => ({ id, name: `Territory ${id}` })),
})

export const tenancy = ({ tenant_id, environment }: Msp) => ({ tenant_id, environment })

/** Companies called by their types, in scope if they are named. */
export async function companies(in_scope: string): Promise<Msp> {
  const msp = await world()
  const { prisma } = msp.database
  await prisma.psaCompanyOption.createMany({
    data: [
      ...TYPES.map((name, index) => ({ ...tenancy(msp), field_name: 'type', option_id: index + 1, name })),
      ...[11, 12].map((id) => ({
        ...tenancy(msp),
        field_name: 'territory',
        option_id: id,
        name: `Territory ${id}`,
      })),
    ],
  })
  const all = ['a', 'b', 'c', 'd']
  await addCompanies(
    msp,
    all.map((id) => ({ id, name: `Company ${id}`, in_scope: in_scope.includes(id) })),
  )
  // a and b are Managed, c is Break-fix, d has no type; a and c are in the first territory, b in the second.
  const attributes = [
    ...[['a', 1] as const, ['b', 1] as const, ['c', 2] as const].map(([id, option_id]) => ({
      id,
      field_name: 'type',
      option_id,
    })),
    ...[['a', 11] as const, ['b', 12] as const, ['c', 11] as const].map(([id, option_id]) => ({
      id,
      field_name: 'territory',
      option_id,
    })),
  ]
  await prisma.psaCompanyAttribute.createMany({
    data: attributes.map(({ id, ...rest }) => ({ ...tenancy(msp), psa_company_id: `psa_${id}`, ...rest })),
  })
  return msp
}

export async function inScope({ database, ...msp }: Msp): Promise<string> {
  const where = { ...tenancy({ database, ...msp }), in_scope: true }
  const rows = await database.prisma.endCompany.findMany({ where, orderBy: { id: 'asc' } })
  return rows.map(({ id }) => id).join('')
}

export const listed = (...ids: string[]) => ({
  companies: ids.map((id) => ({ name: `Company ${id}`, psa_company_id: `psa_${id}` })),
  count: ids.length,
})

export const using = (api: Api, msp: Msp, caller: Caller = msp.admin) => ({
  read: () => api.call(caller, 'company_filters'),
  replace: (filters: unknown, headers = {}) =>
    api.call(caller, 'replace_company_filters', { input: { filters } as Arguments }, headers),
  remove: (input: object = {}) => api.call(caller, 'remove_unmatched_companies', { input }),
})
