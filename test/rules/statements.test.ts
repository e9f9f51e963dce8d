import { describe, expect, it } from 'vitest'
import { ownTenant, scoped, tenantWide } from '../../src/db/db.ts'
import { statement } from '../../src/db/sql.ts'

describe('a statement on tenant-owned rows', () => {
  it('is narrowed to the tenant and the environment', () => {
    const text = 'select 1 from settings where tenant_id = $1 and environment = $2'
    expect(scoped('a', text)).toEqual({ name: 'a', text })
  })

  it.each([
    'select 1 from settings',
    'select 1 from settings where tenant_id = $1',
    'select 1 from settings where environment = $2',
    'select 1 from settings where tenant_id = $10 and environment = $2',
    'select 1 from settings where tenant_id = $1 and environment = $20',
  ])('is not %j', (text) => {
    expect(() => scoped('a', text)).toThrow('not narrowed')
  })
})

describe('a statement over all environments of a tenant', () => {
  it('is narrowed to the tenant', () => {
    const text = 'select 1 from integration_request where tenant_id = $1'
    expect(tenantWide('a', text)).toEqual({ name: 'a', text, tenant_wide: true })
  })

  it.each([
    'select 1 from integration_request',
    'select 1 from integration_request where tenant_id = $10',
    'update integration_request set status = $2 where tenant_id = $1',
    'delete from integration_request where tenant_id = $1',
    'with gone as (delete from integration_request where tenant_id = $1 returning 1) select 1 from gone',
  ])('is not %j', (text) => {
    expect(() => tenantWide('a', text)).toThrow('does not only read')
  })
})

describe("a statement on the tenant's own row", () => {
  it('is narrowed to its id', () => {
    for (const text of ['select name from tenant where id = $1', 'insert into tenant (id) values ($1)']) {
      expect(ownTenant('a', text)).toEqual({ name: 'a', text, tenant_wide: true })
    }
  })

  it.each([
    'select name from tenant',
    'update tenant set name = $1 where id = $10',
    'update tenant set name = $1',
    'delete from settings where id = $1',
  ])('is not %j', (text) => {
    expect(() => ownTenant('a', text)).toThrow("one tenant's row")
  })
})

describe('the name of a statement', () => {
  it('is kept if PostgreSQL keeps all of it', () => {
    const name = 'x'.repeat(63)
    expect(statement(name, 'select 1').name).toBe(name)
  })

  it('differs in what PostgreSQL keeps of it, however long the names are that begin alike', () => {
    const names = ['a', 'b'].map((end) => statement(`${'list of rows '.repeat(9)}${end}`, 'select 1').name)
    expect(names[0]).not.toBe(names[1])
    for (const name of names) expect(name).toMatch(/^list of rows .{50}$/)
  })
})
