/** The rules of syncs: the stages of each kind of system, and how a sync goes on from one to the next. */

import type { SystemKind } from '../../connectors/systems.ts'
import { type UnavailableKind, unavailableText } from '../../connectors/unavailable.ts'
import type { MissingRows } from '../../lib/missing-rows.ts'
import type { PageMark } from '../../lib/page-marks.ts'
import { storableText } from '../../lib/text.ts'

export const STAGES = [
  'COMPANIES',
  'CONTACTS',
  'TECHNICIANS',
  'CUSTOMERS',
  'COMPANY_LINKS',
  'SCRIPTS',
] as const

export type StageName = (typeof STAGES)[number]

type StageStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** The reason why the model was not asked, or gave no answer. */
export type Unasked =
  | 'questions_used_up'
  | 'credits_exhausted'
  | 'subscription_inactive'
  | 'tenant_suspended'
  | 'model_failed'

type UnaskedCustomers = { customers: number; reason: Unasked }

/** The counts of one stage so far. A type alias, since TypeScript takes no interface for JSON. */
export type Stage = {
  stage: StageName
  status: StageStatus
  /** Customers about whom the model was to be asked, and was not. Left out: there are none. */
  unasked?: UnaskedCustomers
  read: number
  added: number
  changed: number
  missing: number
  /** The reason for which the system was not read to its end; absent: it was, or it is under way. */
  cut?: string
  /** The reason for which the system could not be read; absent: it was, or an older release has not stored it. */
  unread?: UnavailableKind
  /** The rows that cannot be stored: their number, and the ids of the first. */
  refused?: Refused
  /** The rows that are gone and were not marked, since they are too many; absent: there are none. */
  withheld?: MissingRows
}

type Refused = { rows: number; ids: string[] }

/** The counts of one page. */
export type PageCounts = Pick<Stage, 'read' | 'added' | 'changed'> & { unasked?: UnaskedCustomers | null }

type Status = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED' | 'CANCELLED'

/** The progress of a sync. */
export interface Progress {
  status: Status
  stages: Stage[]
  error: string | null
}

const STAGES_OF: Partial<Record<SystemKind, readonly StageName[]>> = {
  // Contacts belong to companies, which come first. With them the customers of all systems are resolved again.
  PSA: ['COMPANIES', 'CONTACTS', 'TECHNICIANS', 'COMPANY_LINKS'],
  RMM: ['SCRIPTS'],
}

const pending = (stage: StageName): Stage => ({
  stage,
  status: 'PENDING',
  read: 0,
  added: 0,
  changed: 0,
  missing: 0,
})

/** The stages of a system of the kind, none of which has begun; none for a kind that the service does not read. */
export const stagesOf = (kind: SystemKind): Stage[] => (STAGES_OF[kind] ?? []).map(pending)

/** The stages after customers were put, which is the first of them. */
export const stagesAfterPut = ({
  withheld,
  ...counts
}: Omit<PageCounts, 'unasked'> & Pick<Stage, 'missing'> & { withheld?: MissingRows | null }): Stage[] => [
  {
    stage: 'CUSTOMERS',
    status: withheld ? 'FAILED' : 'SUCCEEDED',
    ...(withheld && { withheld }),
    ...counts,
  },
  pending('COMPANY_LINKS'),
]

/** True if nothing is left but to resolve customers that were put. */
export const isPut = ({ stages }: Pick<Progress, 'stages'>): boolean => stages[0]?.stage === 'CUSTOMERS'

const OPEN: readonly Status[] = ['QUEUED', 'RUNNING']

/** True for a sync that has not ended. */
export const isOpen = ({ status }: Pick<Progress, 'status'>): boolean => OPEN.includes(status)

/**
 * The outcome of one page: what it counted, the ids of rows that cannot be stored, whether it was its stage's last, why the
 * stage ends with it before its end, and the rows that were marked as missing or are too many for that; or that it could
 * not be read.
 */
export type PageOutcome =
  | {
      counts: PageCounts
      refused?: readonly string[]
      is_last: boolean
      cut?: string | null
      missing: number
      withheld?: MissingRows | null
    }
  | { failed: UnavailableKind }

const NAMED_ROWS = 5
const NAMED_CHARACTERS = 40

const named = (id: string): string =>
  storableText(id.slice(0, NAMED_CHARACTERS)) + (id.length > NAMED_CHARACTERS ? '…' : '')

/** The refused rows of a stage with those of a page. */
function addRefused(before: Refused | undefined, ids: readonly string[]): Refused | undefined {
  if (ids.length === 0) return before
  const { rows = 0, ids: first = [] } = before ?? {}
  return { rows: rows + ids.length, ids: [...first, ...ids.map(named)].slice(0, NAMED_ROWS) }
}

const MAX_ID_CHARACTERS = 255

/** The rows of a page that may be stored, each id once as it comes last, and the ids that no row may have. */
export function storableRows<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
): { storable: Row[]; refused: string[] } {
  const storable = new Map<string, Row>()
  const refused: string[] = []
  for (const row of rows) {
    const id = idOf(row)
    if (id === '' || id.length > MAX_ID_CHARACTERS) refused.push(id)
    else storable.set(id, row)
  }
  return { storable: [...storable.values()], refused }
}

/** Pages of one stage: PSAs have a hundred rows or more in a page. */
const MAX_PAGES = 10_000

/** The reason for which a sync reads nothing after a page that is not the stage's last; null: it reads on. */
export function cutAfter({
  rows_read,
  most_rows,
  mark,
}: {
  /** The rows of the sync up to now. */
  rows_read: number
  most_rows: number
  /** The mark after the page; null: the page is a repeated one. */
  mark: PageMark | null
}): string | null {
  if (mark === null) return 'The system repeated a page'
  if (rows_read >= most_rows) return `A sync reads at most ${most_rows.toLocaleString('en')} rows`
  return mark.pages >= MAX_PAGES
    ? `A sync reads at most ${MAX_PAGES.toLocaleString('en')} pages of a kind`
    : null
}

/** The reason for which a stage that was read to its last page is not complete; null: it is. */
export const cutAtEnd = ({ rows_read, total }: { rows_read: number; total: number | null }): string | null =>
  total !== null && total > rows_read
    ? `The system counts ${total.toLocaleString('en')} rows and gave ${rows_read.toLocaleString('en')}`
    : null

const unread = (kind: UnavailableKind): string => unavailableText('system', kind)

const incomplete = (reason: string, stages: readonly Stage[]): string =>
  `${reason}: ${stages.map(({ stage }) => stage.toLowerCase()).join(', ')} are not complete.`

const notMarked = ({ stage }: Stage, { gone, there }: MissingRows): string =>
  `${gone.toLocaleString('en')} of ${there.toLocaleString('en')} ${stage.toLowerCase()} are gone from the system, more than a ` +
  'fifth: none was marked. Repeat with accept_missing if that is right.'

function notStored(stages: readonly Stage[]): string {
  const rows = stages.flatMap(({ stage, refused }) =>
    (refused?.ids ?? []).map((id) => `${ROW[stage]} "${id}"`),
  )
  const others = stages.reduce((sum, { refused }) => sum + (refused?.rows ?? 0), 0) - rows.length
  return `Cannot be stored: ${rows.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`
}

const ROW: Readonly<Record<StageName, string>> = {
  COMPANIES: 'company',
  CONTACTS: 'contact',
  TECHNICIANS: 'technician',
  CUSTOMERS: 'customer',
  COMPANY_LINKS: 'company link',
  SCRIPTS: 'script',
}

/** True for a stage that FAILED since the system could not be read. */
const isUnread = ({ status, cut, refused, withheld }: Stage): boolean =>
  status === 'FAILED' && !cut && !refused && !withheld

/** The problems of stages that have FAILED. */
function problemsOf(failed: readonly Stage[]): string {
  const away = failed.filter(isUnread)
  const by_reason = Map.groupBy(away, (stage) => unread(stage.unread ?? 'OUTAGE'))
  const refused = failed.filter((stage) => stage.refused)
  return [
    ...[...by_reason].map(([reason, stages]) => incomplete(reason, stages)),
    ...failed.flatMap((stage) => (stage.cut === undefined ? [] : [incomplete(stage.cut, [stage])])),
    ...(refused.length > 0 ? [notStored(refused)] : []),
    ...failed.flatMap((stage) => (stage.withheld ? [notMarked(stage, stage.withheld)] : [])),
  ].join(' ')
}

/** Links are made of what is stored, whatever could be read. */
const isRead = ({ stage }: Stage): boolean => stage !== 'COMPANY_LINKS'

/** The sum of both, of which one is there, with the reason of the later one. */
const unaskedAfter = (
  before: UnaskedCustomers | undefined,
  page: UnaskedCustomers | null | undefined,
): UnaskedCustomers => ({
  customers: (before?.customers ?? 0) + (page?.customers ?? 0),
  reason: (page ?? (before as UnaskedCustomers)).reason,
})

/** The sync after a page of its stage with this place. One whose stages have all ended has ended. */
export function afterPage({ stages }: Pick<Progress, 'stages'>, index: number, page: PageOutcome): Progress {
  const after = stages.map((stage, place): Stage => {
    if (place !== index) return stage
    if ('failed' in page)
      return {
        ...stage,
        status: 'FAILED',
        ...(stage.refused ? { cut: unread(page.failed) } : { unread: page.failed }),
      }
    const { counts, is_last, cut, missing, withheld } = page
    const refused = addRefused(stage.refused, page.refused ?? [])
    const ended = cut || refused || withheld ? 'FAILED' : 'SUCCEEDED'
    return {
      stage: stage.stage,
      status: is_last || cut ? ended : 'RUNNING',
      ...(cut && { cut }),
      ...(refused && { refused }),
      ...(withheld && { withheld }),
      read: stage.read + counts.read,
      added: stage.added + counts.added,
      changed: stage.changed + counts.changed,
      missing: stage.missing + missing,
      ...(counts.unasked || stage.unasked ? { unasked: unaskedAfter(stage.unasked, counts.unasked) } : {}),
    }
  })
  if (after.some(({ status }) => status === 'PENDING' || status === 'RUNNING'))
    return { status: 'RUNNING', stages: after, error: null }
  const failed = after.filter(({ status }) => status === 'FAILED')
  if (failed.length === 0) return { status: 'SUCCEEDED', stages: after, error: null }
  const status = after.filter(isRead).every(isUnread) ? 'FAILED' : 'PARTIAL'
  return { status, stages: after, error: problemsOf(failed) }
}

const REASONS = {
  DISCONNECTED: 'The integration was disconnected.',
  ERROR: 'The service itself failed.',
} as const

/** The sync that goes on no more: what would answer after a disconnect is another system. */
export const afterEnd = ({ stages }: Pick<Progress, 'stages'>, reason: keyof typeof REASONS): Progress => ({
  status: 'FAILED',
  stages: stages.map((stage) => (stage.status === 'SUCCEEDED' ? stage : { ...stage, status: 'FAILED' })),
  error: REASONS[reason],
})

/** The place of the stage to go on with; null if all have ended. */
export function stageToRead({ stages }: Pick<Progress, 'stages'>): number | null {
  const index = stages.findIndex(({ status }) => status === 'PENDING' || status === 'RUNNING')
  return index === -1 ? null : index
}

/** The places of customers whose id one before them has. */
export function repeatedIds(customers: readonly { external_id: string }[]): number[] {
  const seen = new Set<string>()
  return customers.flatMap(({ external_id }, index) => {
    if (seen.has(external_id)) return [index]
    seen.add(external_id)
    return []
  })
}

/** The minutes after which a sync that does not go on has failed. */
export const STALLED_MINUTES = 15

/** True if the sync of this instant is still to begin. */
export const isDue = (
  { open_id, last_asked }: { open_id: string | null; last_asked: Date | null },
  due_at: Date,
): boolean => open_id === null && (last_asked === null || last_asked < due_at)
