/** `npm run rekey`: encrypts what is stored encrypted with the first of ENCRYPTION_KEYS. */
import { ENCRYPTED_CONNECTIONS } from '../areas/integrations/encrypted.ts'
import { ENCRYPTED_SCRIPT_RUNS } from '../areas/rmm-scripts/runs/secrets.ts'
import { ENCRYPTED_ENDPOINTS } from '../areas/webhooks/encrypted.ts'
import { readRekeyConfig } from '../config.ts'
import { isInUse } from '../db/embedded/lock.ts'
import { type EncryptedRows, type Rekeyed, rekey } from '../db/rekey.ts'
import { createSecretBox } from '../lib/secret-box.ts'
import { runCommand, withDatabase } from './command.ts'

type RekeyConfig = ReturnType<typeof readRekeyConfig>

/** The configured keys, or else the one of the service on this machine. */
async function keysOf({ ENCRYPTION_KEYS, DATA_DIR, ENVIRONMENT }: RekeyConfig) {
  const [first, ...others] = ENCRYPTION_KEYS
  if (first !== undefined) return [first, ...others] as const
  const { developmentEncryptionKey, developmentSecrets } = await import(
    '../access/credentials/development-issuer.ts'
  )
  return [developmentEncryptionKey(await developmentSecrets(DATA_DIR, ENVIRONMENT))] as const
}

function inUse(error: unknown): never {
  if (!isInUse(error)) throw error
  throw new Error(`${(error as Error).message}\nStop the service that runs on it, and run this again.`)
}

const ENCRYPTED: readonly EncryptedRows[] = [
  ENCRYPTED_CONNECTIONS,
  ENCRYPTED_ENDPOINTS,
  ENCRYPTED_SCRIPT_RUNS,
]

function tell({ one, many }: EncryptedRows, { replaced, failed, left }: Rekeyed): void {
  for (const { place, reason } of failed)
    console.error(`${place.tenant_id} ${place.environment} ${place.name}: ${reason}`)
  console.log(replaced === 1 ? `1 ${one} encrypted anew.` : `${replaced} ${many} encrypted anew.`)
  if (left === 0) return
  console.error(
    left === 1 ? `1 ${one} is still under another key.` : `${left} ${many} are still under another key.`,
  )
  process.exitCode = 1
}

await runCommand(async () => {
  const config = readRekeyConfig(process.env)
  const box = createSecretBox(await keysOf(config))
  await withDatabase(config, async ({ sql }) => {
    for (const rows of ENCRYPTED) tell(rows, await rekey(sql, box, rows))
  }).catch(inUse)
})
