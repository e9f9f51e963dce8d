/** The promises of the port to a team chat, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { CHAT, type Chat } from '../../src/connectors/chat.ts'
import { localChat } from '../../src/connectors/local/chat.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { describeWrites, expectRefusals } from '../setup/port-writes.ts'
import { portContext } from '../setup/psa.ts'

interface Fixture {
  port: Chat
  made: () => Promise<number>
  /** The texts that the technician got. */
  got: (technician_psa_id: number) => Promise<string[]>
}

async function local(): Promise<Fixture> {
  const msp = await equippedMsp()
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id }
  return {
    port: localChat(portContext(msp)),
    made: () => prisma.localWrite.count({ where }),
    got: async (technician_psa_id) =>
      (await prisma.chatMessage.findMany({ where: { ...where, technician_psa_id } })).map(({ text }) => text),
  }
}

const ADAPTERS: [name: string, setUp: () => Promise<Fixture>][] = [['local', local]]

const MESSAGE = { technician_psa_id: 7, author_name: 'Triage', text: 'Look at this.' }

const ANSWER = {
  channel: { channel_id: 'chn_1', transport: 'SLACK', workspace_id: 'T1' },
  conversation_id: 'one',
  author_name: 'Desk',
  text: 'It is on fire.',
}

describe.each(ADAPTERS)('a write to the team chat %s', (_name, setUp) => {
  describeWrites(
    CHAT,
    {
      send: (port, key) => port.send(MESSAGE, key),
      post: (port, key) => port.post(ANSWER, key),
    },
    setUp,
  )

  it('goes to channels that are open', async () => {
    expect(await (await setUp()).port.isOpen(ANSWER.channel)).toBe(true)
  })

  it('reaches the technician', async () => {
    const { port, got } = await setUp()
    await port.send(MESSAGE, 'k')
    expect(await got(7)).toEqual(['Look at this.'])
    expect(Object.keys(port).sort()).toEqual(Object.keys(CHAT.calls).sort())
  })

  it('is refused for a technician whom there is not', async () => {
    await expectRefusals(await setUp(), [
      ['TECHNICIAN_NOT_FOUND', (port, key) => port.send({ ...MESSAGE, technician_psa_id: 999 }, key)],
    ])
  })
})
