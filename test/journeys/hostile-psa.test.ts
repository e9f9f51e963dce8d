/** A tenant whose PSA answers what it should not: the tenant is told what is wrong, and nobody else is harmed. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FOREIGN, WRONG } from '../doubles/hostile.ts'
import { type Answer, type Api, apisAt } from '../setup/api.ts'
import { clock, type Running } from '../setup/app.ts'
import { connectDouble, connectedApp, connectedDatabase, look, performDue } from '../setup/connected.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { type Msp, world } from '../setup/world.ts'

let running: Running

beforeAll(async () => {
  // Small bounds are reached soon.
  running = await connectedApp(await connectedDatabase(), { SYNC_ROWS: '1000', POLLED_CHANGES_AN_HOUR: '10' })
})
afterAll(() => running.app.close(0))

/** More than any job has. */
const LAST_ATTEMPT = 100

const HOUR_MS = 3_600_000
/** A callback whose PSA does not answer is tried twelve times, less than an hour after each other. */
const WAITING_HOURS = 12

/** The answers that last until the deadline of a call. The tests of the adapters have them. */
const SLOW = new Set(['rows without an end', 'a drop at a time', 'no answer'])

/** A slow machine may be late with them. */
const LARGE = new Set(['a deep list', 'a deep object', 'many small rows', 'one long text'])
const kindOf = (what: string): 'large' | 'small' => (LARGE.has(what) ? 'large' : 'small')

const REASONS = { large: /^(UNKNOWN_FORM|TOO_MUCH|OUTAGE)$/, small: /^UNKNOWN_FORM$/ }
const SAID = {
  large: /answered in a form that we do not know|answered with more|did not answer/,
  small: /answered in a form that we do not know/,
}

/** The rows of the tenant that wait for something, or are under way. */
async function openRows({ database: { prisma }, tenant_id }: Msp): Promise<unknown[]> {
  const [syncs, callbacks] = await Promise.all([
    prisma.integrationSync.findMany({ where: { tenant_id, status: { in: ['QUEUED', 'RUNNING'] } } }),
    prisma.callback.findMany({ where: { tenant_id, status: { in: ['RECEIVED', 'QUEUED', 'PROCESSING'] } } }),
  ])
  return [...syncs, ...callbacks]
}

describe.each(PSA_DOUBLES.map((double, place) => [...double, place] as const))(
  '%s',
  (_name, start, place) => {
    const apis = apisAt(async () => running.base)

    /** Each answer with an interface: those of one PSA take turns, and begin with another one at the next PSA. */
    const each = (answers: typeof FOREIGN) =>
      Object.entries(answers)
        .filter(([name]) => !SLOW.has(name))
        .map(([what, hostility], index) => ({
          what,
          hostility,
          api: apis[(index + place) % apis.length] as Api,
        }))

    async function prepared(api: Api) {
      onTestFinished(() => clock.reset())
      const [msp, other] = [await world(running.database), await world(running.database)]
      const double = await connectDouble(running, api, msp, start)
      const ticket_id = double.addTicket('A printer')
      const { services } = running.app
      const input = { entity_id: ticket_id, change_types: ['TICKET_CREATED'] }
      const { name } = double

      /** Everything that asks the PSA, and the jobs that do. */
      async function asked(): Promise<Record<string, Answer>> {
        const answers = {
          options: await api.call(msp.owner, 'company_filter_options'),
          test: await api.call(msp.owner, 'test_integration', { name }),
          match: await api.call(msp.owner, 'test_callback_match', { input }),
          removal: await api.call(msp.owner, 'remove_unmatched_companies', {
            input: { psa_company_ids: ['1'] },
          }),
          sync: await api.call(msp.owner, 'sync_integration', { name }),
        }
        await performDue(services, msp, LAST_ATTEMPT)
        await look(services, msp, LAST_ATTEMPT)
        for (let hours = 0; hours < WAITING_HOURS && (await openRows(msp)).length > 0; hours++) {
          clock.advance(HOUR_MS)
          await performDue(services, msp, LAST_ATTEMPT)
        }
        clock.reset()
        return answers
      }

      /** Nobody got an error of the service, nothing waits for ever, and another tenant is served. */
      async function unharmed(answers: Record<string, Answer>): Promise<void> {
        for (const [call, { status }] of Object.entries(answers))
          expect([call, status]).not.toEqual([call, 500])
        expect(await openRows(msp)).toEqual([])
        expect((await api.call(other.owner, 'company_filter_options')).status).toBe(200)
      }
      return { msp, double, asked, unharmed }
    }

    it.each(each(FOREIGN))(
      'is told that the PSA is none if it answers with $what',
      async ({ what, hostility, api }) => {
        const { msp, double, asked, unharmed } = await prepared(api)
        double.play(hostility())
        const answers = await asked()
        await unharmed(answers)
        const { options, test } = answers as Record<'options' | 'test', Answer>
        expect(options.error).toMatchObject({
          code: 'upstream_unavailable',
          details: { upstream: 'PSA', reason: expect.stringMatching(REASONS[kindOf(what)]) },
        })
        expect(options.error?.message).toMatch(SAID[kindOf(what)])
        expect([test.status, test.data.ok]).toEqual([200, false])
        const [sync] = await msp.database.prisma.integrationSync.findMany({
          where: { tenant_id: msp.tenant_id },
        })
        // An empty list has no rows of another form.
        expect(sync?.status).toMatch(/^(FAILED|PARTIAL)$/)
        expect(sync?.error).toMatch(SAID[kindOf(what)])
      },
    )

    it.each(each(WRONG))('harms nobody by $what', async ({ hostility, api }) => {
      const { double, asked, unharmed } = await prepared(api)
      double.play(hostility())
      await unharmed(await asked())
    })
  },
)
