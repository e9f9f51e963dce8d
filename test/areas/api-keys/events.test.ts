import { describe, expect, it, onTestFinished } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { tellOfExpiryOf } from '../../setup/due.ts'
import { entitiesSeen, raised, typesRaised } from '../../setup/raised.ts'
import { days, world } from '../../setup/world.ts'
import { created, HOUR, insertKeys } from './keys.ts'

const soon = (ms: number) => new Date(clock.now().getTime() + ms)

describeApi('the events of API keys', (api) => {
  it('tell of a new key, its rotation and its revocation, and hold no secret', async () => {
    const msp = await world()
    const old = await created(api, msp)
    const { data: newer } = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    await api.call(msp.admin, 'revoke_api_key', { key_id: old.id, input: { reason: 'Leaked.' } })
    const told = (verb: string, status: string, replaced_by_key_id: string | null) => ({
      type: `api_key.${verb}`,
      entity_id: old.id,
      agent_id: null,
      data: {
        api_key_id: old.id,
        name: 'Nightly sync',
        status,
        expires_at: old.expires_at,
        replaced_by_key_id,
      },
    })
    expect(await raised(msp)).toEqual([
      told('created', 'ACTIVE', null),
      told('rotated', 'SUNSETTING', newer.id),
      told('revoked', 'REVOKED', newer.id),
    ])
    expect(await entitiesSeen(msp, 'api_key.created', msp.user)).toEqual([])
  })

  it('are not raised for a change of a name, or for a second revocation', async () => {
    const msp = await world()
    const { id: key_id } = await created(api, msp)
    await api.call(msp.admin, 'update_api_key', { key_id, input: { name: 'Other' } })
    for (let turn = 0; turn < 2; turn++) await api.call(msp.admin, 'revoke_api_key', { key_id })
    expect(await typesRaised(msp)).toEqual(['api_key.created', 'api_key.revoked'])
  })
})

describe('a key that expires soon', () => {
  it('is told of once, from 14 days before its expiry on', async () => {
    const msp = await world()
    onTestFinished(() => clock.reset())
    const expires_at = soon(days(14) + 60_000)
    const [id = ''] = await insertKeys(msp, 1, { expires_at, name: 'Sync' })
    await tellOfExpiryOf(msp)
    expect(await raised(msp)).toEqual([])
    clock.advance(60_000)
    for (let turn = 0; turn < 3; turn++) {
      await tellOfExpiryOf(msp)
      expect(await raised(msp)).toEqual([
        {
          type: 'api_key.expiring',
          entity_id: id,
          agent_id: null,
          data: {
            api_key_id: id,
            name: 'Sync',
            status: 'ACTIVE',
            expires_at: expires_at.toISOString(),
            replaced_by_key_id: null,
          },
        },
      ])
      clock.advance(days(3))
    }
  })

  it('is told of if it had less than 14 days from the start', async () => {
    const msp = await world()
    const ids = await insertKeys(msp, 2, { expires_at: soon(HOUR) })
    await tellOfExpiryOf(msp)
    await tellOfExpiryOf(msp)
    expect((await raised(msp)).map(({ entity_id }) => entity_id).sort()).toEqual(ids.sort())
  })

  it('is not told of if it was rotated or revoked, or has expired', async () => {
    const msp = await world()
    await insertKeys(msp, 1, { expires_at: soon(HOUR), sunset_at: soon(HOUR) })
    await insertKeys(msp, 1, { expires_at: soon(HOUR), revoked_at: clock.now() })
    await insertKeys(msp, 1, { expires_at: clock.now() })
    await tellOfExpiryOf(msp)
    expect(await raised(msp)).toEqual([])
  })

  it.runIf(process.env.DATABASE_URL)(`is told of once by ${TIMES} workers at once`, async () => {
    const msp = await world()
    const ids = await insertKeys(msp, 3, { expires_at: soon(HOUR) })
    await times(() => tellOfExpiryOf(msp))
    expect(await raised(msp)).toHaveLength(ids.length)
  })
})
