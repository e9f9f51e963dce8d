/** `npm run rekey`: encrypts what is stored encrypted with the first of ENCRYPTION_KEYS. */
import { rekeyConnections } from '../areas/integrations/rekey.ts'
import { readRekeyConfig } from '../config.ts'
import { isInUse } from '../db/embedded/lock.ts'
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

await runCommand(async () => {
  const config = readRekeyConfig(process.env)
  const box = createSecretBox(await keysOf(config))
  const { replaced, failed, left } = await withDatabase(config, ({ sql }) =>
    rekeyConnections(sql, box),
  ).catch(inUse)
  for (const { place, reason } of failed)
    console.error(`${place.tenant_id} ${place.environment} ${place.name}: ${reason}`)
  console.log(replaced === 1 ? '1 connection encrypted anew.' : `${replaced} connections encrypted anew.`)
  if (left === 0) return
  console.error(
    left === 1
      ? '1 connection is still under another key.'
      : `${left} connections are still under another key.`,
  )
  process.exitCode = 1
})
