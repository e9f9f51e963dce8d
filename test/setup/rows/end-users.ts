/** An end user of a company, for generated suites. */
import { clock } from '../app.ts'
import type { Msp } from '../world.ts'

interface Names {
  id: string
  mark: string
  end_company_id: string
}

/** The end user's id, by the argument that takes it. */
export async function ownEndUser(
  { database, tenant_id, environment }: Pick<Msp, 'database' | 'tenant_id' | 'environment'>,
  { id, mark, end_company_id }: Names,
): Promise<{ end_user_id: string }> {
  const now = clock.now()
  const end_user_id = `eus_${id}`
  await database.prisma.endUser.create({
    data: {
      tenant_id,
      environment,
      id: end_user_id,
      end_company_id,
      created_at: now,
      updated_at: now,
      psa_contact_id: `con_${id}`,
      name: mark,
      email: `${mark}@example.test`,
      title: mark,
    },
  })
  return { end_user_id }
}
