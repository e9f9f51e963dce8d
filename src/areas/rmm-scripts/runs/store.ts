/** Stores runs, and the values of their secret parameters. */
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { WORK } from './declared.ts'
import type { Examined } from './examine.ts'
import { RUN } from './queries.ts'
import { SECRET } from './rules/parameters.ts'
import type { ScriptRunRow } from './run.ts'
import { decryptSecrets, encryptSecrets, type ScriptSecrets } from './secrets.ts'

export type StoringContext = MutationContext & { services: Services }

const placeOf = (ctx: MutationContext, id: string) => ({ ...tenancyOf(ctx), id })

/** The secret values of the run in clear. */
export const secretsOf = (
  ctx: StoringContext,
  { id, secrets }: Pick<ScriptRunRow, 'id' | 'secrets'>,
): ScriptSecrets =>
  secrets === null ? {} : decryptSecrets(ctx.services.secret_box, placeOf(ctx, id), secrets)

/** The secret values as they are stored; null: there are none. */
const encrypted = (ctx: StoringContext, id: string, secrets: ScriptSecrets): string | null =>
  Object.keys(secrets).length === 0
    ? null
    : encryptSecrets(ctx.services.secret_box, placeOf(ctx, id), secrets)

type OfAsker = Pick<ScriptRunRow, 'id' | 'status' | 'is_bound' | 'timeout_seconds' | 'requested_by_name'> &
  Partial<
    Pick<
      ScriptRunRow,
      | 'agent_id'
      | 'agent_name'
      | 'execution_id'
      | 'tool_call_id'
      | 'entity_id'
      | 'entity_number'
      | 'til_request_id'
    >
  >

/** The columns of a run that say what runs. */
const contentOf = (ctx: StoringContext, id: string, { script, device, checked }: Examined) => ({
  script_id: script.id,
  script_name: script.name,
  body_sha256: script.body_sha256,
  device_id: device.device_id,
  device_name: device.name,
  psa_company_id: device.psa_company_id,
  parameters: checked.shown,
  secrets: encrypted(ctx, id, checked.secrets),
})

/** Stores a run that is possible, as a part of another change. */
export const storeRun = (ctx: StoringContext, examined: Examined, asker: OfAsker): Promise<ScriptRunRow> =>
  RUN.insert(ctx, { ...contentOf(ctx, asker.id, examined), ...asker } as never)

/** True if both run the same script on the same device: a secret was given for these alone. */
const isSamePlace = (
  { script_id, device_id }: Pick<ScriptRunRow, 'script_id' | 'device_id'>,
  { script, device }: Pick<Examined, 'script' | 'device'>,
): boolean => script_id === script.id && device_id === device.device_id

const REPLACE = scoped(
  'rmm_scripts.replace_content',
  `update rmm_script_run r set script_id = $4, script_name = $5, body_sha256 = $6, device_id = $7, device_name = $8,
     psa_company_id = $9, parameters = $10::jsonb, secrets = $11, updated_at = $12::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.status = 'PENDING_APPROVAL'`,
)

/** Replaces the columns that say what runs. Secrets that were given before, and that the approver shows as `[secret]`, are kept. */
export async function replaceContent(
  ctx: StoringContext,
  run: ScriptRunRow,
  examined: Examined,
): Promise<void> {
  const { checked } = examined
  const { shown } = checked
  const isKept = ([name]: [string, unknown]): boolean => Object.hasOwn(shown, name) && shown[name] === SECRET
  const before = isSamePlace(run, examined) ? Object.entries(secretsOf(ctx, run)).filter(isKept) : []
  const secrets = { ...Object.fromEntries(before), ...checked.secrets }
  const content = contentOf(ctx, run.id, { ...examined, checked: { ...checked, secrets } })
  await sql(ctx, REPLACE, [
    run.id,
    content.script_id,
    content.script_name,
    content.body_sha256,
    content.device_id,
    content.device_name,
    content.psa_company_id,
    JSON.stringify(content.parameters),
    content.secrets,
    ctx.now,
  ])
}

const QUEUE = scoped(
  'rmm_scripts.queue',
  `update rmm_script_run r set status = 'QUEUED', updated_at = $4::timestamptz, finished_at = null, error_code = null,
     mark = null, sent_at = null, external_run_id = null, started_at = null
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

/** Queues the locked run, and its job. */
export async function queueRun(ctx: StoringContext, run_id: string): Promise<void> {
  await sql(ctx, QUEUE, [run_id, ctx.now])
  await enqueue(ctx, WORK, { run_id })
}

const WAIT_FOR = scoped(
  'rmm_scripts.wait_for_request',
  `update rmm_script_run r set til_request_id = $4, updated_at = $5::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

/** Makes the run wait for another request. */
export const waitForRequest = async (
  ctx: MutationContext,
  run_id: string,
  til_request_id: string,
): Promise<void> => {
  await sql(ctx, WAIT_FOR, [run_id, til_request_id, ctx.now])
}
