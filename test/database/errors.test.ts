import { describe, expect, test } from 'vitest'
import { isConflict, isOutage, isUnreadableTime, unreadableTime } from '../../src/db/errors.ts'

describe('errors', () => {
  const adapterError = (cause: object) => Object.assign(new Error('x'), { name: 'DriverAdapterError', cause })

  test.each<[string, unknown, boolean]>([
    ['no server', { code: 'P1001' }, true],
    ['no free connection', { code: 'P2024' }, true],
    ['no transaction in time', { code: 'P2028' }, true],
    ['refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), true],
    ['refused at every address', new AggregateError([{ code: 'ECONNREFUSED' }]), true],
    ['shutting down', { code: '57P01' }, true],
    ['too many connections', { code: '53300' }, true],
    ['a database that nobody has migrated', { code: '42P01' }, true],
    [
      'statement timeout, as Prisma tells it',
      { code: 'P2010', meta: { driverAdapterError: adapterError({ originalCode: '57014' }) } },
      true,
    ],
    ['closed, as the adapter tells it', adapterError({ kind: 'ConnectionClosed' }), true],
    ['a pool without a connection', new Error('timeout exceeded when trying to connect'), true],
    ['a server that is silent', new Error('Query read timeout'), true],
    ['a lost connection', new Error('x', { cause: new Error('Connection terminated unexpectedly') }), true],
    ['a unique violation', { code: 'P2002' }, false],
    ['a deadlock', { code: '40P01' }, false],
    ['a bug', new TypeError('x is undefined'), false],
    ['nothing', undefined, false],
  ])('%s', (_name, error, outage) => {
    expect(isOutage(error)).toBe(outage)
  })

  test('a time that cannot be read is known in every form, and is no outage', () => {
    for (const error of [unreadableTime('x'), new Error('y', { cause: unreadableTime('x') })]) {
      expect(isUnreadableTime(error)).toBe(true)
      expect(isOutage(error)).toBe(false)
    }
    expect(isUnreadableTime({ code: '57014' })).toBe(false)
  })

  test('a conflict is known in every form', () => {
    for (const code of ['P2034', '40001', '40P01', 'P2002', '23505']) expect(isConflict({ code })).toBe(true)
    for (const kind of ['TransactionWriteConflict', 'UniqueConstraintViolation'])
      expect(isConflict(adapterError({ kind }))).toBe(true)
    expect(isConflict({ code: '23503' })).toBe(false)
  })
})
