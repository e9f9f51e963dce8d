import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { adaptersOf } from '../../src/composition/adapters.ts'
import type { Adapter, ConnectionTest, OpenedConnection } from '../../src/connectors/adapter.ts'
import { CONNECTION_FIELDS, type ConnectionField } from '../../src/connectors/fields.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa } from '../../src/connectors/psa.ts'
import { kindOf } from '../../src/connectors/systems.ts'

describe('the fields of connections', () => {
  it('are of systems that there are, and each system has a secret', () => {
    for (const [system, fields] of Object.entries<readonly ConnectionField[]>(CONNECTION_FIELDS)) {
      expect(kindOf(system)).toBeDefined()
      expect(fields.some(({ secret, required }) => secret && required)).toBe(true)
      for (const { name, description, pattern } of fields) {
        expect(name).toMatch(/^[a-z][a-z_]*$/)
        expect(description).toMatch(/\.$/)
        if (pattern) expect([pattern.source.at(0), pattern.source.at(-1)]).toEqual(['^', '$'])
      }
    }
  })

  it('are of the systems that the service has adapters of, and no others', () => {
    const client = createVendorClient()
    onTestFinished(() => client.close())
    const { psa, rmm, documents } = adaptersOf(client)
    const systems = [...psa, ...rmm, ...documents].map(({ system }) => system)
    expect(systems.toSorted()).toEqual(Object.keys(CONNECTION_FIELDS).sort())
  })

  it('are the settings that an adapter gets', () => {
    type Settings = OpenedConnection<'HALO_PSA'>['settings']
    expectTypeOf<Settings['client_secret']>().toEqualTypeOf<string>()
    expectTypeOf<Settings['tenant']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Adapter<Psa, 'HALO_PSA'>>().toExtend<Adapter<Psa>>()
    expectTypeOf<Adapter<Psa>['test']>().returns.resolves.toEqualTypeOf<ConnectionTest>()
  })
})

it('a system that is unavailable is so by an outage, unless it says that it is the credentials', () => {
  expect(new PortUnavailable('late').kind).toBe('OUTAGE')
  expect(new PortUnavailable('401', { kind: 'CREDENTIALS' }).kind).toBe('CREDENTIALS')
})
