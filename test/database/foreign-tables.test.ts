/** A table belongs to the area of its Prisma file. What other areas name of it in their SQL is here, with its reason. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const SIGHT = 'who sees its agent is judged in the statement that reads the rows, so that pages stay full'
const BESIDE = 'a name or a figure of it is in each row of a list or an answer, by the same statement'
const TENANT = 'what the tenant has stored, and its defaults of the tenant, are one statement'
const SUSPENDED = 'the work of a suspended tenant is not taken up, by the statement that would take it'
const FIGURES = 'the figures are sums of these rows, which bench/ measures'
const APPROVERS = 'who decides is a question of users, technicians and agents, by one statement'
const ENGINE = 'what is needed of it when work is taken up is read by the statement that takes it up'

/** The areas that name a table of another one, and why. */
const FOREIGN: Record<string, string> = {
  'agents: credit_entry': BESIDE,
  'agents: execution': BESIDE,
  'agents: tenant': SUSPENDED,
  'agents: tenant_user': BESIDE,
  'audit-log: agent': SIGHT,
  'audit-log: end_company':
    'the entry keeps the name that the company has when it is written, by the same statement',
  'audit-log: settings': BESIDE,
  'billing: agent': SIGHT,
  'billing: credit_entry': FIGURES,
  'billing: tenant': TENANT,
  'callbacks: agent': SIGHT,
  'channels: agent': SIGHT,
  'channels: end_company': BESIDE,
  'channels: end_user': BESIDE,
  'company-filters: tenant': TENANT,
  'end-companies: company_link': BESIDE,
  'end-users: end_company': BESIDE,
  'executions: agent': ENGINE,
  'executions: audit_entry': 'an execution is kept for as long as an entry of the audit log names it',
  'executions: retention_progress': 'the job notes how far it has come in the table of the gateway for that',
  'executions: tenant': SUSPENDED,
  'executions: tenant_user': APPROVERS,
  'executions: til_request': BESIDE,
  'executions: til_request_technician': APPROVERS,
  'memories: agent': SIGHT,
  'memories: end_company':
    'a memory about a person is for work of their company, by the statement that searches',
  'memories: end_user':
    'a memory about a person is for work of their company, by the statement that searches',
  'observability: agent': SIGHT,
  'observability: callback': FIGURES,
  'observability: callback_match': FIGURES,
  'observability: execution': FIGURES,
  'observability: integration_connection': BESIDE,
  'observability: settings': FIGURES,
  'performance: agent': FIGURES,
  'performance: execution': FIGURES,
  'performance: settings': BESIDE,
  'scheduled-work: agent': BESIDE,
  'scheduled-work: execution_run': BESIDE,
  'scheduled-work: tenant': SUSPENDED,
  'settings: tenant': TENANT,
  'tenant: integration_connection': BESIDE,
  'tenant: settings': TENANT,
  'tenant: technician_profile': APPROVERS,
  'til-requests: agent': APPROVERS,
  'til-requests: end_company':
    'the request keeps the name that the company has when it is made, by the same statement',
  'til-requests: execution':
    'an edited call stays within the company of its execution; old executions kept no requests',
  'til-requests: execution_run': 'whether a run is supervised is read with the request that asks for it',
  'til-requests: technician_profile': APPROVERS,
  'til-requests: tenant_user': APPROVERS,
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
