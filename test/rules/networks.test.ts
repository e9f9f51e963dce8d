import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { isInNetworks, isNetwork } from '../../src/lib/networks.ts'

test.each([
  ['203.0.113.0/24', '203.0.113.9', true],
  ['203.0.113.0/24', '203.0.114.9', false],
  ['203.0.113.7/32', '203.0.113.7', true],
  ['203.0.113.7/32', '::ffff:203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '::ffff:203.0.113.7', true],
  ['2001:db8::/32', '2001:db8:1::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:db8::/32', '203.0.113.7', false],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['0.0.0.0/0', '203.0.113.7', true],
  ['::/0', '2001:db8::1', true],
  ['203.0.113.0/24', '', false],
  ['203.0.113.0/24', 'unknown', false],
])('%s and %s: %s', (network, ip, within) => {
  expect(isInNetworks([network], ip)).toBe(within)
})

test('one network of several is enough', () => {
  expect(isInNetworks(['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1')).toBe(true)
  expect(isInNetworks([], '10.0.0.1')).toBe(false)
})

test.each([
  ['203.0.113.0/24', true],
  ['2001:db8::/32', true],
  ['203.0.113.0', false],
  ['203.0.113.0/33', false],
  ['2001:db8::/129', false],
  ['example.com/24', false],
  ['', false],
])('%j is a network: %s', (text, expected) => {
  expect(isNetwork(text)).toBe(expected)
})

test.each(['10.0.0', 'proxy', 'fe80::1%eth0', '10.0.0.0/8,10.0.0.0/33'])(
  'TRUSTED_PROXIES=%s keeps the service from starting, not every request from being answered',
  (TRUSTED_PROXIES) => {
    expect(() => readConfig({ TRUSTED_PROXIES })).toThrow(
      /TRUSTED_PROXIES: each must be an address, or a network/,
    )
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8,fd00::/8' }).TRUSTED_PROXIES).toHaveLength(2)
  },
)

test('TRUSTED_PROXIES takes an address for the network of it alone', () => {
  expect(readConfig({ TRUSTED_PROXIES: '127.0.0.1, ::1,10.0.0.0/8' }).TRUSTED_PROXIES).toEqual([
    '127.0.0.1/32',
    '::1/128',
    '10.0.0.0/8',
  ])
})
