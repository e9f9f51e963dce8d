import { expect, it } from 'vitest'
import type { ToolResult } from '../../src/tools/execute.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

const LONG = 'It jams. '.repeat(10_000)

async function longTicket() {
  const msp = await world()
  await addPsaTickets(msp, [{ ticket_id: '1', description: LONG }])
  return { msp, call: toolCallsFor(msp).call }
}

it('a long result is cut, and its execution reads it on', async () => {
  const { msp, call } = await longTicket()
  let part: ToolResult = await call('ticket.read', { ticket_id: '1' }, 'call_1')
  expect(part).toMatchObject({ truncated: true, call_id: 'call_1' })
  let text = String(part.text)
  while (part.next_offset !== null) {
    part = await call('run.read_result', { call_id: 'call_1', offset: part.next_offset })
    text += part.text
  }
  expect(JSON.parse(text)).toMatchObject({ ticket_id: '1', description: LONG })
  const other = toolCallsFor(msp, { execution_id: 'exe_2' })
  for (const reading of [other.call, toolCallsFor(await world()).call])
    await expect(reading('run.read_result', { call_id: 'call_1', offset: 0 })).rejects.toMatchObject({
      code: 'result_not_found',
      kind: 'AGENT',
    })
})

it('a result has no secrets', async () => {
  const { msp, call } = await longTicket()
  await addPsaTickets(msp, [{ ticket_id: '2', description: 'It says Bearer abcdefghijkl there.' }])
  expect(await call('ticket.read', { ticket_id: '2' })).toMatchObject({
    description: 'It says [removed] there.',
  })
})

it('text that cannot be stored is refused', async () => {
  const { call } = await longTicket()
  await expect(
    call('ticket.add_note', { ticket_id: '1', text: 'a\0b', visibility: 'INTERNAL' }),
  ).rejects.toMatchObject({ code: 'text_not_storable', kind: 'AGENT', may_have_acted: false })
})
