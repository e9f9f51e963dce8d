import { scope } from '../../access/policies/policies.ts'
import { area } from './area.ts'
import { readTechnician, TECHNICIANS } from './queries.ts'
import {
  IN_LISTS,
  profileId,
  TechnicianProfile,
  TechnicianProfilePage,
  technicianEtag,
} from './technician.ts'

area.query('technicians', (t) =>
  t.field({
    type: TechnicianProfilePage,
    description: 'Lists the technicians, by name in any letter case. Deleted ones stay listed.',
    rest: { method: 'GET', path: '/technicians' },
    access: scope('technicians:read'),
    args: TECHNICIANS.args,
    resolve: TECHNICIANS.resolve,
  }),
)

area.query('technician', (t) =>
  t.prismaField({
    type: TechnicianProfile,
    description: 'Gets a technician, a deleted one too.',
    rest: { method: 'GET', path: '/technicians/{profile_id}', omit: IN_LISTS },
    access: scope('technicians:read'),
    errors: ['technician_not_found'],
    etag: technicianEtag,
    args: { profile_id: t.arg(profileId) },
    resolve: (query, _root, { profile_id }, ctx) => readTechnician(ctx, profile_id, query),
  }),
)
