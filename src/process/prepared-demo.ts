/**
 * The embedded database with the demo, made when the packages are installed: a first start soon afterwards copies it,
 * since putting the demo in takes seconds. The rows of the demo are as old as they were then.
 */
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../access/credentials/api-key-secret.ts'
import { developmentEncryptionKey } from '../access/credentials/development-issuer.ts'
import { preparedDirectory, preparedPath } from '../db/migrations/prepared-database.ts'
import { BUNDLE } from './bundle.ts'

/** Later on, what the demo shows as under way would be long over. */
const FRESH_MS = 3_600_000

interface Place {
  environment: string
  bundle?: string
}

/** In the bundle, since the same sources make it. */
const cacheOf = ({ environment, bundle = BUNDLE }: Place): string => join(bundle, 'demo', environment)

/** Makes it, from a migrated database with the queues of jobs. */
export async function prepareDemo(place: Place, from: string | undefined): Promise<string | undefined> {
  const { seedDemo } = await import('../demo/seed.ts')
  return preparedDirectory({
    cache: cacheOf(place),
    from,
    fill: async (database) => {
      const { environment } = place
      // Each start stores the demo key and the secrets of webhooks again, by its own secrets: nobody has these.
      const key_pepper = randomUUID()
      const encryption_keys = [developmentEncryptionKey({ key_pepper })] as const
      const secrets = { key_pepper, encryption_keys, demo_api_key: newSecret(environment) }
      await seedDemo(database, { now: new Date(), environment, ...secrets })
    },
  })
}

/** Its directory; undefined if there is none that is for today's migrations and less than an hour old. */
export async function preparedDemo(place: Place): Promise<string | undefined> {
  const directory = await preparedPath(cacheOf(place))
  const made = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const age_ms = Date.now() - made
  return age_ms >= 0 && age_ms < FRESH_MS ? directory : undefined
}
