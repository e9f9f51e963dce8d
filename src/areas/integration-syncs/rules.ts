/** The rules of syncs: the stages of each kind of system, and how a sync goes on from one to the next. */
import type { SystemKind } from '../../connectors/systems.ts'

export const STAGES = ['COMPANIES', 'CONTACTS', 'TECHNICIANS', 'CUSTOMERS', 'COMPANY_LINKS'] as const

export type StageName = (typeof STAGES)[number]

type StageStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** The counts of one stage so far. A type alias, since TypeScript takes no interface for JSON. */
export type Stage = {
  stage: StageName
  status: StageStatus
  read: number
  added: number
  changed: number
  missing: number
}

/** The counts of one page. */
export type PageCounts = Pick<Stage, 'read' | 'added' | 'changed'>

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
}

const pending = (stage: StageName): Stage => ({
  stage,
  status: 'PENDING',
  read: 0,
  added: 0,
  changed: 0,
  missing: 0,
})

/** The stages of a system of the kind, none of which has begun; none for a system whose customers are not read. */
export const stagesOf = (kind: SystemKind): Stage[] => (STAGES_OF[kind] ?? []).map(pending)

/** The stages after customers were put, which is the first of them. */
export const stagesAfterPut = (counts: PageCounts & Pick<Stage, 'missing'>): Stage[] => [
  { stage: 'CUSTOMERS', status: 'SUCCEEDED', ...counts },
  pending('COMPANY_LINKS'),
]

/** True if nothing is left but to resolve customers that were put. */
export const isPut = ({ stages }: Pick<Progress, 'stages'>): boolean => stages[0]?.stage === 'CUSTOMERS'

const OPEN: readonly Status[] = ['QUEUED', 'RUNNING']

/** True for a sync that has not ended. */
export const isOpen = ({ status }: Pick<Progress, 'status'>): boolean => OPEN.includes(status)

/** The outcome of one page: what it counted and whether it was its stage's last; or that it could not be read. */
export type PageOutcome = { counts: PageCounts; is_last: boolean; missing: number } | { failed: true }

const UNREADABLE = (stages: readonly Stage[]): string =>
  `The system could not be reached: ${stages.map(({ stage }) => stage.toLowerCase()).join(', ')} are not complete.`

/** Links are made of what is stored, whatever could be read. */
const isRead = ({ stage }: Stage): boolean => stage !== 'COMPANY_LINKS'

/** The sync after a page of its stage with this place. One whose stages have all ended has ended. */
export function afterPage({ stages }: Pick<Progress, 'stages'>, index: number, page: PageOutcome): Progress {
  const after = stages.map((stage, place): Stage => {
    if (place !== index) return stage
    if ('failed' in page) return { ...stage, status: 'FAILED' }
    const { counts, is_last, missing } = page
    return {
      stage: stage.stage,
      status: is_last ? 'SUCCEEDED' : 'RUNNING',
      read: stage.read + counts.read,
      added: stage.added + counts.added,
      changed: stage.changed + counts.changed,
      missing: stage.missing + missing,
    }
  })
  if (after.some(({ status }) => status === 'PENDING' || status === 'RUNNING'))
    return { status: 'RUNNING', stages: after, error: null }
  const failed = after.filter(({ status }) => status === 'FAILED')
  if (failed.length === 0) return { status: 'SUCCEEDED', stages: after, error: null }
  const status = after.filter(isRead).every((stage) => stage.status === 'FAILED') ? 'FAILED' : 'PARTIAL'
  return { status, stages: after, error: UNREADABLE(failed) }
}

/** The sync once its integration is disconnected: what would answer now is another system. */
export const afterDisconnect = ({ stages }: Pick<Progress, 'stages'>): Progress => ({
  status: 'FAILED',
  stages: stages.map((stage) => (stage.status === 'SUCCEEDED' ? stage : { ...stage, status: 'FAILED' })),
  error: 'The integration was disconnected.',
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

/** The longest time for which changes alone are read: a day. */
const FULL_EVERY_MS = 86_400_000

/** Time that a later sync reads again: clocks differ, and changes may have the time of their transaction's beginning. */
const OVERLAP_MS = 300_000

/**
 * The instant from which a sync reads changes; null if it reads everything: if that is asked for, if no sync has
 * SUCCEEDED, or if the last full one that did began a day ago or earlier.
 */
export function changedSince({
  last,
  last_full,
  full,
  now,
}: {
  last: Date | null
  last_full: Date | null
  full: boolean
  now: Date
}): Date | null {
  if (full || !last || !last_full) return null
  if (now.getTime() - last_full.getTime() >= FULL_EVERY_MS) return null
  return new Date(last.getTime() - OVERLAP_MS)
}
