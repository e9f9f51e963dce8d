/** Rows of connections to other systems: the jobs meet a double. */
import { onTestFinished } from 'vitest'
import { encryptSecrets, placeOf } from '../../../src/areas/integrations/credentials.ts'
import { createSecretBox } from '../../../src/lib/secret-box.ts'
import { ENCRYPTION_KEY } from '../../setup/app.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, at, LONG_AGO, type Rows } from './rows.ts'

const name = 'connectwise-psa'
const box = createSecretBox([ENCRYPTION_KEY])

/** The connection as it is stored, to a double of its own. */
async function stored(msp: Msp) {
  const { close, draft } = await connectwisePsaDouble()
  onTestFinished(async () => void (await close()))
  const { public_key = '', private_key = '', ...settings } = draft.connectwise_psa ?? {}
  const place = { ...at(msp), name }
  return {
    connection_id: `con_${msp.environment}`,
    settings,
    secrets: encryptSecrets(box, place, { public_key, private_key }),
    ingest_secret: box.encrypt('theirs', placeOf(place, 'ingest_secret')),
  }
}

async function addConnection(msp: Msp): Promise<void> {
  const connection = { ...(await stored(msp)), webhooks_registered_at: null, updated_at: LONG_AGO }
  const { systemConnection } = msp.database.prisma
  await systemConnection.create({ data: { ...at(msp), name, ...connection, updated_by_name: 'Test' } })
  // Other jobs ask the system that is connected.
  onTestFinished(async () => void (await systemConnection.deleteMany({ where: { ...at(msp), name } })))
}

/** A PSA that was last asked for what changed long ago. */
async function addPoll(msp: Msp): Promise<void> {
  const poll = { due_at: LONG_AGO, cursors: {}, leased_until: null }
  await msp.database.prisma.psaPoll.upsert({
    where: { tenant_id_environment_name: { ...at(msp), name } },
    create: { ...at(msp), name, ...poll },
    update: poll,
  })
}

export const CONNECTIONS: Record<string, Rows> = {
  'integrations.register_webhooks': {
    async store(msp) {
      await addConnection(msp)
      return { name }
    },
    todo: 'select 1 from system_connection where environment = $1 and webhooks_registered_at is null',
  },
  'integrations.remove_webhooks': {
    async store(msp) {
      const removal = { ...at(msp), ...(await stored(msp)), name, created_at: ago(0) }
      await msp.database.prisma.webhookRemoval.create({ data: { ...removal, id: 'whr_now' } })
      return { removal_id: 'whr_now' }
    },
    todo: `select 1 from webhook_removal where environment = $1 and id = 'whr_now'`,
  },
  'integrations.delete_old_removals': {
    async store(msp) {
      const removal = { ...at(msp), ...(await stored(msp)), name, created_at: ago(2) }
      await msp.database.prisma.webhookRemoval.create({ data: { ...removal, id: 'whr_old' } })
    },
    todo: `select 1 from webhook_removal where environment = $1 and id = 'whr_old'`,
  },
  'integrations.renew_webhooks': {
    store: addConnection,
    todo: `select 1 from system_connection c where c.environment = $1 and not exists (
      select from pgboss.job j where j.name like '%integrations.register_webhooks'
        and j.data -> 'tenancy' ->> 'environment' = c.environment)`,
  },
  'integrations.begin_syncs': {
    store: addConnection,
    todo: `select 1 from system_connection c where c.environment = $1 and not exists (
      select from integration_sync s where s.tenant_id = c.tenant_id and s.environment = c.environment and s.name = c.name)`,
  },
  'callbacks.poll': {
    async store(msp) {
      await addConnection(msp)
      await addPoll(msp)
      return { name }
    },
    todo: `select 1 from psa_poll where environment = $1 and cursors = '{}'`,
  },
  'callbacks.queue_polls': {
    async store(msp) {
      await addConnection(msp)
      await addPoll(msp)
    },
    todo: 'select 1 from psa_poll where environment = $1 and due_at < now()',
  },
  'callbacks.delete_old_payloads': {
    async store(msp) {
      const payload = { id: 'pay_old', connection_id: 'con_1', callback_ids: [], payload: '' }
      await msp.database.prisma.callbackPayload.create({
        data: { ...at(msp), ...payload, received_at: ago(31) },
      })
    },
    todo: `select 1 from callback_payload where environment = $1 and id = 'pay_old'`,
  },
}
