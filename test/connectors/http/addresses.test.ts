import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import type { LookupFunction } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { AddressRefused, judgedConnector } from '../../../src/connectors/http/addresses.ts'
import { createVendorClient, type RefusedAddress } from '../../../src/connectors/http/client.ts'
import { isAllowedAddress } from '../../../src/lib/allowed-addresses.ts'
import { ADDRESSES, NOT_PUBLIC_HOSTS } from './address-table.ts'

const CALLER = { system: 'CONNECTWISE_PSA', connection_id: 'c1', tenant_id: 't1', environment: 'test' }

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
  it.each(NOT_PUBLIC_HOSTS)('is refused if its host is an address that is not public: %s', async (host) => {
    expect(await refusal(`https://${host}`)).toBe(REFUSED)
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

  it('with a name that is reserved for tests is not looked up', async () => {
    const asked = vi.spyOn(dns, 'lookup')
    syncBuiltinESMExports()
    try {
      for (const host of ['example', 'psa.example', 'PSA.Invalid.', 'a.b.test'])
        expect(await refusal(`https://${host}`)).toBe('CONNECTWISE_PSA could not be reached (ENOTFOUND)')
      expect(asked).not.toHaveBeenCalled()
      expect(await refusal('https://localhost')).toBe(REFUSED)
      expect(asked).toHaveBeenCalledOnce()
    } finally {
      asked.mockRestore()
      syncBuiltinESMExports()
    }
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
