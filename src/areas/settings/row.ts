/** The stored settings. A tenant that has stored none has the defaults, so that a missing row is never an error. */
import { ofTenant } from '../../access/credential.ts'
import { type DatabaseContext, db, scoped, sql, tenancyOf } from '../../db/db.ts'
import { DEFAULTS, type Patch } from './rules.ts'

export interface SettingsRow extends Required<Patch> {
  data_residency: string
  referral_code: string
  revision: number
  updated_at: Date
}

// Contract silent: until it is set, end users see the tenant's own name.
const READ = scoped(
  'settings.read',
  `select t.data_residency, t.referral_code,
     coalesce(s.start_business_hours, ${DEFAULTS.start_business_hours}) as start_business_hours,
     coalesce(s.end_business_hours, ${DEFAULTS.end_business_hours}) as end_business_hours,
     coalesce(s.human_friendly_client_name, t.name) as human_friendly_client_name,
     coalesce(s.sleep_before_callback_processing_seconds, ${DEFAULTS.sleep_before_callback_processing_seconds})
       as sleep_before_callback_processing_seconds,
     s.timezone, coalesce(s.revision, 1) as revision, coalesce(s.updated_at, t.created_at) as updated_at
   from tenant t left join settings s on s.tenant_id = $1 and s.environment = $2
   where t.id = $1`,
)

const LOCK = scoped(
  'settings.lock',
  'select 1 from settings where tenant_id = $1 and environment = $2 for update',
)

export const readSettings = async (reach: DatabaseContext): Promise<SettingsRow> =>
  ofTenant((await sql<SettingsRow>(reach, READ))[0])

/** Stores the defaults, where nothing is stored yet. */
export async function storeDefaults(reach: DatabaseContext): Promise<void> {
  const { tenant_id, environment } = tenancyOf(reach)
  const { human_friendly_client_name, updated_at } = await readSettings(reach)
  const data = { tenant_id, environment, human_friendly_client_name, updated_at }
  await db(reach).settings.createMany({ data, skipDuplicates: true })
}

/** The settings, which nobody else changes before the transaction ends. */
export async function lockSettings(reach: DatabaseContext): Promise<SettingsRow> {
  const locked = await sql(reach, LOCK)
  if (locked.length === 0) {
    await storeDefaults(reach)
    await sql(reach, LOCK)
  }
  return await readSettings(reach)
}
