/** Integration requests, as the operator reviews them. */
import { expect, it } from 'vitest'
import { requestsOfAll, setRequestStatus } from '../../src/areas/integrations/review.ts'
import { runRecorded } from '../../src/commands/tenant/recorded.ts'
import { apis } from '../setup/api.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { world } from '../setup/world.ts'

const [api] = apis
if (!api) throw new Error('There is no API')

it('the operator lists the requests of every tenant, and sets a status that the tenant then sees', async () => {
  const [msp, other] = [await world(), await world()]
  const input = { vendor_name: 'Zeta RMM', use_case: 'Read devices' }
  const { data: asked } = await api.call(msp.admin, 'request_integration', { input })
  const { data: theirs } = await api.call(other.admin, 'request_integration', { input })
  const listed = await requestsOfAll(msp.database.sql, msp.environment)
  const ids = listed.map(({ id, tenant_id }) => [id, tenant_id])
  expect(ids).toEqual(
    expect.arrayContaining([
      [asked.id, msp.tenant_id],
      [theirs.id, other.tenant_id],
    ]),
  )
  const { database, environment, tenant_id } = msp
  const place = { database, environment, key_peppers: [''] as const }
  const set = (id: string) => runRecorded(place, tenant_id, (ctx) => setRequestStatus(ctx, id, 'PLANNED'))
  expect([await set(asked.id), await set(asked.id), await set(theirs.id)]).toEqual([true, false, false])
  const statusOf = async (caller: typeof msp, request_id: string) =>
    (await api.call(caller.key, 'integration_request', { request_id })).data.status
  expect([await statusOf(msp, asked.id), await statusOf(other, theirs.id)]).toEqual(['PLANNED', 'RECEIVED'])
  expect((await activitiesOf(msp)).at(-1)).toMatchObject({
    action: 'integration_request.reviewed',
    actor_name: 'Operator',
    before: { status: 'RECEIVED' },
    after: { status: 'PLANNED' },
  })
})
