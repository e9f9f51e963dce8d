import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  CAUSES,
  EVENTS,
  isFinal,
  isRetryable,
  LIVE_STATUSES,
  type LifeEvent,
  nextStatus,
  runStatusAt,
  STATUSES,
  type Status,
  TRANSITIONS,
} from '../../src/areas/executions/engine/rules/transitions.ts'
import { ExecutionRunStatus, ExecutionStatus } from '../../src/db/generated/client/client.ts'

/** Every allowed move, by hand: all others are refused. */
const MOVES: readonly [Status, LifeEvent, Status][] = [
  ['NEW', 'PICK_UP', 'RUNNING'],
  ['NEW', 'SKIP', 'SKIPPED'],
  ['NEW', 'FAIL', 'FAILED'],
  ['NEW', 'CANCEL', 'CANCELLED'],
  ['RUNNING', 'ASK_APPROVAL', 'WAITING_FOR_APPROVAL'],
  ['RUNNING', 'ASK_INPUT', 'WAITING_FOR_INPUT'],
  ['RUNNING', 'COMPLETE', 'COMPLETED'],
  ['RUNNING', 'FAIL', 'FAILED'],
  ['RUNNING', 'TIME_OUT', 'TIMED_OUT'],
  ['RUNNING', 'CANCEL', 'CANCELLED'],
  ['WAITING_FOR_APPROVAL', 'RESUME', 'RUNNING'],
  ['WAITING_FOR_APPROVAL', 'CANCEL', 'CANCELLED'],
  ['WAITING_FOR_INPUT', 'RESUME', 'RUNNING'],
  ['WAITING_FOR_INPUT', 'CANCEL', 'CANCELLED'],
]

it('an execution moves as the table of its statuses says, and in no other way', () => {
  const allowed = STATUSES.flatMap((status) =>
    EVENTS.flatMap((event) => {
      const next = nextStatus(status, event)
      return next === null ? [] : [[status, event, next]]
    }),
  )
  expect(allowed.sort()).toEqual([...MOVES].sort())
})

it('the statuses are those that are stored', () => {
  expect([...STATUSES].sort()).toEqual(Object.keys(ExecutionStatus).sort())
  expect(STATUSES.filter((status) => !isFinal(status))).toEqual([...LIVE_STATUSES])
  expect(STATUSES.filter(isRetryable)).toEqual(['FAILED', 'TIMED_OUT', 'CANCELLED'])
})

it('after any history a final status stays, and every status can still come to its end', () => {
  const event = fc.constantFrom(...EVENTS)
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), event, (history, another) => {
      const status = history.reduce<Status>((at, each) => nextStatus(at, each) ?? at, 'NEW')
      if (isFinal(status)) expect(nextStatus(status, another)).toBeNull()
      else expect(nextStatus(status, 'CANCEL')).toBe('CANCELLED')
    }),
  )
})

it('the run that is open ends with its execution, and pauses while technicians are asked', () => {
  const reached = new Set(MOVES.map(([, , to]) => to).filter((to) => to !== 'SKIPPED'))
  const statuses = [...reached].map(runStatusAt)
  expect(new Set(statuses)).toEqual(new Set(Object.keys(ExecutionRunStatus)))
  expect(() => runStatusAt('NEW')).toThrow()
})

const ENGINE = new URL('../../src/areas/executions/engine/README.md', import.meta.url)

/** The table of transitions as a diagram. */
const diagram = (): string =>
  [
    'stateDiagram-v2',
    '  [*] --> NEW',
    ...STATUSES.flatMap((status) =>
      Object.entries(TRANSITIONS[status]).map(([event, next]) => `  ${status} --> ${next}: ${event}`),
    ),
    ...STATUSES.filter(isFinal).map((status) => `  ${status} --> [*]`),
  ].join('\n')

it('the diagram and the causes at the door of the engine are those of the table', () => {
  const page = readFileSync(ENGINE, 'utf8')
  expect(page).toContain(`\`\`\`mermaid\n${diagram()}\n\`\`\``)
  const causes = EVENTS.map((event) => [event, CAUSES[event]])
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\|$/gm)].map(([, event, cause]) => [
    event,
    cause,
  ])
  expect(rows).toEqual(causes)
})
