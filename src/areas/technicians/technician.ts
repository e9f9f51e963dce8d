/** A technician as it is stored and answered. */
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { openTicketCountOf } from './open-tickets.ts'
import { SCHEDULE } from './schedules/queries.ts'

export type TechnicianRow = Row<'TechnicianProfile'>

const from = madeOf<TechnicianRow>()

export const TechnicianProfile = rowType('TechnicianProfile', {
  fields: (t) => ({
    ...t.columns('id', 'psa_id', 'name', 'profile', 'profile_status', 'custom_instructions', 'is_ready'),
    ...t.columns('update_automatically', 'skills'),
    open_ticket_count: t.int({
      nullable: true,
      description: 'The open tickets that the PSA assigns to the technician. null: the PSA did not answer.',
      ...from(['psa_id'], ({ psa_id }, _args, ctx) => openTicketCountOf(ctx, psa_id)),
    }),
    ...t.columns('schedule_id', 'deleted_at', 'updated_at', 'revision'),
    schedule: t.relation('schedule', {
      nullable: true,
      graph_only: true,
      description: 'The schedule of the technician’s working hours. null: the technician is on none.',
      ...loadedBy<TechnicianRow>()(['schedule_id'], ({ schedule_id: id }, ctx, info) =>
        id === null ? null : SCHEDULE.load(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})

/** Fields that REST has in the list alone: the PSA is asked for them. */
export const IN_LISTS = ['open_ticket_count'] as const

/** The service writes profiles, and assignments change schedules, without a new revision of the technician. */
export const technicianEtag = (technician: TechnicianRow): string => {
  const { name, profile, profile_status, is_ready, schedule_id } = technician
  return etagOf(technician.revision, [name, profile, profile_status, is_ready, schedule_id])
}
