/** Tool calls with arguments that no schema has checked: the log of messages fails none of them. */
import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { messagesOf } from '../../setup/comms.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'

const EXECUTION = 'exe_1'

async function withExecution(): Promise<Msp> {
  const msp = await world()
  const { tenant_id, environment, database } = msp
  await addAgents(msp, [{ id: 1 }])
  await addTechnicians(msp, [{ id: 7, psa_id: 7, name: 'Grace Hopper' }])
  const stamps = { created_at: clock.now(), updated_at: clock.now() }
  const ticket = { entity_type: 'TICKET', entity_id: '1' } as const
  await database.prisma.execution.create({
    data: {
      tenant_id,
      environment,
      execution_id: EXECUTION,
      agent_id: 1,
      trigger: 'RUN_NOW',
      status: 'RUNNING',
      ...ticket,
      ...stamps,
    },
  })
  return msp
}

const TOOLS = ['ticket.add_note', 'message.send', 'chat.send', 'feedback.send_link'] as const
type Tool = (typeof TOOLS)[number]

/** Stores a call that is PROPOSED and has no arguments yet, and then one that is being made; `at_once`: only the latter. */
async function storeCall(msp: Msp, tool: Tool, args: string, at_once: boolean): Promise<void> {
  const { tenant_id, environment, database } = msp
  const { prisma } = database
  const before = at_once ? args : '{"visibility": "PUBLIC"}'
  const status = at_once ? 'STARTED' : 'PROPOSED'
  await prisma.$executeRaw`
    insert into tool_call (tenant_id, environment, id, execution_id, sequence, temporal_run_id, tool_name, arguments,
      arguments_hash, status, started_at)
    values (${tenant_id}, ${environment}, 'call_1', ${EXECUTION}, 1, 'r', ${tool}, ${before}::jsonb, 'x',
      ${status}::tool_call_status, ${clock.now()}::timestamptz)`
  for (const next of ['STARTED', 'SUCCEEDED'])
    await prisma.$executeRaw`
      update tool_call set arguments = ${args}::jsonb, status = ${next}::tool_call_status
      where tenant_id = ${tenant_id} and environment = ${environment} and id = 'call_1'`
}

/** The fields that the triggers read, each with the value. */
const withEach = (value: string): string =>
  `{"visibility": "PUBLIC", ${[
    'ticket_id',
    'text',
    'contact_id',
    'subject',
    'body',
    'technician_id',
    'medium',
    'end_user_id',
  ]
    .map((field) => `"${field}": ${value}`)
    .join(', ')}}`

/** The status of the message of a call that has succeeded. That of a feedback link waits for the job that sends it. */
const ENDS: Readonly<Record<Tool, string>> = {
  'ticket.add_note': 'DELIVERED',
  'message.send': 'SENT',
  'chat.send': 'DELIVERED',
  'feedback.send_link': 'QUEUED',
}

/** Text that an index cannot make short. */
const LONG = JSON.stringify(
  Array.from({ length: 4000 }, (_, index) => (index * 7919 + 1).toString(36)).join(''),
)

const VALUES = [
  'null',
  'true',
  '{}',
  '[]',
  '{"a": [1, {"b": null}]}',
  '"\\u0001\\ud83d\\ude00"',
  '1e400',
  '-0',
  '2147483648',
  '9223372036854775808',
  '1.5',
  '"seven"',
  '""',
  LONG,
]

const HOSTILE = [
  'null',
  'true',
  '7',
  '"PUBLIC"',
  '[]',
  '["visibility", "PUBLIC"]',
  '{"visibility": null}',
  '{"visibility": {"visibility": "PUBLIC"}}',
  '{"visibility": "PUBLIC"}',
  LONG,
  ...VALUES.map(withEach),
]

describeApi('arguments of any kind', (api) => {
  it.each(TOOLS)('of %s fail no call, and its message is read', { timeout: 60_000 }, async (tool) => {
    const msp = await withExecution()
    const { tenant_id, database } = msp
    for (const args of HOSTILE)
      for (const at_once of [true, false]) {
        await storeCall(msp, tool, args, at_once)
        const [message] = await messagesOf(msp)
        const reaches_people = tool !== 'ticket.add_note' || JSON.parse(args)?.visibility === 'PUBLIC'
        expect([args.slice(0, 60), message === undefined]).toEqual([args.slice(0, 60), !reaches_people])
        if (message) {
          const { data, error } = await api.call(msp.key, 'comms_message', { message_id: message.id })
          expect(error).toBeNull()
          expect(data).toMatchObject({
            status: ENDS[tool],
            recipient_id: null,
            execution_id: EXECUTION,
          })
        }
        await database.prisma.storedToolCall.deleteMany({ where: { tenant_id } })
        await database.prisma.commsMessage.deleteMany({ where: { tenant_id } })
      }
  })

  it('name a technician by the number alone', async () => {
    const msp = await withExecution()
    await storeCall(msp, 'chat.send', '{"technician_id": 7, "text": "Hello."}', true)
    const { data } = await api.call(msp.key, 'comms_messages')
    expect(data).toMatchObject([{ recipient_type: 'TECHNICIAN', recipient_id: '7', body: 'Hello.' }])
  })
})
