import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'

interface Person {
  id: string
  end_company_id: string
  name: string
  email?: string
  is_vip?: boolean
}

async function addPeople({ database, tenant_id, environment }: Msp, people: readonly Person[]) {
  const now = clock.now()
  await database.prisma.endUser.createMany({
    data: people.map((person) => ({
      tenant_id,
      environment,
      created_at: now,
      updated_at: now,
      psa_contact_id: `con_${person.id}`,
      ...person,
    })),
  })
}

async function withPeople(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a', name: 'Alder' }, { id: 'b' }])
  await addPeople(msp, [
    { id: 'eus_1', end_company_id: 'a', name: 'zoe', email: 'Zoe@alder.test' },
    { id: 'eus_2', end_company_id: 'a', name: 'Åsa' },
    { id: 'eus_3', end_company_id: 'b', name: 'Bo', email: 'bo@b.test', is_vip: true },
  ])
  return msp
}

describeApi('end users', (api) => {
  it('are listed by name in any letter case, each with everything that the PSA says', async () => {
    const { key } = await withPeople()
    const { data } = await api.call(key, 'end_users')
    expect(data.map(({ id }: Person) => id)).toEqual(['eus_3', 'eus_1', 'eus_2'])
    expect(data[1]).toEqual({
      id: 'eus_1',
      psa_contact_id: 'con_eus_1',
      name: 'zoe',
      email: 'Zoe@alder.test',
      phone: null,
      title: null,
      end_company_id: 'a',
      end_company_name: 'Alder',
      is_vip: false,
      status: 'ACTIVE',
      workplace_user_id: null,
      last_ticket_at: null,
      last_synced_at: null,
    })
  })

  it('are narrowed by company, address, VIP and search', async () => {
    const { key } = await withPeople()
    const ids = async (args: object) =>
      (await api.call(key, 'end_users', { ...args })).data.map(({ id }: Person) => id)
    expect(await ids({ end_company_id: 'a' })).toEqual(['eus_1', 'eus_2'])
    expect(await ids({ has_email: false })).toEqual(['eus_2'])
    expect(await ids({ is_vip: true })).toEqual(['eus_3'])
    expect(await ids({ search: 'ALDER.test' })).toEqual(['eus_1'])
    expect(await ids({ search: 'å' })).toEqual(['eus_2'])
    expect(await ids({ end_company_id: 'b', has_email: false })).toEqual([])
  })

  it('are read alone, with the name that the company has now', async () => {
    const msp = await withPeople()
    await msp.database.prisma.endCompany.updateMany({
      where: { tenant_id: msp.tenant_id, id: 'b' },
      data: { name: 'Beta' },
    })
    const { status, data } = await api.call(msp.viewer, 'end_user', { end_user_id: 'eus_3' })
    expect([status, data.name, data.end_company_name]).toEqual([200, 'Bo', 'Beta'])
    const missing = await api.call(msp.viewer, 'end_user', { end_user_id: 'eus_9' })
    expect(outcome(missing)).toEqual([404, 'end_user_not_found'])
    expect(missing.error?.details.id).toBe('eus_9')
  })

  it('are one statement, however many there are', async () => {
    const msp = await withPeople()
    const ask = () => api.call(msp.key, 'end_users')
    await ask()
    const few = await countStatements(msp.database, ask)
    await addPeople(
      msp,
      Array.from({ length: 40 }, (_, n) => ({ id: `eus_n${n}`, end_company_id: 'a', name: `Person ${n}` })),
    )
    expect(await countStatements(msp.database, ask)).toBe(few)
  })
})

it('in the graph the people of all companies of a page are one statement, and their companies another', async () => {
  const msp = await withPeople()
  const query = `{ end_companies { items { id end_users(page_size: 1) {
    items { name end_company { name } } pagination { has_more } } } } }`
  const ask = () => graphql(msp.owner, query)
  await ask()
  const few = await countStatements(msp.database, ask)
  const { data } = await ask()
  expect(data.end_companies.items).toEqual([
    {
      id: 'a',
      end_users: {
        items: [{ name: 'zoe', end_company: { name: 'Alder' } }],
        pagination: { has_more: true },
      },
    },
    {
      id: 'b',
      end_users: {
        items: [{ name: 'Bo', end_company: { name: 'Company b' } }],
        pagination: { has_more: false },
      },
    },
  ])
  await addCompanies(msp, [{ id: 'c' }, { id: 'd' }])
  await addPeople(msp, [{ id: 'eus_4', end_company_id: 'c', name: 'Cy' }])
  expect(await countStatements(msp.database, ask)).toBe(few)
})

it('in the graph people are for those who may read end users, and companies for those who may read companies', async () => {
  const msp = await withPeople()
  const companies = await msp.newKey({ scopes: ['end_companies:read'] })
  const people = await msp.newKey({ scopes: ['end_users:read'] })
  const { code } = await graphql(companies, '{ end_companies { items { end_users { items { id } } } } }')
  expect(code).toBe('insufficient_scope')
  const other = await graphql(people, '{ end_users { items { end_company { id } } } }')
  expect(other.code).toBe('insufficient_scope')
})
