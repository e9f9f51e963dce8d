/** The people whom callers write to, and their addresses. */
import { psaOf } from '../../connectors/psa.ts'
import type { Context } from '../../gateway/context.ts'
import { numberOf } from '../../lib/ids.ts'
import { addresseeOf } from '../end-users/index.ts'
import { presentAmong, psaIdOf } from '../technicians/index.ts'
import { emailOfTechnician } from '../tenant/index.ts'

/** A person, as callers name one. */
export interface RecipientKey {
  type: 'END_USER' | 'TECHNICIAN'
  id: string
}

export interface Recipient extends RecipientKey {
  name: string
  /** The e-mail address of an end user. A technician’s is asked for apart, since it may be the PSA’s to tell. */
  email: string | null
}

/** The person; null: there is no such ACTIVE end user, or technician who is not deleted. */
export async function recipientOf(ctx: Context, { type, id }: RecipientKey): Promise<Recipient | null> {
  if (type === 'END_USER') {
    const end_user = await addresseeOf(ctx, id)
    return end_user && { type, id, name: end_user.name, email: end_user.email }
  }
  const number = numberOf(id)
  const [technician] = number === null ? [] : await presentAmong(ctx, [number])
  return technician ? { type, id, name: technician.name, email: null } : null
}

/** The address: an end user’s; a technician’s as the user who it is, or as the PSA has it. null: there is none. */
export async function addressOf(ctx: Context, { type, id, email }: Recipient): Promise<string | null> {
  if (type === 'END_USER') return email
  const technician_id = Number(id)
  const own = await emailOfTechnician(ctx, technician_id)
  if (own !== null) return own
  const psa_id = await psaIdOf(ctx, technician_id)
  return psa_id === null ? null : ((await psaOf(ctx).technician(psa_id))?.email ?? null)
}
