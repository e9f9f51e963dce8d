import { describe, expect, it } from 'vitest'
import {
  afterPage,
  changedSince,
  type PageOutcome,
  type Progress,
  stagesOf,
  stageToRead,
} from '../../src/areas/integration-syncs/rules.ts'

const page = (is_last: boolean, missing = 0): PageOutcome => ({
  counts: { read: 2, added: 1, changed: 1 },
  is_last,
  missing,
})
const FAILED = { failed: true } as const

/** The sync of a PSA after these pages, each of the stage that is to be read then. */
function syncAfter(...pages: PageOutcome[]): Progress {
  let sync: Progress = {
    status: 'QUEUED',
    stages: stagesOf('PSA'),
    error: null,
  }
  for (const outcome of pages) sync = afterPage(sync, stageToRead(sync) ?? -1, outcome)
  return sync
}

describe('a sync', () => {
  it('adds up the pages of a stage, and goes on to the next after the last one', () => {
    const sync = syncAfter(page(false), page(true, 3))
    expect(sync.status).toBe('RUNNING')
    expect(sync.stages[0]).toEqual({
      stage: 'COMPANIES',
      status: 'SUCCEEDED',
      read: 4,
      added: 2,
      changed: 2,
      missing: 3,
    })
    expect(stageToRead(sync)).toBe(1)
  })

  it.each([
    [[page(true), page(true), page(true), page(true)], 'SUCCEEDED', null],
    [
      [page(true), FAILED, page(true), page(true)],
      'PARTIAL',
      expect.stringContaining('contacts are not complete'),
    ],
    [[page(true), page(false), FAILED, page(true), page(true)], 'PARTIAL', expect.any(String)],
    [[FAILED, FAILED, FAILED, page(true)], 'FAILED', expect.any(String)],
    [[page(true), page(true), page(false)], 'RUNNING', null],
  ])('%#: ends by how its stages ended', (pages, status, error) => {
    const sync = syncAfter(...pages)
    expect([sync.status, sync.error]).toEqual([status, error])
    expect(stageToRead(sync) === null).toBe(status !== 'RUNNING')
  })

  const now = new Date('2026-11-23T12:00:00Z')
  const ago = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000)
  it.each([
    ['the first one', null, null, false, null],
    ['a full one', ago(1), ago(1), true, null],
    ['a day after the last full one', ago(1), ago(24), false, null],
    ['within a day', ago(1), ago(23), false, new Date(ago(1).getTime() - 300_000)],
  ])('%s reads what it has to', (_name, last, last_full, full, since) => {
    expect(changedSince({ last, last_full, full, now })).toEqual(since)
  })
})
