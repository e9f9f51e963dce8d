/** Agents that ask end users for feedback, in tests. */
import { ADD_NOTE, SEND_MAIL } from '../../../src/areas/comms/declared.ts'
import { statement } from '../../../src/db/sql.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { performWaiting } from '../../setup/due.ts'
import type { Msp } from '../../setup/world.ts'

/** Ada, the contact of ticket 4711, and Bob, who has no address; Eve is gone, and Mallory of another company. */
export async function addPeople(msp: Msp): Promise<{ email: string }> {
  const { tenant_id, environment, database } = msp
  await addCompanies(msp, [{ id: 'co1', psa_company_id: 'co1' }, { id: 'co2' }])
  const email = `ada@${tenant_id.replaceAll('_', '-')}.example`
  const stamps = { created_at: clock.now(), updated_at: clock.now() }
  await database.prisma.endUser.createMany({
    data: [
      { id: 'ada', name: 'Ada Byron', email, psa_contact_id: 'c1' },
      { id: 'bob', name: 'Bob', email: null },
      { id: 'eve', name: 'Eve', email: 'eve@co1.example', status: 'INACTIVE' as const },
      { id: 'mallory', name: 'Mallory', email: 'mallory@co2.example', end_company_id: 'co2' },
    ].map((user) => ({
      tenant_id,
      environment,
      psa_contact_id: `psa_${user.id}`,
      end_company_id: 'co1',
      ...stamps,
      ...user,
    })),
  })
  return { email }
}

/** Sends the messages of the tenant that wait; how many there were. */
export async function sendWaiting(msp: Msp, services?: Services): Promise<number> {
  const options = services && { services }
  const mails = await performWaiting(msp, SEND_MAIL.name, options)
  return mails + (await performWaiting(msp, ADD_NOTE.name, options))
}

const TABLES = statement(
  'test.tables_of_tenants',
  `select table_schema || '.' || quote_ident(table_name) as name from information_schema.columns
   where column_name = 'tenant_id' and table_schema = 'public' and table_name not like 'psa\\_%'`,
)

/** The tables of the service in which a row of the tenant has the text, its jobs too. Tables of the PSA are another system. */
export async function tablesWith({ database, tenant_id }: Msp, text: string): Promise<string[]> {
  const tables = await database.sql.rows<{ name: string }>(TABLES, [])
  const found: string[] = []
  const search = async (name: string, tenant: string) => {
    const query = statement(
      `test.search ${name}`,
      `select count(*)::int as count from ${name} r where ${tenant} = $1 and r::text like '%' || $2 || '%'`,
    )
    const [row] = await database.sql.rows<{ count: number }>(query, [tenant_id, text])
    if (row && row.count > 0) found.push(name)
  }
  for (const { name } of tables) await search(name, 'r.tenant_id')
  await search('pgboss.job', `r.data -> 'tenancy' ->> 'tenant_id'`)
  return found
}
