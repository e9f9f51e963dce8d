import type { Answer, Api } from '../../setup/api.ts'
import type { Msp } from '../../setup/world.ts'

export const HOUR = 3_600_000

/** A key made through the API; it has the secret of `data.key`. */
export async function created(
  api: Api,
  msp: Msp,
  input: Record<string, unknown> = {},
): Promise<Answer['data']> {
  const draft = { name: 'Nightly sync', scopes: ['settings:read'], ...input }
  const { data, error } = await api.call(msp.admin, 'create_api_key', { input: draft })
  if (error) throw new Error(error.message)
  return data
}

export const callerWith = ({ id, key }: { id: string; key: string }) => ({ id, token: key })

/** Keys straight into the database, ACTIVE unless said otherwise. */
export async function insertKeys(
  msp: Msp,
  count: number,
  changes: Record<string, unknown> = {},
): Promise<string[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => msp.newKey()))
  const ids = keys.map(({ id }) => id)
  await msp.database.prisma.apiKey.updateMany({
    where: { tenant_id: msp.tenant_id, id: { in: ids } },
    data: changes,
  })
  return ids
}
