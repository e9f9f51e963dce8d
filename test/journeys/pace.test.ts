/** Tickets of a connected PSA at the pace at which it may be asked, and after it was away. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const SLEEP_MS = 30_000
const TICKETS = 12

interface Waiting {
  entity_id: string
  status: string
  waiting_for: string | null
  psa_wait_seconds: number
  wait_seconds: number
  error: string | null
}

describe.each(PSA_DOUBLES)('tickets of %s', (_name, start) => {
  async function prepared(api: Api, count: number) {
    onTestFinished(() => clock.reset())
    const msp: Msp = await world(running.database)
    const double = await connectDouble(running, api, msp, start)
    const story = storyOf(api, msp)
    const { services } = running.app
    const owner = { system: double.name.toUpperCase().replaceAll('-', '_'), tenant_id: msp.tenant_id }
    const ids = Array.from({ length: count }, (_, n) => double.addTicket(`Printer ${n}`))
    for (const ticket_id of ids)
      await tell(running, double, { ticket_id, action: 'ADDED', event_id: `${msp.tenant_id} ${ticket_id}` })
    return {
      msp,
      double,
      story,
      services,
      owner,
      callbacks: (): Promise<Waiting[]> =>
        story.done(msp.key, 'callbacks', { entity_type: 'TICKET', page_size: 50 }),
    }
  }

  describe.each(apisAt(async () => running.base))('through $name', (api: Api) => {
    it('wait for requests, say so, and are read together then', async () => {
      const { msp, double, story, services, owner, callbacks } = await prepared(api, TICKETS)
      const { taken } = await services.vendor_budget.take(owner, 1_000_000, 0)
      clock.advance(SLEEP_MS + 1000)
      await performDue(services, msp)
      for (const callback of await callbacks())
        expect(callback).toMatchObject({ status: 'QUEUED', waiting_for: 'PSA_LIMIT', error: null })
      const before = double.requests.length
      services.vendor_budget.giveBack(owner, taken)
      await until(async () => {
        clock.advance(5000)
        await performDue(services, msp)
        return (await callbacks()).every(({ status }) => status === 'FILTERED_OUT')
      })
      for (const { psa_wait_seconds, wait_seconds, waiting_for } of await callbacks())
        expect([psa_wait_seconds >= 5, wait_seconds, waiting_for]).toEqual([true, 0, null])
      const { psa_api, concurrency_cap } = await story.done(msp.key, 'callback_funnel')
      expect([psa_api.limited_count, concurrency_cap.exhausted_count]).toEqual([TICKETS, 0])
      expect(psa_api.max_limit_wait_seconds).toBeGreaterThanOrEqual(psa_api.p95_limit_wait_seconds)
      const adapter = services.connectors.adapterOf(owner.system as never)
      const fewest = (adapter?.requests_for_tickets?.(10) ?? 0) + (adapter?.requests_for_tickets?.(2) ?? 0)
      // The names and choices that the service keeps are read once.
      expect(double.requests.length - before).toBeLessThanOrEqual(fewest + 8)
    })
  })

  it('are all processed within a minute of the end of an outage', async () => {
    const [api] = apisAt(async () => running.base) as [Api]
    const { msp, double, services, callbacks } = await prepared(api, TICKETS)
    double.failing(1)
    clock.advance(SLEEP_MS + 1000)
    for (let seconds = 0; seconds < 180; seconds += 5) {
      await performDue(services, msp)
      clock.advance(5000)
    }
    for (const callback of await callbacks())
      expect(callback).toMatchObject({ status: 'QUEUED', waiting_for: null })
    double.failing(0)
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await performDue(services, msp)
      clock.advance(5000)
    }
    for (const callback of await callbacks())
      expect(callback).toMatchObject({ status: 'FILTERED_OUT', error: null })
  })
})
