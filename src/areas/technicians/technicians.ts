import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { TECHNICIAN, TECHNICIANS } from './queries.ts'
import { IN_LISTS } from './technician.ts'

const technicians = onTable(area, TECHNICIAN)

technicians.list('technicians', TECHNICIANS, {
  description: 'Lists the technicians, by name in any letter case. Deleted ones stay listed.',
  rest: { method: 'GET', path: '/technicians' },
  access: scope('technicians:read'),
})

technicians.read('technician', {
  description: 'Gets a technician, a deleted one too.',
  rest: { method: 'GET', path: '/technicians/{profile_id}', omit: IN_LISTS },
  access: scope('technicians:read'),
})
