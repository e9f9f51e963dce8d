/** Technicians in the statements of other areas. */

/** Joins `technician_profile p`, the technician whom the row names, if not deleted. */
export const joinTechnician = (
  row: string,
): string => `join technician_profile p on p.tenant_id = ${row}.tenant_id
     and p.environment = ${row}.environment and p.id = ${row}.technician_profile_id and p.deleted_at is null`

/** The technician with the id as `{id, name}`; null if deleted, or not there. */
export const technicianById = (id: string): string => `(select jsonb_build_object('id', p.id, 'name', p.name)
  from technician_profile p
  where p.tenant_id = $1 and p.environment = $2 and p.id = ${id} and p.deleted_at is null)`

/** The name of the technician whom a column of a row names, also of a deleted one. */
export const technicianName = (
  row: string,
  column: string,
): string => `(select p.name from technician_profile p
  where p.tenant_id = ${row}.tenant_id and p.environment = ${row}.environment and p.id = ${row}.${column})`
