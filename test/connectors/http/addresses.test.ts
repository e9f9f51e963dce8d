import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { describe, expect, it } from 'vitest'
import { AddressRefused, isAllowedAddress, judgedConnector } from '../../../src/connectors/http/addresses.ts'
import { createVendorClient, type RefusedAddress } from '../../../src/connectors/http/client.ts'

const CALLER = { system: 'CONNECTWISE_PSA', connection_id: 'c1', tenant_id: 't1', environment: 'test' }

/** Addresses, with `true` if they are allowed, and if they are allowed in development. */
const ADDRESSES: [ip: string, allowed: boolean, in_development: boolean][] = [
  ['203.0.114.7', true, true],
  ['8.8.8.8', true, true],
  ['2606:4700::1111', true, true],
  ['::ffff:8.8.8.8', true, true],
  ['64:ff9b::808:808', true, true],
  ['127.0.0.1', false, true],
  ['127.255.0.1', false, true],
  ['10.1.2.3', false, true],
  ['172.16.0.1', false, true],
  ['172.31.255.255', false, true],
  ['192.168.1.1', false, true],
  ['::1', false, true],
  ['fd12::1', false, true],
  ['::ffff:127.0.0.1', false, true],
  ['::ffff:7f00:1', false, true],
  ['0:0:0:0:0:ffff:10.0.0.1', false, true],
  ['64:ff9b::7f00:1', false, true],
  ['169.254.169.254', false, false],
  ['::ffff:169.254.169.254', false, false],
  ['64:ff9b::a9fe:a9fe', false, false],
  ['64:ff9b:1::a9fe:a9fe', false, false],
  ['fd00:ec2::254', false, false],
  ['168.63.129.16', false, false],
  ['100.100.100.200', false, false],
  ['100.64.0.1', false, false],
  ['0.0.0.0', false, false],
  ['255.255.255.255', false, false],
  ['224.0.0.1', false, false],
  ['240.0.0.1', false, false],
  ['192.0.2.1', false, false],
  ['198.18.0.1', false, false],
  ['::', false, false],
  ['fe80::1', false, false],
  ['fe80::1%eth0', false, false],
  ['fec0::1', false, false],
  ['ff02::1', false, false],
  ['::7f00:1', false, false],
  ['2002:7f00:1::', false, false],
  ['2001:0:7f00:1::', false, false],
  ['2001:db8::1', false, false],
  ['localhost', false, false],
  ['', false, false],
]

describe('an address', () => {
  it.each(ADDRESSES)('%j is allowed: %s, in development: %s', (ip, allowed, in_development) => {
    expect(isAllowedAddress(ip, false)).toBe(allowed)
    expect(isAllowedAddress(ip, true)).toBe(in_development)
  })
})

const answering = (...answers: LookupAddress[][]): LookupFunction => {
  const left = [...answers]
  return (_hostname, _options, callback) => callback(null, (left.shift() ?? []) as never)
}

/** The code of the error with which the client refuses the host. */
async function refusal(url: string, lookup?: LookupFunction): Promise<string> {
  const client = createVendorClient({ pause_ms: 1, read_ms: 2000, ...(lookup && { lookup }) })
  try {
    await client.site(CALLER, url).read({ path: '/' })
    return 'answered'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.close()
  }
}

const REFUSED = 'CONNECTWISE_PSA has an address that is not allowed'

describe('a site', () => {
  it.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://0xa9.0376.169.254',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
  ])('is refused if its host is an address that is not public: %s', async (url) => {
    expect(await refusal(url)).toBe(REFUSED)
  })

  it('is refused if its name resolves to an address that is not public, alone or beside others', async () => {
    const [good, bad] = [
      { address: '8.8.8.8', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ]
    expect(await refusal('https://psa.example', answering([bad]))).toBe(REFUSED)
    expect(await refusal('https://psa.example', answering([good, bad]))).toBe(REFUSED)
    expect(await refusal('https://psa.example', answering([]))).toBe(REFUSED)
  })

  it('is judged anew at each connection, on the address that is connected to', async () => {
    const lookup = answering(
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '169.254.169.254', family: 4 }],
    )
    const connect = judgedConnector({ allow_private: true, connect_ms: 1000, lookup })
    const attempt = (): Promise<string> =>
      new Promise((done) => {
        const options = { hostname: 'psa.example', protocol: 'http:', port: '1' }
        connect(options, (...[error]) => {
          if (error instanceof AddressRefused) done('refused')
          else done((error as { code?: string } | null)?.code ?? 'connected')
        })
      })
    expect(await attempt()).toBe('ECONNREFUSED')
    expect(await attempt()).toBe('refused')
  })

  it('that is refused is told of by its host alone', async () => {
    const told: RefusedAddress[] = []
    const client = createVendorClient({ addressRefused: (refused) => void told.push(refused) })
    const { system, connection_id } = CALLER
    const site = client.site(CALLER, 'https://127.0.0.1/secret?of=ours')
    await expect(site.read({ path: '/secret' })).rejects.toThrow(REFUSED)
    expect(() => client.site(CALLER, 'http://psa.example/secret')).toThrow('not https')
    expect(told).toEqual(['127.0.0.1', 'psa.example'].map((host) => ({ system, connection_id, host })))
    await client.close()
  })

  it('is https, if it is not on the loopback interface', async () => {
    const client = createVendorClient({ allow_private_addresses: true })
    expect(() => client.site(CALLER, 'http://psa.example')).toThrow('not https')
    expect(() => client.site(CALLER, 'http://10.0.0.1')).toThrow('not https')
    await client.close()
  })
})
