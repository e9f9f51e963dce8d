import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type Api, apis, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { addPsaContacts, addPsaTickets } from '../../setup/psa.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'
import { EMAIL, install, tab } from './tab.ts'

afterEach(() => clock.reset())

const [graphql, rest] = apis as [Api, Api]

const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))
const idsOf = (tickets: { ticket_id: string }[]) => tickets.map(({ ticket_id }) => ticket_id)

describe('the tickets of an end user', () => {
  it('are the open ones and those closed in 30 days, each in its order', async () => {
    const { msp, ask } = await tab()
    await addPsaTickets(msp, [
      { ticket_id: '1', contact_id: '11', updated_at: ago(2) },
      {
        ticket_id: '2',
        contact_id: '11',
        updated_at: ago(1),
        url: 'https://psa.test/2',
        status: 'In progress',
      },
      { ticket_id: '3', contact_id: '11', closed_at: ago(29) },
      { ticket_id: '4', contact_id: '11', closed_at: ago(3) },
      { ticket_id: '5', contact_id: '11', closed_at: ago(31) },
      { ticket_id: '6' },
    ])
    const { status, data, error } = await ask()
    expect([status, error]).toEqual([200, null])
    expect(data).toMatchObject({ state: 'OK', closed_window_days: 30 })
    expect(data.open[0]).toEqual({
      ticket_id: '2',
      reference: '#2',
      title: 'Ticket 2',
      status: 'In progress',
      url: 'https://psa.test/2',
      closed_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect([idsOf(data.open), idsOf(data.recently_closed)]).toEqual([
      ['2', '1'],
      ['4', '3'],
    ])
    expect(data.recently_closed[0]).toMatchObject({ url: null, closed_at: expect.any(String) })
  })

  it('are those of the contact at the user’s company with the user’s address, in any letter case', async () => {
    const { msp, token, ask } = await tab()
    await addPsaContacts(msp, [{ contact_id: '21', psa_company_id: 'psa_b', email: 'bo@b.test' }])
    await addPsaTickets(msp, [{ ticket_id: '1', contact_id: '11' }])
    expect(
      (await ask(await token({ preferred_username: ` ${EMAIL.toUpperCase()}` }))).data.open,
    ).toHaveLength(1)
    const nobody = { state: 'NO_CONTACT', closed_window_days: 30, open: [], recently_closed: [] }
    for (const preferred_username of ['ada+x@alder.test', 'bo@b.test', undefined, 7])
      expect((await ask(await token({ preferred_username }))).data).toEqual(nobody)
    expect((await ask(await token({ preferred_username: undefined, upn: EMAIL }))).data.state).toBe('OK')
  })

  it('are found by an address that the provider has verified, or by the name that the user signs in with', async () => {
    const { token, ask } = await tab()
    const stateOf = async (claims: object) => (await ask(await token(claims))).data.state
    const other = { preferred_username: 'ada@elsewhere.test' }
    for (const verified of [{ email_verified: true }, { xms_edov: true }, { xms_edov: '1' }])
      expect(await stateOf({ ...other, email: EMAIL, ...verified }), JSON.stringify(verified)).toBe('OK')
    for (const unverified of [{}, { email_verified: false }, { xms_edov: 0 }, { email_verified: 'no' }])
      expect(await stateOf({ ...other, email: EMAIL, ...unverified })).toBe('NO_CONTACT')
    expect(await stateOf({ email: 'eve@alder.test' })).toBe('OK')
    expect(await stateOf({ email: 'eve@alder.test', email_verified: true })).toBe('NO_CONTACT')
  })

  it('are those of the MSP whose app is installed, and of no other one with the same ids', async () => {
    const { msp, ask } = await tab()
    const other = await world()
    await addCompanies(other, [{ id: 'a', workplace_tenant_id: 'elsewhere' }])
    await addPsaContacts(other, [{ contact_id: '11', psa_company_id: 'psa_a', email: EMAIL }])
    await addPsaTickets(other, [{ ticket_id: 'theirs', contact_id: '11' }])
    await addPsaTickets(msp, [{ ticket_id: 'ours', contact_id: '11' }])
    expect(idsOf((await ask()).data.open)).toEqual(['ours'])
  })

  it('are read live, and within five seconds by one call to the PSA', async () => {
    const { msp, ask } = await tab()
    await ask()
    await addPsaTickets(msp, [{ ticket_id: '1', contact_id: '11' }])
    const shared = await countStatements(msp.database, ask)
    expect((await ask()).data.open).toEqual([])
    clock.advance(5001)
    expect(await countStatements(msp.database, ask)).toBe(shared + 3)
    expect((await ask()).data.open).toHaveLength(1)
  })

  it('say how long the PSA took', async () => {
    const { ask } = await tab()
    const { headers } = await ask()
    expect(headers.get('server-timing')).toMatch(/upstream;dur=/)
  })
})

describe('a workplace-suite tenant', () => {
  it.each<[string, Parameters<typeof tab>[0], unknown]>([
    ['without the app is 404', { installed: false }, [404, 'channel_not_found']],
    ['without app and company is 404', { installed: false, mapped: false }, [404, 'channel_not_found']],
    ['that is no company’s is 409', { mapped: false }, [409, 'end_company_not_mapped']],
    ['without the contact is 200', { known: false }, [200, undefined]],
  ])('%s', async (_name, options, expected) => {
    const { ask } = await tab(options)
    expect(outcome(await ask())).toEqual(expected)
  })

  it.each<[string, Parameters<typeof install>[2], Parameters<typeof install>[3], number]>([
    ['that removed the app', { status: 'UNINSTALLED' }, {}, 404],
    ['whose tab is off', {}, { tickets_tab_enabled: false }, 404],
    ['whose channel was removed', {}, { status: 'UNINSTALLED' }, 404],
    ['whose channel is of another transport', {}, { transport: 'MICROSOFT_TEAMS' }, 404],
    ['whose channel is paused', {}, { status: 'PAUSED' }, 200],
  ])('%s', async (_name, how, channel, status) => {
    const { msp, tid, ask } = await tab({ installed: false })
    await install(msp, tid, how, channel)
    expect((await ask()).status).toBe(status)
  })

  it('with several apps has the tickets of the one with the tab on, of an MSP that has mapped it', async () => {
    const { msp, tid, ask } = await tab()
    await addPsaTickets(msp, [{ ticket_id: 'ours', contact_id: '11' }])
    const [off, unmapped] = [await world(), await world()]
    const later = { installed_at: new Date(clock.now().getTime() + days(1)) }
    await install(off, tid, later, { tickets_tab_enabled: false })
    await addCompanies(off, [{ id: 'a', workplace_tenant_id: tid }])
    await install(unmapped, tid, later)
    expect(idsOf((await ask()).data.open)).toEqual(['ours'])
  })

  it('is not hidden by the app of a suspended MSP', async () => {
    const { tid, ask } = await tab()
    const suspended = await world()
    await install(suspended, tid, { installed_at: new Date(clock.now().getTime() + days(1)) })
    await addCompanies(suspended, [{ id: 'a', workplace_tenant_id: tid }])
    await suspended.database.prisma.tenant.update({
      where: { id: suspended.tenant_id },
      data: { suspended_at: clock.now() },
    })
    expect((await ask()).status).toBe(200)
  })

  it('of a suspended MSP is refused', async () => {
    const { msp, ask } = await tab()
    await msp.database.prisma.tenant.update({
      where: { id: msp.tenant_id },
      data: { suspended_at: clock.now() },
    })
    expect(outcome(await ask())).toEqual([403, 'tenant_suspended'])
  })

  it('is unlinked and switched off from the next call on', async () => {
    const { msp, ask } = await tab()
    const where = { tenant_id: msp.tenant_id }
    await ask()
    await msp.database.prisma.endCompany.updateMany({ where, data: { workplace_tenant_id: null } })
    expect(outcome(await ask())).toEqual([409, 'end_company_not_mapped'])
    await msp.database.prisma.channel.updateMany({ where, data: { tickets_tab_enabled: false } })
    expect(outcome(await ask())).toEqual([404, 'channel_not_found'])
  })
})

describe('a token', () => {
  it('of the tab is no credential anywhere else', async () => {
    const { token } = await tab()
    const caller = { id: '', token: await token() }
    for (const api of apis)
      for (const operation of ['end_users', 'tenant', 'health', 'me'])
        expect(outcome(await api.call(caller, operation)), operation).toEqual([401, 'invalid_credentials'])
    expect(outcome(await graphql.call(caller, 'end_user_tickets'))).toEqual([401, 'invalid_credentials'])
  })

  it('of a dashboard user and an API key are refused here', async () => {
    const { msp, ask } = await tab()
    for (const { token } of [msp.owner, msp.key, msp.viewer])
      expect(outcome(await ask(token))).toEqual([401, 'invalid_credentials'])
    for (const token of ['x', 'a.b.c', 'svc_sk_test_wrong'])
      expect(outcome(await ask(token))).toEqual([401, 'invalid_credentials'])
  })

  it('that is missing is 401', async () => {
    expect(outcome(await rest.call(null, 'end_user_tickets'))).toEqual([401, 'unauthenticated'])
  })

  it('names a user and a tenant, or is refused', async () => {
    const { token, ask } = await tab()
    for (const claims of [
      { tid: undefined as never },
      { tid: '' },
      { tid: 'x'.repeat(129) },
      { tid: 'a\u0000b' },
      { oid: undefined as never },
      { oid: 7 as never },
      { iss: `https://chat.test/${randomUUID()}/v2` },
      { iss: 'https://issuer.test' },
      { aud: 'tests' },
    ])
      expect(outcome(await ask(await token(claims))), JSON.stringify(claims)).toEqual([
        401,
        'invalid_credentials',
      ])
    expect((await ask(await token({ oid: undefined as never, sub: 'someone' }))).status).toBe(200)
  })
})
