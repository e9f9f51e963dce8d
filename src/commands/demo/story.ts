/** The story of the demo: an agent works on a ticket, then once more under the eyes of a technician. */
import type { Answer, Calls } from './calls.ts'
import { tell, write, writeAnswer } from './words.ts'

const AGENT = 9
const TICKET = '150000'

type Fields = Readonly<Record<string, unknown>>

/** Shows some of the fields of an answer. */
const only =
  (...names: string[]) =>
  (answer: Fields): Fields =>
    Object.fromEntries(names.filter((name) => answer[name] != null).map((name) => [name, answer[name]]))

/** Shows some of the fields of each row. */
const rows =
  (...names: string[]) =>
  (answers: readonly Fields[]): Fields[] =>
    answers.map(only(...names))

const EXECUTION = only(
  'execution_id',
  'status',
  'supervised',
  'resolution',
  'run_count',
  'message_for_dashboard',
)
const TOOL_CALLS = rows('tool_name', 'outcome', 'decided_by_name', 'hash')

const isUnderWay = ({ status }: Answer): boolean => status === 'NEW' || status === 'RUNNING'

async function runAlone({ rest }: Calls): Promise<void> {
  tell('Agent 9 works through a fixed list of actions, and needs no language model.')
  await rest('GET', `/agents/${AGENT}`, {
    shows: only('id', 'name', 'state', 'autonomy_type', 'actions'),
    expects: ['an agent with fixed actions', ({ autonomy_type }) => autonomy_type === 'CHAINED_ACTIONS'],
  })
  tell(
    'It is run on a ticket that nobody has looked at yet. The answer comes at once; a worker does the work.',
  )
  const { execution_id } = await rest('POST', `/agents/${AGENT}/run-now`, {
    body: { entity_id: TICKET },
    shows: EXECUTION,
    expects: ['a new execution', ({ already_live }) => already_live === false],
  })
  tell('wait_seconds answers as soon as the status changes.')
  await rest('GET', `/executions/${execution_id}?wait_seconds=20`, {
    shows: EXECUTION,
    expects: ['an execution that has completed', ({ status }) => status === 'COMPLETED'],
    again: isUnderWay,
  })
  tell('Every tool call was recorded, the last one first.')
  await rest('GET', `/executions/${execution_id}/tool-calls`, {
    shows: TOOL_CALLS,
    expects: [
      'three tool calls that succeeded',
      (calls) => calls.length === 3 && calls.every(({ outcome }: Answer) => outcome === 'SUCCEEDED'),
    ],
  })
}

const UPDATES = `subscription { execution_updates(agent_id: ${AGENT}) { execution { execution_id status til_requests { items { id kind status title } } } } }`

const pendingOf = ({ til_requests }: Answer, decided: ReadonlySet<string>): Answer =>
  til_requests.items.find(({ id, status }: Answer) => status === 'PENDING' && !decided.has(id))

/** Prints the updates up to the next request that waits for a decision, or to the end; gives the last execution told of. */
async function follow(
  updates: AsyncGenerator<Answer, void>,
  execution_id: string,
  decided: ReadonlySet<string>,
): Promise<{ execution: Answer; pending: Answer }> {
  for (let shown = ''; ; ) {
    const { value } = await updates.next()
    if (!value) throw new Error('Expected an update of the execution. The stream ended.')
    const { execution } = value.execution_updates
    if (execution.execution_id !== execution_id) continue
    const { status } = execution
    // The first update after a decision may still tell of the waiting for it.
    const waits = status === 'WAITING_FOR_APPROVAL'
    const pending = waits ? pendingOf(execution, decided) : undefined
    if (status !== shown && (pending || !waits))
      writeAnswer('update', { status, ...(pending && { waits_for: pending.title }) })
    if (pending || !waits) shown = status
    if (pending || status === 'COMPLETED') return { execution, pending }
    if (!['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL'].includes(status))
      throw new Error(`Expected the execution to go on. It is ${status}.`)
  }
}

const REQUEST = only(
  'id',
  'kind',
  'status',
  'title',
  'psa_company_name',
  'plan',
  'arguments',
  'edited_arguments',
  'decided_by_name',
)

const APPROVE = `mutation ($id: ID!, $input: ApprovalOfTilRequest) { approve_til_request(til_request_id: $id, input: $input) { id kind status arguments edited_arguments decided_by_name } }`

const NOTE = 'Seen. Please leave the copier switched on: a technician calls within the hour.'

/** Runs the agent under supervision, and returns the execution. */
async function runSupervised({ rest, graphql, subscribe }: Calls): Promise<string> {
  tell('A dashboard follows the executions of the agent by a GraphQL subscription.')
  const updates = await subscribe(UPDATES)
  tell('Supervised, the agent shows its plan first, and every change waits for a technician.')
  const { execution_id } = await rest('POST', `/agents/${AGENT}/run-now`, {
    body: { entity_id: TICKET, supervised_run: true },
    shows: EXECUTION,
    expects: ['a new supervised execution', ({ supervised }) => supervised === true],
  })
  const decided = new Set<string>()
  const next = async (kind: string): Promise<string> => {
    const { pending } = await follow(updates, execution_id, decided)
    if (pending?.kind !== kind) throw new Error(`Expected a request of kind ${kind}. It is ${pending?.kind}.`)
    decided.add(pending.id)
    await rest('GET', `/til-requests/${pending.id}`, {
      shows: REQUEST,
      expects: ['a request that waits', ({ status }) => status === 'PENDING'],
    })
    return pending.id
  }
  const approved = { shows: REQUEST, as_technician: true } as const
  const plan = await next('PLAN')
  tell('Tomasz Zieliński, a technician who is named on it, approves the plan.')
  await rest('POST', `/til-requests/${plan}/approve`, {
    ...approved,
    expects: ['an approved plan', ({ status }) => status === 'APPROVED'],
  })
  const note = await next('WRITE')
  tell(
    'He approves the note by GraphQL, with other words and for the contact to read: the PSA gets what he wrote.',
  )
  await graphql(APPROVE, {
    as_technician: true,
    body: {
      id: note,
      input: { edited_arguments: { ticket_id: TICKET, text: NOTE, visibility: 'PUBLIC' } },
    },
    shows: (data) => REQUEST(data.approve_til_request),
    expects: ['an approved note', ({ approve_til_request }) => approve_til_request.status === 'APPROVED'],
  })
  const status = await next('WRITE')
  tell('And the last change, as it is.')
  await rest('POST', `/til-requests/${status}/approve`, {
    ...approved,
    expects: ['an approved change', (request) => request.status === 'APPROVED'],
  })
  const { execution } = await follow(updates, execution_id, decided)
  if (execution.status !== 'COMPLETED')
    throw new Error(`Expected the end of the work. It is ${execution.status}.`)
  await updates.return()
  return execution_id
}

async function showTrail({ rest }: Calls, execution_id: string): Promise<void> {
  tell('The execution tells what happened, in order.')
  await rest('GET', `/executions/${execution_id}/timeline`, {
    shows: (events: readonly Answer[]) => events.map(({ kind, text }) => `${kind}: ${text}`),
    expects: [
      'a timeline with decisions',
      (events) => events.some(({ kind }: Answer) => kind === 'APPROVAL_DECIDED'),
    ],
  })
  tell('The audit log keeps every tool call, what waited for whom, and who decided.')
  const calls = await rest('GET', `/audit-log?execution_id=${execution_id}`, {
    shows: TOOL_CALLS,
    expects: [
      'calls that a technician approved',
      (all) => all.some((one: Answer) => one.decided_by_name !== null),
    ],
  })
  tell(
    'Its entries are chained by hash, within five seconds: nothing of the day was changed, removed or added.',
  )
  await rest('GET', `/audit-log/verify?day=${calls[0].occurred_at.slice(0, 10)}`, {
    shows: only('day', 'status', 'entries', 'verified_entries', 'unclosed_entries'),
    expects: [
      'a day that is verified',
      ({ status, unclosed_entries }) => status === 'VERIFIED' && unclosed_entries === 0,
    ],
    again: ({ unclosed_entries }) => unclosed_entries > 0,
  })
}

export async function tellStory(calls: Calls, { base }: { base: string }): Promise<void> {
  write(`It listens at ${base}.`)
  await runAlone(calls)
  const execution_id = await runSupervised(calls)
  await showTrail(calls, execution_id)
  tell('That was the demo. `npm start` runs the same service to stay.')
}
