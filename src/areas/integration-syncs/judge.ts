/** Has links judged that rest on what a sync has changed. */
import type { UnboundJobContext } from '../../jobs/job.ts'
import { judgeDevices, judgeLinks } from '../company-links/index.ts'
import { isPut, type Stage } from './rules.ts'
import type { SyncRow } from './sync.ts'

type Changes = Pick<Stage, 'added' | 'changed'> & Partial<Pick<Stage, 'missing'>>

const differs = (changes: Changes | undefined): boolean =>
  changes !== undefined && changes.added + changes.changed + (changes.missing ?? 0) > 0

type JudgingContext = Parameters<typeof judgeLinks>[0]

/** After the sync has judged its own links, of which `last` are those of the last page: judges those that rest on them. */
export async function judgeOthers(ctx: UnboundJobContext, sync: SyncRow, last: Changes): Promise<void> {
  const has_changed = differs(last) || differs(sync.stages.at(-1))
  if (isPut(sync) && (has_changed || differs(sync.stages[0]))) await judgeLinks(ctx)
  if (!isPut(sync) && has_changed) await judgeDevices(ctx)
}

/** Judges the links that an unfinished sync has not judged: its first stage changed companies or customers. */
export async function judgeUnfinished(
  ctx: JudgingContext,
  { stages }: Pick<SyncRow, 'stages'>,
): Promise<void> {
  if (stages.some(({ stage }) => stage === 'COMPANY_LINKS') && differs(stages[0])) await judgeLinks(ctx)
}
