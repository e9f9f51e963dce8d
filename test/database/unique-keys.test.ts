/** A unique index of a declared table says the code of a second row with the same values, or has its reason here. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const OF_SYNC = 'a sync writes the column, and callers never do'

/** Unique indexes whose table says no code, and why. */
const REASONS: Record<string, string> = {
  'ApiKey.key_hash': 'secrets are random',
  'CommsMessage.source_id': 'the database makes messages of what is stored, each once',
  'DispatchDecision.ticket_id': 'a lock is held, and a ticket that has a suggestion gets no other',
  'EndCompany.psa_company_id': OF_SYNC,
  'EndCompany.workplace_tenant_id': 'both companies are locked, and one of them is refused',
  'EscalationEvent.subject,trigger': 'the service opens escalations, and finds those that there are',
  'EscalationPolicy.': 'the lock of the table is held, and the policy that was the default is changed first',
  'FeedbackEntry.id': 'ids are random',
  'InboxItem.user_id,kind,cause':
    'the service opens items, and an item that is taken back finds the open one',
  'RmmScriptRun.tool_call_id': 'a lock of the call is held, and the run that the call has is answered',
  'RmmScript.system,external_id': OF_SYNC,
  'SupportRequest.reference': 'references are random',
  'SystemConnection.connection_id': 'ids are random',
  'TechnicianProfile.psa_id': 'a technician who is there is answered',
  'TechnicianSchedule.sort_name': 'names are compared in any letter case, under the lock of the table',
  'TenantUser.subject': 'the operator makes users',
  'TenantUser.technician_profile_id': 'the technician is locked, and who is linked is refused',
  'WebhookDelivery.endpoint_id,event_id': 'the service makes deliveries, and finds those that there are',
}

const models = new Map<string, string>()
for (const file of globSync('prisma/*.prisma'))
  for (const [, name = '', body = ''] of readFileSync(file, 'utf8').matchAll(/^model (\w+) \{\n(.*?)^\}/gms))
    models.set(name, body)

const columnsOf = (columns: string): string =>
  columns
    .split(',')
    .map((column) => column.trim())
    .filter((column) => column !== 'tenant_id' && column !== 'environment')
    .join()

/** The columns of each unique index of the model, beside the tenancy. */
function uniqueIndexes(model: string): string[] {
  const body = models.get(model) ?? ''
  const of_several = [...body.matchAll(/@@unique\(\[([^\]]+)\]/g)].map(([, columns = '']) =>
    columnsOf(columns),
  )
  const of_one = [...body.matchAll(/^ +(\w+) .*@unique\b/gm)].map(([, column = '']) => column)
  return [...of_several, ...of_one]
}

test('each unique index of a declared table has a code, or a reason', () => {
  const without: string[] = []
  for (const file of globSync('src/areas/**/*.ts')) {
    const source = readFileSync(file, 'utf8')
    for (const [declaration, model = ''] of source.matchAll(
      /defineTable<.*?>\(\)\('(\w+)', \{\n.*?^\}\)/gms,
    )) {
      const declared = [...declaration.matchAll(/columns: \[([^\]]+)\]/g)].map(([, columns = '']) =>
        columns.replaceAll("'", '').replaceAll(' ', ''),
      )
      without.push(
        ...uniqueIndexes(model)
          .filter((columns) => !declared.includes(columns))
          .map((columns) => `${model}.${columns}`),
      )
    }
  }
  expect(without.sort(), 'say the code in `unique` of the table').toEqual(Object.keys(REASONS).sort())
})
