/**
 * A table belongs to the area of its Prisma file. The SQL of other areas reads it through the views that the owner exports.
 * What they name beside that is here, with its reason.
 */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The tables that an area names of another one, which exports no view of them, and why. */
const FOREIGN: Record<string, string> = {
  'agents: credit_entry': 'the last run of a chat agent; the figures import the agents',
  'agents: execution': 'the last run of an agent is in each row of the list; executions import the agents',
  'audit-log: agent': 'the counts by agent have the present names; the agents import the audit log',
  'callbacks: agent':
    'which changes an active agent selects is asked beside what is known of the entity, at every event',
  'callbacks: settings':
    'an event is stored with the sleep that is configured, by one statement, 200 times a second',
  'callbacks: tenant': 'whether the tenant is paused is asked where its event is stored, 200 times a second',
  'company-filters: end_company': 'the scope of one company is one statement, at every event',
  'company-links: end_company':
    'a link keeps the name that the company has when it is made, by the same statement',
  'end-companies: company_link':
    'each company of the list has the number of its links; the links import the companies',
  'executions: retention_progress': 'the job notes how far it has come in the table of the gateway for that',
  'executions: tenant':
    'the job steps through the index of executions once for each tenant, suspended ones too',
  'executions: til_request': 'the list has the number of open requests; the requests import the executions',
  'integration-syncs: integration_connection':
    'the connection shows its latest sync, in the transaction that changes the sync',
  'integration-syncs: tenant_user': 'every user of the tenant is told of its syncs',
  'integrations: tenant':
    'the type of PSA is set in the transaction that connects it; the tenant imports the integrations',
  'observability: callback': 'the funnel is sums of callbacks over an index that only it reads',
  'observability: callback_match': 'the funnel is sums of matches over an index that only it reads',
  'observability: execution': 'the health is sums of executions over an index that bench/ measures',
  'performance: execution': 'the figures are sums of executions over indexes that bench/ measures',
  'settings: tenant': 'the defaults of settings come from the tenant, whose area imports the settings',
  'til-requests: execution':
    'Prisma reads the work of the execution, whose company an edited call stays within',
}

/** The area of each table, and the table of each of Prisma's delegates. */
const owners = new Map<string, string>()
const tables = new Map<string, string>()
for (const file of globSync('prisma/*.prisma'))
  for (const [, model = '', body = ''] of readFileSync(file, 'utf8').matchAll(
    /^model (\w+) \{\n(.*?)^\}/gms,
  )) {
    const [, table = ''] = /@@map\("(\w+)"\)/.exec(body) ?? []
    owners.set(table, file.replace(/^prisma\/|\.prisma$/g, ''))
    tables.set(model.charAt(0).toLowerCase() + model.slice(1), table)
  }

/** The tables that the source names, by SQL and by Prisma. */
function tablesIn(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '')
  const named = [...code.matchAll(/\b(?:from|join|into|update|using)\s+([a-z_]+)\b/g)]
  const called = [...code.matchAll(/\bdb\(\w+\)\.(\w+)\./g)]
  return [...named.map(([, table = '']) => table), ...called.map(([, name = '']) => tables.get(name) ?? '')]
}

test('an area names no table of another one in its statements, but for these', () => {
  const found = new Set<string>()
  for (const file of globSync('src/areas/*/**/*.ts')) {
    const [, , area] = file.split('/')
    for (const table of tablesIn(readFileSync(file, 'utf8'))) {
      const owner = owners.get(table)
      if (owner !== undefined && owner !== area) found.add(`${area}: ${table}`)
    }
  }
  expect([...found].sort()).toEqual(Object.keys(FOREIGN).sort())
})
