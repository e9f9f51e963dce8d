import { describe, expect, it } from 'vitest'
import {
  asWrite,
  certaintyByCode,
  certaintyByStatus,
  failureOfWrite,
  sendChange,
} from '../../src/connectors/http/certainty.ts'
import { PortRefusal, PortUnavailable } from '../../src/connectors/port.ts'

describe('the certainty about a write', () => {
  it.each([
    [200, 'MADE'],
    [201, 'MADE'],
    [204, 'MADE'],
    [302, 'UNKNOWN'],
    [303, 'UNKNOWN'],
    [400, 'REFUSED'],
    [401, 'REFUSED'],
    [403, 'REFUSED'],
    [404, 'REFUSED'],
    [408, 'UNKNOWN'],
    [409, 'REFUSED'],
    [422, 'REFUSED'],
    [425, 'NOT_SENT'],
    [429, 'NOT_SENT'],
    [500, 'UNKNOWN'],
    [502, 'UNKNOWN'],
    [503, 'UNKNOWN'],
    [504, 'UNKNOWN'],
  ] as const)('after the status %i is %s', (status, certainty) => {
    expect(certaintyByStatus(status)).toBe(certainty)
  })

  it.each([
    ['ECONNREFUSED', 'NOT_SENT'],
    ['ENOTFOUND', 'NOT_SENT'],
    ['UND_ERR_CONNECT_TIMEOUT', 'NOT_SENT'],
    ['ECONNRESET', 'UNKNOWN'],
    ['UND_ERR_SOCKET', 'UNKNOWN'],
    ['TimeoutError', 'UNKNOWN'],
  ] as const)('after the error %s of the network is %s', (code, certainty) => {
    expect(certaintyByCode(code)).toBe(certainty)
  })

  const NONE = { open: 0, taken: 0, is_partly_refused: false }
  const AWAY = new PortUnavailable('It is away', { retry_after_seconds: 9 })

  it.each([
    ['before a change was sent', { ...NONE, open: 0 }, true],
    ['while a change may have reached the vendor', { ...NONE, open: 1 }, false],
    ['after a change was taken', { ...NONE, open: 1, taken: 1 }, false],
  ])('%s', (_when, progress, not_made) => {
    const failure = failureOfWrite(AWAY, progress)
    expect(failure).toMatchObject({ not_made, retry_after_seconds: 9, kind: 'OUTAGE' })
  })

  it('after a part of the write was taken, and another refused, is none', () => {
    const refusal = new PortRefusal('CHANGE_REFUSED')
    expect(failureOfWrite(refusal, { ...NONE, open: 1, taken: 1 })).toBe(refusal)
    const partly = { open: 1, taken: 1, is_partly_refused: true }
    expect(failureOfWrite(refusal, partly)).toMatchObject({ not_made: false, is_ended: true })
  })

  it('is that of its own requests, whatever other writes do at the same time', async () => {
    const other = Promise.withResolvers<void>()
    const lost = asWrite(async () => {
      await sendChange(async () => {
        other.resolve()
        throw new PortUnavailable('No answer')
      })
    })
    const refused = asWrite(async () => {
      await other.promise
      await sendChange(async () => ({ status: 400 }))
      throw AWAY
    })
    await expect(lost).rejects.toMatchObject({ not_made: false })
    await expect(refused).rejects.toMatchObject({ not_made: true })
  })
})
