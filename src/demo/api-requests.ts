/** Calls of the API that wait for a technician, or waited for one, in the demo MSP. */

import { DECISIONS, expiryOf } from '../areas/til-requests/api-approval/rules.ts'
import { argumentsHash } from '../lib/arguments-hash.ts'
import { DAY_SHIFT, DAY_SHIFT_ASKED, DECIDED_AFTER } from './schedules.ts'
import type { Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'
import type { Row } from './til-request-row.ts'

interface Ids {
  technician(psa_id: number): number
  schedule(name: string): number
}

interface Asked {
  id: string
  days: number
  by: string
  operation: string
  title: string
  summary: string
  arguments: (ids: Ids) => Record<string, unknown>
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED'
  reason?: readonly [code: string, comment: string]
}

const ASKED: readonly Asked[] = [
  {
    id: 'til_api_leaver',
    days: 0.4,
    by: 'usr_owner',
    operation: 'delete_technician',
    title: 'Delete the technician Luca Moretti',
    summary: 'Maeve Donnelly asks for it in the chat, and again: his apprenticeship is over.',
    arguments: ({ technician }) => ({ profile_id: technician(210) }),
    status: 'PENDING',
  },
  {
    id: 'til_api_hours',
    days: DAY_SHIFT_ASKED,
    by: 'usr_hughes',
    operation: 'replace_technician_schedule',
    title: 'Replace the working hours of the day shift',
    summary: 'Gareth Hughes asks for it in the chat: the desk closes for lunch.',
    arguments: ({ schedule }) => ({ schedule_id: schedule(DAY_SHIFT.name), input: DAY_SHIFT }),
    status: 'APPROVED',
  },
  {
    id: 'til_api_kelly',
    days: 15,
    by: 'usr_owner',
    operation: 'delete_technician',
    title: 'Delete the technician Saoirse Kelly',
    summary: 'Maeve Donnelly asks for it in the chat: the profile could not be written.',
    arguments: ({ technician }) => ({ profile_id: technician(211) }),
    status: 'REJECTED',
    reason: ['NOT_NEEDED', 'She is still with us. Write the profile again instead.'],
  },
  {
    id: 'til_api_late',
    days: 22,
    by: 'usr_owner',
    operation: 'delete_technician',
    title: 'Delete the technician Luca Moretti',
    summary: 'Maeve Donnelly asks for it in the chat: his apprenticeship ends.',
    arguments: ({ technician }) => ({ profile_id: technician(210) }),
    status: 'EXPIRED',
  },
]

/** The approvers of the permission group TECHNICIANS, by their ids in the PSA. */
const APPROVERS = [201, 202]

const nothing = {
  execution_id: null,
  agent_id: null,
  initiating_temporal_run_id: null,
  resumed_temporal_run_id: null,
  tool_title: null,
  system: null,
  plan: null,
  question: null,
  options: null,
  answer: null,
  edited_arguments: null,
  edited_arguments_hash: null,
  answer_option_id: null,
  required_approvals: 1,
  asked_of: 'APPROVERS',
  permission_group: 'TECHNICIANS',
  entity_id: null,
  entity_number: null,
  psa_company_name: null,
}

export async function apiRequests(
  { tx, tenancy, ago }: Seeding,
  people: ReadonlyMap<number, string>,
): Promise<Row[]> {
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  const schedules = await tx.technicianSchedule.findMany({ where: tenancy })
  const ids: Ids = {
    technician: (psa_id) => technicians.find((one) => one.psa_id === psa_id)?.id ?? 0,
    schedule: (name) => schedules.find((one) => one.name === name)?.id ?? 0,
  }
  const approvers = APPROVERS.map(ids.technician)
  const [technician_id = 0] = approvers
  return ASKED.map(({ id, days, by, operation, title, summary, status, reason, ...asked }) => {
    const created_at = ago(days)
    const args = asked.arguments(ids)
    const requester = PEOPLE.find((person) => person.id === by)
    const decided = status === 'APPROVED' || status === 'REJECTED'
    const closed_at = status === 'EXPIRED' ? expiryOf(created_at) : decided ? ago(days, -DECIDED_AFTER) : null
    const decision = status === 'APPROVED' ? 'APPROVE' : 'REJECT'
    const name = people.get(technician_id) ?? ''
    return {
      ...nothing,
      id,
      kind: 'API_REQUEST',
      status,
      title,
      summary,
      tool_name: operation,
      arguments: args,
      arguments_hash: argumentsHash(args),
      allowed_decisions: DECISIONS.API_REQUEST,
      requested_by_type: 'USER',
      requested_by_id: by,
      requested_by_name: requester?.name ?? by,
      call: { operation, if_match: null, caller: { type: 'USER', id: by } },
      risk: operation === 'delete_technician' ? 'DESTRUCTIVE' : 'CHANGE',
      decided_at: decided ? closed_at : null,
      decided_by_name: decided ? name : null,
      decision_comment: reason?.[1] ?? null,
      reason_code: reason?.[0] ?? null,
      expires_at: expiryOf(created_at),
      revision: decided ? 2 : 1,
      created_at,
      updated_at: closed_at ?? created_at,
      closed_at,
      technicians: approvers,
      ...(decided && { decider: { technician_id, name, decision, via: 'DASHBOARD' } }),
    }
  })
}
