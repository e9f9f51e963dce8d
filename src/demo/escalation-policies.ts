/** The escalation policies of the demo MSP. */
import type { Step, TicketChange, Trigger } from '../areas/escalation/rules.ts'

/** `made`: days ago. */
export interface DemoPolicy {
  id: number
  name: string
  is_default: boolean
  agent_ids: number[]
  triggers: Trigger[]
  stalled_minutes?: number
  stalled_statuses?: string[]
  steps: Step[]
  ticket_change?: TicketChange
  respect_business_hours: boolean
  made: number
}

/** The technicians and schedules of the demo, by their names. */
export interface Staff {
  technicians: ReadonlyMap<string, number>
  schedules: ReadonlyMap<string, number>
}

export const LEAD = 'Tomasz Zieliński'
const IDENTITY = 'Elin Lindqvist'
const SENIOR = 'Gareth Hughes'
export const RESETS_AGENT = 2

export function policiesOf({ technicians, schedules }: Staff): DemoPolicy[] {
  const people = (wait_minutes: number, notify_via: Step['notify_via'], ...names: string[]): Step => ({
    wait_minutes,
    target_type: 'TECHNICIANS',
    target_ids: names.map((name) => String(technicians.get(name))),
    notify_via,
  })
  return [
    {
      id: 1,
      name: 'Service desk',
      is_default: true,
      triggers: ['AGENT_GAVE_UP', 'EXECUTION_FAILED', 'END_USER_ASKED_FOR_HUMAN', 'TIL_REQUEST_EXPIRED'],
      agent_ids: [],
      steps: [
        {
          wait_minutes: 0,
          target_type: 'SCHEDULE',
          target_ids: [String(schedules.get('Day shift'))],
          notify_via: ['INBOX'],
        },
        { wait_minutes: 15, target_type: 'CHANNEL', target_ids: ['chn_desk'], notify_via: [] },
        people(30, ['INBOX', 'EMAIL'], LEAD),
      ],
      ticket_change: { status: 'In progress', queue: null, remove_assignee: true },
      respect_business_hours: false,
      made: 60,
    },
    {
      id: 2,
      name: 'Password resets',
      is_default: false,
      triggers: ['AGENT_GAVE_UP', 'EXECUTION_FAILED', 'NEGATIVE_FEEDBACK'],
      agent_ids: [RESETS_AGENT],
      steps: [
        people(0, ['INBOX', 'EMAIL'], IDENTITY),
        people(10, ['INBOX', 'EMAIL'], LEAD, SENIOR),
        { wait_minutes: 20, target_type: 'WEBHOOK_ENDPOINT', target_ids: ['whe_oncall'], notify_via: [] },
      ],
      respect_business_hours: false,
      made: 41,
    },
    {
      id: 3,
      name: 'Forgotten vendor tickets',
      is_default: false,
      triggers: ['TICKET_STALLED'],
      agent_ids: [],
      stalled_minutes: 2880,
      stalled_statuses: ['Waiting on third party'],
      steps: [people(0, ['INBOX'], SENIOR)],
      respect_business_hours: true,
      made: 22,
    },
  ]
}
