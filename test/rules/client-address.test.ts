import type { IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { clientAddresses } from '../../src/http/client-address.ts'

const PROXIES = ['10.0.0.0/8', 'fd00::/8']
const PROXY = '10.0.0.1'

const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

const addressOf = (request: IncomingMessage, trusted = PROXIES) => clientAddresses(trusted, () => {})(request)

describe('behind a proxy that is named, the client is', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['unknown, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['203.0.113.9, 10.9.9.9:80', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
    ['10.1.1.1', '10.1.1.1'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1'],
  ])('of %j surely %s', (forwarded, ip) => {
    expect(addressOf(from(PROXY, forwarded))).toEqual({ ip, is_sure: true })
  })

  it.each([
    'unknown',
    '',
    ' ',
    '_hidden',
    '1',
    '0x7f.1',
    '010.0.0.1',
    '203.0.113.256',
    '203.0.113.9:',
    '203.0.113.9:123456',
    '203.0.113.9:http',
    '[203.0.113.9]',
    '[2001:db8::1',
    '2001:db8::1]:443',
    'fe80::1%eth0',
    '[fe80::1%eth0]:443',
    'localhost',
    '203.0.113.9,',
    '203.0.113.9, unknown',
    '203.0.113.9 203.0.113.10',
    '203.0.113.0/24',
    '"203.0.113.9"',
  ])('of %j nobody who is sure', (forwarded) => {
    expect(addressOf(from(PROXY, forwarded))).toEqual({ ip: PROXY, is_sure: false })
  })

  it('nobody who is sure beyond the nearest hop that cannot be read', () => {
    const forwarded = '203.0.113.9, unknown, 10.7.7.7'
    expect(addressOf(from(PROXY, forwarded))).toEqual({ ip: '10.7.7.7', is_sure: false })
  })

  it('the proxy itself if the header is missing', () => {
    expect(addressOf(from(PROXY))).toEqual({ ip: PROXY, is_sure: true })
  })
})

it('a client that is no proxy speaks for nobody else', () => {
  expect(addressOf(from('203.0.113.1', '198.51.100.1'))).toEqual({ ip: '203.0.113.1', is_sure: true })
  expect(addressOf(from('203.0.113.1', 'unknown'))).toEqual({ ip: '203.0.113.1', is_sure: true })
})

it('without a proxy that is named the header is warned of once, and not believed', () => {
  const warn = vi.fn()
  const tell = clientAddresses([], warn)
  for (let i = 0; i < 3; i++) expect(tell(from(PROXY, '203.0.113.9'))).toEqual({ ip: PROXY, is_sure: true })
  expect(warn).toHaveBeenCalledOnce()
})

it('a connection that has ended has no address that is sure', () => {
  expect(addressOf(from(undefined)).is_sure).toBe(false)
})
