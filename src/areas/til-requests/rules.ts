/** The rules of approvals of one call by several sets of technicians: each must have approved exactly what runs. */

/** APPROVERS: those of what a permission group, or the tool itself, gates. SUPERVISORS: those of the run. */
export type AskedOf = 'APPROVERS' | 'SUPERVISORS'

/** Technicians who are asked together: one of them decides. */
export interface Asked {
  of: AskedOf
  technician_ids: readonly number[]
  /** True if they may approve other arguments than those that are asked for. */
  may_edit: boolean
}

/** The sets that are asked, one after the other: approvers in every case, and supervisors who are not all of them. */
export function setsToAsk<Set extends Pick<Asked, 'of' | 'technician_ids'>>(
  sets: readonly Set[],
): readonly Set[] {
  const approvers = sets.find(({ of }) => of === 'APPROVERS')
  if (!approvers) return sets
  return sets.filter(
    ({ of, technician_ids }) =>
      of === 'APPROVERS' || !approvers.technician_ids.every((id) => technician_ids.includes(id)),
  )
}

/** A request about the call, as far as it says what was approved. */
export interface Request {
  status: string
  asked_of: AskedOf | null
  arguments_hash: string | null
  edited_arguments: unknown
  edited_arguments_hash: string | null
}

interface Approved {
  arguments: unknown
  arguments_hash: string
  /** The sets of which somebody has approved exactly these arguments. */
  by: ReadonlySet<AskedOf>
}

/** The arguments of the call after its requests, in their order. Edited arguments are approved by who edited them alone. */
export function approvedOf(
  call: { arguments: unknown; arguments_hash: string },
  requests: readonly Request[],
): Approved {
  let approved: Approved = { ...call, by: new Set() }
  for (const { status, asked_of, ...request } of requests) {
    if (status !== 'APPROVED' || request.arguments_hash !== approved.arguments_hash) continue
    const { edited_arguments, edited_arguments_hash } = request
    const isEdited = edited_arguments_hash !== null && edited_arguments_hash !== approved.arguments_hash
    // A request that was raised before it was kept whom it asks counts as one to supervisors: approvers are asked again.
    const of = asked_of ?? 'SUPERVISORS'
    approved = isEdited
      ? { arguments: edited_arguments, arguments_hash: edited_arguments_hash, by: new Set([of]) }
      : { ...approved, by: new Set([...approved.by, of]) }
  }
  return approved
}
