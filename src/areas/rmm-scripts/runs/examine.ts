/** Judges what a run is asked with: the script, the device and the parameters. */
import type { Rmm, RmmListedDevice, RmmScriptParameter } from '../../../connectors/rmm.ts'
import { type DatabaseContext, db, ownKey } from '../../../db/db.ts'
import type { Row } from '../../../schema/models.ts'
import { connectedRmm } from '../connected.ts'
import { type CheckedParameters, checkParameters, secretsToGive } from './rules/parameters.ts'
import { runsOn } from './rules/steps.ts'

/** A script as the last sync read it. */
export interface StoredScript extends Omit<Row<'RmmScript'>, 'parameters'> {
  parameters: RmmScriptParameter[]
}

/** The script with the id; null if there is none. */
export async function storedScript(ctx: DatabaseContext, id: string): Promise<StoredScript | null> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
  return (await db(ctx).rmmScript.findUnique({ where })) as StoredScript | null
}

export interface Wanted {
  script_id: string
  device_id: string
  parameters: Readonly<Record<string, unknown>>
}

export interface Examined {
  script: StoredScript
  device: RmmListedDevice
  checked: CheckedParameters
}

export type Problem =
  | {
      code:
        | 'script_not_found'
        | 'script_removed'
        | 'script_not_enabled'
        | 'device_not_found'
        | 'platform_mismatch'
    }
  | { code: 'parameters'; problems: CheckedParameters['problems'] }

interface Options {
  by: Parameters<typeof checkParameters>[2]
  /** True if `agent_enabled` binds who asks. */
  is_bound: boolean
  /** The secret parameters that have a value already. */
  kept?: readonly string[]
}

/** The run that is wanted, as far as it is possible; otherwise its problem. It asks the RMM for the device. */
export async function examine(
  ctx: DatabaseContext,
  rmm: Rmm,
  { script_id, device_id, parameters }: Wanted,
  { by, is_bound, kept }: Options,
): Promise<Examined | Problem> {
  const script = await storedScript(ctx, script_id)
  if (!script || script.system !== (await connectedRmm(ctx))) return { code: 'script_not_found' }
  if (script.removed_at !== null) return { code: 'script_removed' }
  if (is_bound && !script.agent_enabled) return { code: 'script_not_enabled' }
  const device = await rmm.listedDevice(device_id)
  if (!device) return { code: 'device_not_found' }
  if (!runsOn(script, device)) return { code: 'platform_mismatch' }
  const checked = checkParameters(script, parameters, by, kept)
  return checked.problems.length > 0
    ? { code: 'parameters', problems: checked.problems }
    : { script, device, checked }
}

/** The secrets for which nobody has given a value. */
export const missingIn = ({ script, checked }: Pick<Examined, 'script' | 'checked'>): string[] =>
  secretsToGive(script, checked.shown)
