/** The promises of the port to an identity provider, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { IDENTITY, type Identity } from '../../src/connectors/identity.ts'
import { localIdentity } from '../../src/connectors/local/identity.ts'
import { PortRefusal } from '../../src/connectors/port.ts'
import { clock } from '../setup/app.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { describeWrites, expectRefusals } from '../setup/port-writes.ts'
import { portContext } from '../setup/psa.ts'
import { days } from '../setup/world.ts'

async function local() {
  const msp = await equippedMsp()
  const where = { tenant_id: msp.tenant_id }
  return {
    port: localIdentity(portContext(msp)),
    made: () => msp.database.prisma.localWrite.count({ where }),
  }
}

const ADAPTERS: [name: string, setUp: () => Promise<{ port: Identity; made: () => Promise<number> }>][] = [
  ['local', local],
]

const ALL = { words: '', psa_company_id: null, limit: 50 }
const DRAFT = {
  psa_company_id: 'psa_a',
  user_name: 'new@a.example',
  display_name: 'New',
  recipient_contact_id: '11',
}

const ORDER = { psa_company_id: 'psa_a', licence: 'Mail', count: 3 }

describe.each(ADAPTERS)('the identity provider %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    expect(Object.keys((await setUp()).port).sort()).toEqual(Object.keys(IDENTITY.calls).sort())
  })

  it('has accounts with their groups and licences', async () => {
    const { port } = await setUp()
    const found = async (search: object) =>
      (await port.searchAccounts({ ...ALL, ...search })).map(({ account_id }) => account_id)
    expect(await found({})).toEqual(['acc1', 'acc3', 'acc2'])
    expect(await found({ words: 'BO' })).toEqual(['acc3', 'acc2'])
    expect(await found({ psa_company_id: 'psa_b' })).toEqual(['acc3'])
    expect(await port.account('acc1')).toEqual({
      account_id: 'acc1',
      psa_company_id: 'psa_a',
      user_name: 'ada@a.example',
      display_name: 'Ada',
      enabled: true,
      locked: true,
      has_second_factor: false,
      groups: ['Everyone'],
      licences: [],
    })
    expect(await port.account('x')).toBeNull()
  })

  it('has groups, licences and sign-ins', async () => {
    const { port } = await setUp()
    expect((await port.groupsOf('psa_a')).map(({ name }) => name)).toEqual(['Everyone', 'Sales'])
    expect(await port.licencesOf('psa_a')).toEqual([{ name: 'Mail', total: 2, assigned: 1 }])
    const since = new Date(clock.now().getTime() - days(30))
    expect(await port.signInsOf('acc1', since)).toEqual([
      { at: expect.any(Date), succeeded: false, country: 'GB' },
    ])
    for (const none of [port.groupsOf('x'), port.licencesOf('x'), port.signInsOf('x', since)])
      expect(await none).toEqual([])
  })

  it('changes accounts', async () => {
    const { port } = await setUp()
    expect(await port.unlock('acc1', 'k1')).toMatchObject({ locked: false })
    expect(await port.disable('acc1', 'k2')).toMatchObject({ enabled: false })
    expect(await port.addToGroup('acc1', 'g1', 'k3')).toMatchObject({ groups: ['Everyone', 'Sales'] })
    expect(await port.removeFromGroup('acc1', 'g2', 'k4')).toMatchObject({ groups: ['Sales'] })
    expect(await port.assignLicence('acc1', 'Mail', 'k5')).toMatchObject({ licences: ['Mail'] })
    const made = await port.createAccount(DRAFT, 'k6')
    expect(made).toMatchObject({ user_name: 'new@a.example', enabled: true, groups: [], licences: [] })
    await expect(port.assignLicence(made.account_id, 'Mail', 'k7')).rejects.toMatchObject({
      reason: 'NO_LICENCE_LEFT',
    })
  })

  it('has the licences that were ordered, each order once', async () => {
    const { port } = await setUp()
    const first = await port.orderLicences(ORDER, 'k1')
    expect(await port.orderLicences(ORDER, 'k1')).toEqual(first)
    expect(await port.orderLicences({ ...ORDER, licence: 'Office', count: 1 }, 'k2')).not.toEqual(first)
    expect(await port.licencesOf('psa_a')).toEqual([
      { name: 'Mail', total: 5, assigned: 1 },
      { name: 'Office', total: 1, assigned: 0 },
    ])
  })

  it.runIf(process.env.DATABASE_URL)('assigns the last licence once', async () => {
    const { port } = await setUp()
    const { account_id } = await port.createAccount(DRAFT, 'k')
    const outcomes = await Promise.allSettled(
      ['acc1', account_id].map((id) => port.assignLicence(id, 'Mail', `k_${id}`)),
    )
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toEqual([expect.any(PortRefusal)])
    expect(await port.licencesOf('psa_a')).toEqual([{ name: 'Mail', total: 2, assigned: 2 }])
  })
})

describe.each(ADAPTERS)('a write to the identity provider %s', (_name, setUp) => {
  describeWrites(
    IDENTITY,
    {
      createAccount: (port, key) => port.createAccount(DRAFT, key),
      resetPassword: (port, key) => port.resetPassword('acc1', '11', key),
      unlock: (port, key) => port.unlock('acc1', key),
      disable: (port, key) => port.disable('acc1', key),
      revokeSessions: (port, key) => port.revokeSessions('acc1', key),
      addToGroup: (port, key) => port.addToGroup('acc1', 'g1', key),
      removeFromGroup: (port, key) => port.removeFromGroup('acc1', 'g2', key),
      assignLicence: (port, key) => port.assignLicence('acc1', 'Mail', key),
      orderLicences: (port, key) => port.orderLicences(ORDER, key),
    },
    setUp,
  )

  it('is refused for what there is not, and writes nothing', async () => {
    await expectRefusals(await setUp(), [
      ['ACCOUNT_NOT_FOUND', (port, key) => port.unlock('x', key)],
      ['ACCOUNT_NOT_FOUND', (port, key) => port.resetPassword('x', '11', key)],
      ['CONTACT_NOT_FOUND', (port, key) => port.resetPassword('acc1', '21', key)],
      ['GROUP_NOT_FOUND', (port, key) => port.addToGroup('acc1', 'g3', key)],
      ['GROUP_NOT_FOUND', (port, key) => port.removeFromGroup('acc1', 'x', key)],
      ['NO_LICENCE_LEFT', (port, key) => port.assignLicence('acc1', 'x', key)],
      ['COMPANY_NOT_FOUND', (port, key) => port.createAccount({ ...DRAFT, psa_company_id: 'x' }, key)],
      ['CONTACT_NOT_FOUND', (port, key) => port.createAccount({ ...DRAFT, recipient_contact_id: '21' }, key)],
      ['COMPANY_NOT_FOUND', (port, key) => port.orderLicences({ ...ORDER, psa_company_id: 'x' }, key)],
      ['USER_NAME_TAKEN', (port, key) => port.createAccount({ ...DRAFT, user_name: 'bo@b.example' }, key)],
    ])
  })
})
