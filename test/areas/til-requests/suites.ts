import type { TilRequest } from '../../../src/db/generated/client/client.ts'
import { addAgents, share } from '../../setup/agents.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addWholes, WHOLES, wholeOf } from '../../setup/suites/parents.ts'
import { after, at, instant, isEqual, type ListSampler } from '../../setup/suites/sampler.ts'
import { agent, at_row, ended, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { addTilRequests, makeTechnician } from '../../setup/til-requests.ts'
import type { Msp } from '../../setup/world.ts'
import { USER } from './people.ts'
import { TIL_REQUEST_SCENES } from './scenes.ts'

const execution_id = from('executions', 'execution_id')

const til_kind = ofEnum('til_request_kind', 'PLAN')
const til_status = ofEnum('til_request_status', 'APPROVED', 3)

type Named = TilRequest & { technicians: { technician_id: number }[] }

/** The technicians that the OWNER and the USER are, who are named on the same requests, and another one. */
const [OWNERS, USERS, ANOTHER] = [7, 8, 9]

const STATUSES = ['PENDING', 'APPROVED', 'PENDING', 'REJECTED', 'EXPIRED'] as const

async function add(msp: Msp, numbers: readonly number[]): Promise<void> {
  const known = await msp.database.prisma.tilRequest.count({ where: { tenant_id: msp.tenant_id } })
  await addWholes(msp)
  if (known === 0) {
    await addAgents(msp, [{ id: 3 }])
    await share(msp, 3, msp.user.id)
    await makeTechnician(msp, msp.owner.id, OWNERS)
    await makeTechnician(msp, msp.user.id, USERS)
    await makeTechnician(msp, msp.admin.id, ANOTHER)
  }
  await addTilRequests(
    msp,
    numbers.map((n) => {
      const status = at(STATUSES, n)
      return {
        id: `til_${String(n).padStart(3, '0')}`,
        execution_id: wholeOf(n),
        agent_id: at([1, 3], n >> 1),
        kind: at(['WRITE', 'PLAN', 'QUESTION'] as const, n),
        status,
        created_at: instant(n),
        closed_at: status === 'PENDING' ? null : n === 6 ? after(n, 5) : instant(n + (n >> 1)),
        technicians: at([[OWNERS, USERS], [ANOTHER], [], [OWNERS, USERS, ANOTHER]], n),
      }
    }),
  )
}

const isOpen = ({ status }: Named): boolean => status === 'PENDING'

const names = ({ technicians }: Named, id: number): boolean =>
  technicians.some(({ technician_id }) => technician_id === id)

const shared = {
  add,
  rows: ({ database: { prisma }, tenant_id }: Msp) =>
    prisma.tilRequest.findMany({
      where: { tenant_id },
      include: { technicians: { select: { technician_id: true } } },
    }),
  async remove({ database: { prisma }, tenant_id }: Msp, id: string) {
    await prisma.tilRequest.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id' as const,
  orders: {
    '': [
      { value: (row: Named) => !isOpen(row) },
      { value: (row: Named) => (isOpen(row) ? row.created_at : 0) },
      { value: (row: Named) => row.closed_at ?? 0, descending: true },
      { value: ({ id }: Named) => id },
    ],
  },
}

const til_requests: ListSampler<Named> = {
  ...shared,
  isSeenBy: (row) => row.agent_id === 3 || names(row, USERS),
  filters: {
    status: isEqual('status', ['PENDING', ['REJECTED', 'EXPIRED', 'EXPIRED']]),
    kind: isEqual('kind', ['PLAN', ['WRITE', 'QUESTION']]),
    technician_id: { values: [USERS, ANOTHER, 999], meets: (row, id: number) => names(row, id) },
    assigned_to_me: {
      values: [true, false],
      meets: (row, mine: boolean) => names(row, USERS) === mine,
    },
    agent_id: isEqual('agent_id', [1, 3, 999]),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [after(6, 3), instant(18)].map((value) => value.toISOString()),
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
  indexed: ['status', 'kind', 'technician_id', 'assigned_to_me', 'agent_id', 'execution_id', 'from'],
  grows: {
    technician_id: [1, 2, 12, 99],
    agent_id: [1, 200, 301, 9999],
    execution_id: ['exe_0000007', '-'],
  },
  not_bounded_for: {
    VIEWER: {
      technician_id:
        'the requests that name two technicians are among those that name the one, and can be few of them',
    },
  },
}

const execution_til_requests: ListSampler<Named> = {
  ...shared,
  required: { execution_id: 'exe_1' },
  filters: { execution_id: isEqual('execution_id', ['exe_1', 'exe_2']) },
  steady: 'its rows are of one execution',
}

export const SUITES: AreaSuites = {
  who_may: {
    execution_til_requests: { scope: 'til_requests:read' },
    til_request_updates: { scope: 'til_requests:read' },
    til_requests: { scope: 'til_requests:read' },
    til_request: { scope: 'til_requests:read' },
    approve_til_request: { scope: 'til_requests:decide' },
    reject_til_request: { scope: 'til_requests:decide' },
    answer_til_request: { scope: 'til_requests:decide' },
    reassign_til_request: { scope: 'til_requests:decide' },
  },
  examples: {
    reads: {
      execution_til_requests: { execution_id, page_size },
      til_requests: { status: ['PENDING'], kind: ['WRITE', 'QUESTION'], page_size: 4 },
      til_request: { til_request_id: from('til_requests', 'id', 1) },
    },
    writes: {
      reassign_til_request: {
        til_request_id: from('til_requests', 'id', 2),
        input: { technician_ids: [1, 2], comment: 'Gareth knows both of them.' },
      },
      approve_til_request: {
        til_request_id: from('til_requests', 'id', 1),
        input: {
          comment: 'She called the desk from her own phone.',
          arguments_hash: from('til_requests', 'arguments_hash', 1),
        },
      },
      reject_til_request: {
        til_request_id: from('til_requests', 'id', 3),
        input: {
          comment: 'This is the account of a colleague with the same name.',
          reason_code: 'WRONG_TARGET',
        },
      },
      answer_til_request: { til_request_id: from('til_requests', 'id', 2), input: { option_id: 'sales' } },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const agent_id = Number((await of('agents')).agent_id)
    const execution_id = String((await of('executions')).execution_id)
    const til_request_id = `til_${id}`
    await addTilRequests(msp, [{ id: til_request_id, execution_id, agent_id, title: mark }])
    return { til_request_id }
  },
  events: TIL_REQUEST_SCENES,
  change_followed: ({ database: { prisma }, tenant_id }) =>
    prisma.tilRequest.updateMany({ where: { tenant_id }, data: { revision: { increment: 1 } } }),
  lists: { execution_til_requests, til_requests },
  nested_lists: {
    'Execution.til_requests': {
      list: 'execution_til_requests',
      parent: 'execution_id',
      parents: WHOLES,
    },
  },
  skewed_rows: {
    til_request: {
      id: `'til_' || lpad(n::text, 7, '0')`,
      kind: til_kind,
      status: til_status,
      execution_id: `'exe_' || lpad((1 + n / 4)::text, 7, '0')`,
      agent_id: agent,
      title: `'A title'`,
      summary: `'A summary'`,
      allowed_decisions: `array[]::til_decision[]`,
      requested_by_type: `'AGENT'::til_requester_type`,
      requested_by_id: `'1'`,
      requested_by_name: `'Agent'`,
      risk: `'READ'::til_risk`,
      expires_at: at_row,
      created_at: at_row,
      updated_at: at_row,
      closed_at: `case when ${til_status} <> 'PENDING' then ${ended} end`,
    },
    til_request_technician: {
      til_request_id: `'til_' || lpad(n::text, 7, '0')`,
      technician_id: mostly('1 + n % 10', '11 + ? % 5'),
      agent_id: agent,
      status: til_status,
      kind: til_kind,
      list_position: `case when ${til_status} = 'PENDING' then extract(epoch from ${at_row})
      else 1000000000000 - extract(epoch from ${ended}) end`,
    },
  },
  channel_writes: {
    approve_til_request: {
      waits: 'for an approval',
      call: () => ({ til_request_id: 'til_1' }),
      by_key: 'acting_user_required',
    },
    reject_til_request: {
      waits: 'for an approval',
      call: () => ({ til_request_id: 'til_1', input: { comment: 'No.' } }),
      by_key: 'acting_user_required',
    },
    answer_til_request: {
      waits: 'for an approval',
      call: () => ({ til_request_id: 'til_2', input: { answer: 'Jane' } }),
      by_key: 'acting_user_required',
    },
    reassign_til_request: {
      waits: 'for an approval',
      call: () => ({ til_request_id: 'til_1', input: { technician_ids: [USER] } }),
    },
  },
  fetched_again: {
    approve_til_request: ['til_requests'],
  },
  error_codes: {
    403: 'acting_user_required not_an_approver self_approval_forbidden',
    404: 'til_request_not_found',
    409: 'til_request_closed til_request_expired arguments_changed decision_not_allowed',
  },
  foreign_tables: {
    execution: 'Prisma reads the work of the execution, whose company an edited call stays within',
  },
  single_rows: {
    'til_requests.of_call': 'bench/ measures what reads it',
  },
}
