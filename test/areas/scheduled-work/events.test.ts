/** The events of scheduled work. */
import { beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { queueDueOf } from '../../setup/due.ts'
import { raised } from '../../setup/raised.ts'
import { addScheduledWork } from '../../setup/scheduled-work.ts'
import { world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[0]]

it('an entry whose last worker was lost raises scheduled_work.failed once, however many look for it', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const held_until = new Date(clock.now().getTime() - 1000)
  const lost = { workflow_id: 1, status: 'PROCESSING' as const, held_until }
  await addScheduledWork(msp, [
    { ...lost, attempt: 3 },
    { ...lost, attempt: 1, scheduled_for: new Date(clock.now().getTime() + 60_000) },
  ])
  await times(() => queueDueOf(msp), 3)
  expect(await raised(msp, 'scheduled_work.failed')).toMatchObject([
    {
      agent_id: 1,
      data: {
        agent_id: 1,
        status: 'FAILED',
        execution_message: 'The worker that started the agent was lost.',
      },
    },
  ])
})

it('a cancellation says its reason, and a second one raises nothing', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addScheduledWork(msp, [{ workflow_id: 1 }])
  const { data } = await api.call(msp.key, 'scheduled_work')
  const cancel = { entry_id: data[0].id, input: { reason: 'Not needed.' } }
  await api.call(msp.admin, 'cancel_scheduled_work', cancel)
  await api.call(msp.admin, 'cancel_scheduled_work', cancel)
  const [event, ...others] = await raised(msp, 'scheduled_work.cancelled')
  expect(others).toEqual([])
  expect(event).toMatchObject({
    entity_id: String(data[0].id),
    data: { status: 'CANCELLED', comment: 'Not needed.', scheduled_for: data[0].scheduled_for },
  })
})
