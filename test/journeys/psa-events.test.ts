/** Journeys from an event in a connected PSA to what an agent wrote there. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, look, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import { notingScript, playModel } from '../setup/model.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const SLEEP_MS = 30_000
const NOTE = { text: 'We are on it.', visibility: 'INTERNAL' }

/** The numbers in the value, by their paths. */
function flat(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => flat(inner, path ? `${path}.${name}` : name))
}

const WHOLE =
  /^(callbacks\.(received|filtered_out|unique_entities|by_change_type\..+)|events_processed\.count|workflows_triggered\.finished)$/

describe.each(PSA_DOUBLES)('an event of %s', (_name, start) => {
  describe.each(apisAt(async () => running.base))('through $name', (api: Api) => {
    async function prepared() {
      onTestFinished(() => clock.reset())
      const msp: Msp = await world(running.database)
      const double = await connectDouble(running, api, msp, start)
      const story = storyOf(api, msp)
      const { services } = running.app
      const grants = [
        {
          system: double.name.toUpperCase().replaceAll('-', '_'),
          permission_groups: ['TICKETS'],
          access: 'WRITE',
        },
      ]
      const callback_settings = { change_types: ['TICKET_CREATED'] }
      const counts = async () => {
        const funnel = await story.done(msp.key, 'callback_funnel')
        return new Map(flat(funnel).filter(([path]) => WHOLE.test(path)))
      }
      return {
        msp,
        double,
        story,
        counts,
        createAgent: (changes: object) => story.createAgent({ callback_settings, ...changes }),
        grants: { integrations: { grants } },
        tell: (ticket_id: string, event_id = `${msp.tenant_id} ${ticket_id}`) =>
          tell(running, double, { ticket_id, action: 'ADDED', event_id }),
        look: () => look(services, msp),
        /** Lets the configured sleep pass, and does what is due then. */
        work: async () => {
          clock.advance(SLEEP_MS + 1000)
          await performDue(services, msp)
        },
        callbacks: () => story.done(msp.key, 'callbacks', { entity_type: 'TICKET' }),
      }
    }

    type Prepared = Awaited<ReturnType<typeof prepared>>

    /** What the callback, the execution and the funnel tell, and the PSA has. */
    async function expectWholeStory(
      { msp, story, double, counts, callbacks }: Prepared,
      before: ReadonlyMap<string, number>,
      { ticket_id, agent_id, source }: { ticket_id: string; agent_id: number; source: string },
    ): Promise<void> {
      const [callback, ...others] = await callbacks()
      expect(others).toEqual([])
      expect(callback).toMatchObject({
        entity_id: ticket_id,
        status: 'PROCESSED',
        change_types: ['TICKET_CREATED'],
        matched_count: 1,
      })
      const stored = await msp.database.prisma.callback.findMany({ where: { tenant_id: msp.tenant_id } })
      expect(stored).toMatchObject([{ source }])
      const [execution_id] = callback.execution_ids
      expect(await story.execution(execution_id)).toMatchObject({
        agent_id,
        status: 'COMPLETED',
        trigger: 'TRIGGERED',
        entity_id: ticket_id,
      })
      expect(double.notesOf(ticket_id)).toEqual([expect.stringContaining(NOTE.text)])
      const moved = [...(await counts())].filter(([path, count]) => count !== (before.get(path) ?? 0))
      expect(
        Object.fromEntries(moved.map(([path, count]) => [path, count - (before.get(path) ?? 0)])),
      ).toEqual({
        'callbacks.received': 1,
        'callbacks.unique_entities': 1,
        'callbacks.by_change_type.TICKET_CREATED': 1,
        'events_processed.count': 1,
        'workflows_triggered.finished': 1,
      })
    }

    it('starts an agent, whose note is in the PSA, once though it is sent twice', async () => {
      const its = await prepared()
      const agent_id = await its.createAgent({ autonomy_type: 'AGENTIC', ...its.grants })
      const ticket_id = its.double.addTicket('Printer')
      await playModel(notingScript([ticket_id], NOTE), running)
      const before = await its.counts()
      for (let count = 0; count < 2; count++) expect(await its.tell(ticket_id)).toEqual([202])
      await its.work()
      await its.tell(ticket_id)
      await expectWholeStory(its, before, { ticket_id, agent_id, source: 'WEBHOOK' })
    })

    it('is found by a poll if it was lost', async () => {
      const its = await prepared()
      const agent_id = await its.createAgent({ autonomy_type: 'AGENTIC', ...its.grants })
      const ticket_id = its.double.addTicket('Printer')
      await playModel(notingScript([ticket_id], NOTE), running)
      const before = await its.counts()
      await its.look()
      await its.work()
      await expectWholeStory(its, before, { ticket_id, agent_id, source: 'POLL' })
    })

    it('that comes both ways is one callback', async () => {
      const its = await prepared()
      await its.createAgent({ actions: [{ type: 'ticket.read', params: {} }] })
      const [first, second] = [its.double.addTicket('One'), its.double.addTicket('Two')]
      await its.tell(first)
      await its.look()
      await its.work()
      await its.look()
      await its.tell(second)
      await its.work()
      const callbacks = await its.callbacks()
      expect(callbacks.map(({ entity_id }: { entity_id: string }) => entity_id).sort()).toEqual([
        first,
        second,
      ])
      for (const callback of callbacks)
        expect(callback).toMatchObject({ status: 'PROCESSED', matched_count: 1 })
      expect((await its.counts()).get('callbacks.received')).toBe(2)
    })

    it('that an agent makes itself starts nothing', async () => {
      const its = await prepared()
      const params = { title: 'Follow-up', description: 'Call back.' }
      await its.createAgent({ actions: [{ type: 'ticket.create', params }] })
      await its.tell(its.double.addTicket('Printer'))
      for (let count = 0; count < 3; count++) {
        await its.work()
        await its.look()
      }
      const callbacks = await its.callbacks()
      const outcomes = callbacks.map((one: { status: string; filter_reason: string | null }) => [
        one.status,
        one.filter_reason,
      ])
      expect(outcomes).toContainEqual(['FILTERED_OUT', 'OWN_CHANGE'])
      expect(outcomes.filter(([status]: [string]) => status === 'PROCESSED')).toHaveLength(1)
    })
  })
})

const MINUTE_MS = 60_000

it.each(PSA_DOUBLES)(
  'of %s, which is away for an hour then, waits, and costs no other tenant',
  async (_name, start) => {
    onTestFinished(() => clock.reset())
    const [api] = apisAt(async () => running.base) as [Api]
    const { services } = running.app
    const connected = async () => {
      const msp = await world(running.database)
      const double = await connectDouble(running, api, msp, start)
      const story = storyOf(api, msp)
      await story.createAgent({
        callback_settings: { change_types: ['TICKET_CREATED'] },
        actions: [{ type: 'ticket.add_note', params: NOTE }],
        integrations: {
          grants: [
            {
              system: double.name.toUpperCase().replaceAll('-', '_'),
              permission_groups: ['TICKETS'],
              access: 'WRITE',
            },
          ],
        },
      })
      const ticket_id = double.addTicket('Printer')
      await tell(running, double, { ticket_id, action: 'ADDED', event_id: msp.tenant_id })
      return {
        msp,
        double,
        notes: () => double.notesOf(ticket_id),
        callback: async () => (await story.done(msp.key, 'callbacks', { entity_type: 'TICKET' }))[0],
      }
    }
    const [away, other] = [await connected(), await connected()]
    away.double.failing(1)
    for (let minutes = 0; minutes < 60; minutes += 10) {
      for (const { msp } of [away, other]) await performDue(services, msp)
      clock.advance(10 * MINUTE_MS)
    }
    expect(other.notes()).toEqual([expect.stringContaining(NOTE.text)])
    expect(await away.callback()).toMatchObject({
      status: 'QUEUED',
      error: 'INTEGRATION: The PSA did not answer. It is asked again.',
    })
    away.double.failing(0)
    await until(async () => {
      clock.advance(10 * MINUTE_MS)
      await performDue(services, away.msp)
      return (await away.callback()).status !== 'QUEUED'
    })
    expect(await away.callback()).toMatchObject({ status: 'PROCESSED', matched_count: 1, error: null })
    expect(away.notes()).toEqual([expect.stringContaining(NOTE.text)])
  },
)
