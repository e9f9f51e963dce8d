/** The health of an integration follows the calls of its system, whoever makes them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { storedConnections } from '../../../src/composition/connectors.ts'
import type { CallOutcome } from '../../../src/connectors/health.ts'
import { type Api, apisAt } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { connectDouble, look, useConnectedApp } from '../../setup/connected.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import { raised } from '../../setup/raised.ts'
import { statementsOf } from '../../setup/statements.ts'
import { world } from '../../setup/world.ts'

const running = useConnectedApp()

const NAME = 'connectwise-psa'
const NO_ANSWER = 'The system could not be reached, or did not answer in time.'
const REFUSED = 'The system does not accept the credentials.'

describe.each(apisAt(async () => running.base))(
  'the health of an integration, through $name,',
  (api: Api) => {
    async function connected() {
      onTestFinished(() => clock.reset())
      const msp = await world(running.database)
      const double = await connectDouble(running, api, msp, connectwisePsaDouble)
      const { tenant_id, database } = msp
      const row = () => database.prisma.systemConnection.findFirstOrThrow({ where: { tenant_id } })
      const health = async () => {
        const { data } = await api.call(msp.viewer, 'integration', { name: NAME })
        return [data.health, data.health_message]
      }
      const test = async () => (await api.call(msp.owner, 'test_integration', { name: NAME })).data
      /** A call by a person, which is not shared with an earlier one. */
      const ask = async () => {
        clock.advance(6000)
        return (await api.call(msp.owner, 'company_filter_options')).status
      }
      const isFailing = async () => (await row()).failing_since !== null
      return { msp, double, row, health, test, ask, isFailing }
    }

    it('is DOWN after failures of more than ten seconds, and HEALTHY with the first answer', async () => {
      const { msp, double, health, test, ask, isFailing } = await connected()
      expect((await test()).ok).toBe(true)
      double.failing(1)
      expect(await ask()).toBe(503)
      await expect.poll(isFailing).toBe(true)
      expect(await health()).toEqual(['HEALTHY', null])
      clock.advance(10_000)
      // The poll of the PSA meets the outage too.
      await look(running.app.services, msp).catch(() => {})
      await expect.poll(health).toEqual(['DOWN', NO_ANSWER])
      double.failing(0)
      clock.advance(60_000)
      expect(await ask()).toBe(200)
      await expect.poll(health).toEqual(['HEALTHY', null])
      expect(await isFailing()).toBe(false)
      expect(await raised(msp, 'integration.healthy')).toHaveLength(2)
    })

    it('is UNKNOWN until the first answer to anybody', async () => {
      const { msp, health, ask } = await connected()
      expect(await ask()).toBe(200)
      await expect.poll(health).toEqual(['HEALTHY', null])
      expect(await raised(msp, 'integration.healthy')).toMatchObject([
        { data: { name: NAME, former_health: 'UNKNOWN' } },
      ])
    })

    it('is DOWN after a test that failed, and HEALTHY after a call of any kind', async () => {
      const { double, health, test, ask } = await connected()
      double.failing(1)
      expect(await test()).toMatchObject({ ok: false, message: NO_ANSWER })
      expect(await health()).toEqual(['DOWN', NO_ANSWER])
      double.failing(0)
      expect(await ask()).toBe(200)
      await expect.poll(health).toEqual(['HEALTHY', null])
    })

    it('is not DOWN by failures with an answer between them', async () => {
      const { double, health, ask, isFailing } = await connected()
      for (let n = 0; n < 3; n++) {
        double.failing(1)
        expect(await ask()).toBe(503)
        await expect.poll(isFailing).toBe(true)
        double.failing(0)
        expect(await ask()).toBe(200)
        await expect.poll(isFailing).toBe(false)
        clock.advance(30_000)
      }
      expect((await health())[0]).not.toBe('DOWN')
    })

    it('costs no statement while the system answers', async () => {
      const { double, test, ask, isFailing } = await connected()
      await test()
      const marksOf = async (work: () => Promise<unknown>) =>
        (await statementsOf(running.database, work, /locked as materialized/)).length
      expect(await marksOf(ask)).toBe(0)
      double.failing(1)
      expect(await marksOf(() => ask().then(() => expect.poll(isFailing).toBe(true)))).toBe(1)
    })

    it.each<[shown: string | null, ...outcomes: CallOutcome[]]>([
      [null, 'FAILED', 'ANSWERED', 'FAILED'],
      [NO_ANSWER, 'FAILED', 'FAILED'],
      [null, 'FAILED', 'FAILED', 'ANSWERED'],
      [REFUSED, 'REFUSED', 'FAILED', 'FAILED'],
      [null, 'REFUSED', 'FAILED', 'FAILED', 'ANSWERED'],
      [REFUSED, 'FAILED', 'FAILED', 'REFUSED'],
      [REFUSED, 'FAILED', 'FAILED', 'REFUSED', 'FAILED', 'FAILED'],
      [null, 'FAILED', 'FAILED', 'REFUSED', 'ANSWERED'],
      [NO_ANSWER, 'REFUSED', 'ANSWERED', 'FAILED', 'FAILED'],
    ])('shows %j after calls that were %s, %s, %s, %s, %s', async (shown, ...outcomes) => {
      const { row, health, test } = await connected()
      await test()
      const { sql } = running.database
      const { connections, settled } = storedConnections({ ...running.app.services, sql } as never)
      for (const outcome of outcomes) {
        const { connection_id, revision } = await row()
        connections.ended({ connection_id, revision } as never, outcome)
        await settled()
        clock.advance(10_000)
      }
      expect(await health()).toEqual(shown === null ? ['HEALTHY', null] : ['DOWN', shown])
    })

    it('is not changed by what was called by an earlier connection', async () => {
      const { row, health, test } = await connected()
      await test()
      const { sql } = running.database
      const { connections, settled } = storedConnections({ ...running.app.services, sql } as never)
      const { connection_id, revision } = await row()
      for (const outcome of ['FAILED', 'FAILED', 'REFUSED'] as const) {
        connections.ended({ connection_id, revision: revision - 1 } as never, outcome)
        await settled()
        clock.advance(10_000)
      }
      expect(await health()).toEqual(['HEALTHY', null])
    })
  },
)
