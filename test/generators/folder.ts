/** The folders in which generators work, and the document that they read. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'

export const { operations } = buildSchemas()

export const run = promisify(execFile)

/** An empty folder of that name, with the document in it. */
export async function folderFor(generator: string): Promise<{ folder: string; document: string }> {
  const folder = new URL(`../../.cache/${generator}/`, import.meta.url).pathname
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const document = `${folder}openapi.json`
  await writeFile(document, JSON.stringify(openApiDocument(operations)))
  return { folder, document }
}

/** The body of a create of the kind with the most rules. */
export const BODY = {
  autonomy_type: 'CHAINED_ACTIONS',
  name: 'Alert clean-up',
  trigger_type: 'SCHEDULED',
  entity_type: 'TICKET',
  agent_settings: { custom_instructions: 'Close nothing of a VIP.', max_minutes: 20 },
  integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
  schedule: { cron: '0 2 * * *', timezone: 'Europe/London' },
  actions: [{ type: 'ticket.close', params: { resolution: 'The alert has cleared.' } }],
  ticket_conditions: { rules: [{ field: 'age_hours', operator: 'at_least', value: 4 }] },
}
