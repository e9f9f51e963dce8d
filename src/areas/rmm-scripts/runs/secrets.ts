/** The values of secret parameters of runs as they are stored: encrypted, each for its run. */
import type { ScriptValue } from '../../../connectors/rmm.ts'
import type { Tenancy } from '../../../db/db.ts'
import { type EncryptedRows, encryptedIn } from '../../../db/rekey.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'

/** A run of a tenant. */
export interface RunPlace extends Tenancy {
  id: string
}

const placeOf = ({ tenant_id, environment, id }: RunPlace): string[] => [
  tenant_id,
  environment,
  id,
  'script_secrets',
]

/** Values in clear, by the names of their parameters. */
export type ScriptSecrets = Readonly<Record<string, ScriptValue>>

export const encryptSecrets = (box: SecretBox, place: RunPlace, secrets: ScriptSecrets): string =>
  box.encrypt(JSON.stringify(secrets), placeOf(place))

export const decryptSecrets = (box: SecretBox, place: RunPlace, encrypted: string): ScriptSecrets =>
  JSON.parse(box.decrypt(encrypted, placeOf(place))) as ScriptSecrets

export const ENCRYPTED_SCRIPT_RUNS: EncryptedRows = {
  one: 'run of a script',
  many: 'runs of scripts',
  tables: [
    encryptedIn('rmm_script_run', {
      id: 'id',
      name: 'id',
      places: { secrets: ({ name: id, ...tenancy }) => placeOf({ ...tenancy, id }) },
    }),
  ],
}
