import { describe, expect, it } from 'vitest'
import { changedSince, readingOf } from '../../src/areas/integration-syncs/reading.ts'
import {
  afterPage,
  cutAfter,
  cutAtEnd,
  type PageOutcome,
  type Progress,
  stagesAfterPut,
  stagesOf,
  stageToRead,
  storableRows,
} from '../../src/areas/integration-syncs/rules.ts'

const page = (is_last: boolean, missing = 0): PageOutcome => ({
  counts: { read: 2, added: 1, changed: 1 },
  is_last,
  missing,
})
const FAILED = { failed: 'OUTAGE' } as const
const UNKNOWN = { failed: 'UNKNOWN_FORM' } as const
const refusing = (is_last: boolean, ...refused: string[]) => ({ ...page(is_last), refused })
const CUT = { ...page(false), cut: 'A sync reads at most 9 rows' }
const WITHHELD = { ...page(true), withheld: { gone: 36, there: 136 } }
const LONG = 'x'.repeat(50)

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
    [
      [page(true), CUT, page(true), page(true)],
      'PARTIAL',
      'A sync reads at most 9 rows: contacts are not complete.',
    ],
    [[CUT, CUT, CUT, page(true)], 'PARTIAL', expect.stringContaining('companies are not complete')],
    [
      [refusing(false, 'a', ''), refusing(true), page(true), page(true), page(true)],
      'PARTIAL',
      'Cannot be stored: company "a", company "".',
    ],
    [
      [page(true), refusing(true, LONG, '\ud800', 'c', 'd', 'e', 'f', 'g'), page(true), page(true)],
      'PARTIAL',
      `Cannot be stored: contact "${LONG.slice(0, 40)}…", contact "\ufffd", contact "c", contact "d", contact "e" and 2 more.`,
    ],
    [
      [refusing(false, 'a'), FAILED, page(true), page(true), page(true)],
      'PARTIAL',
      'The system did not answer: companies are not complete. Cannot be stored: company "a".',
    ],
    [
      [WITHHELD, FAILED, page(true), page(true)],
      'PARTIAL',
      'The system did not answer: contacts are not complete. 36 of 136 companies are gone from the system, more than a fifth: ' +
        'none was marked. Repeat with accept_missing if that is right.',
    ],
    [[WITHHELD, FAILED, FAILED, page(true)], 'PARTIAL', expect.stringContaining('36 of 136 companies')],
    [
      [UNKNOWN, FAILED, UNKNOWN, page(true)],
      'FAILED',
      'The system answered in a form that we do not know: companies, technicians are not complete. ' +
        'The system did not answer: contacts are not complete.',
    ],
  ])('%#: ends by how its stages ended', (pages, status, error) => {
    const sync = syncAfter(...pages)
    expect([sync.status, sync.error]).toEqual([status, error])
    expect(stageToRead(sync) === null).toBe(status !== 'RUNNING')
  })

  it('keeps both numbers of rows that were not marked', () => {
    expect(syncAfter(WITHHELD).stages[0]).toMatchObject({
      status: 'FAILED',
      missing: 0,
      withheld: { gone: 36, there: 136 },
    })
  })

  it.each([
    [null, 'SUCCEEDED', null],
    [{ gone: 1200, there: 5000 }, 'PARTIAL', expect.stringMatching(/^1,200 of 5,000 customers are gone/)],
  ])(
    '%#: of customers that were put resolves them, and ends by what was marked',
    (withheld, status, error) => {
      const stages = stagesAfterPut({ read: 1, added: 0, changed: 0, missing: 0, withheld })
      expect(stageToRead({ stages })).toBe(1)
      const sync = afterPage({ stages }, 1, page(true))
      expect([sync.status, sync.error]).toEqual([status, error])
    },
  )

  const now = new Date('2026-11-23T12:00:00Z')
  const ago = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000)
  it.each([
    ['the first one', null, null, false, null],
    ['a full one', ago(1), ago(1), true, null],
    ['a day after the last full one', ago(1), ago(24), false, null],
    ['within a day', ago(1), ago(23), false, new Date(ago(1).getTime() - 300_000)],
  ])('%s reads what it has to', (_name, last, last_full, full, since) => {
    expect(changedSince({ last, last_full, full, now })).toEqual(since)
    expect(readingOf('PSA', { last, last_full, full, now })).toEqual({ is_full: full, changed_since: since })
    expect(readingOf('RMM', { last, last_full, full, now })).toEqual({ is_full: true, changed_since: null })
  })

  it('of an RMM reads its scripts alone', () => {
    expect(stagesOf('RMM').map(({ stage }) => stage)).toEqual(['SCRIPTS'])
  })
})

describe('the rows of a page', () => {
  const id = (text: string) => text
  it.each([
    ['are stored', ['a', 'b'], ['a', 'b'], []],
    ['are stored once', ['a', 'b', 'a'], ['a', 'b'], []],
    ['are refused without an id', ['', 'a'], ['a'], ['']],
    ['have an id of 255 characters', ['x'.repeat(255)], ['x'.repeat(255)], []],
    ['have no longer id', ['x'.repeat(256), 'a'], ['a'], ['x'.repeat(256)]],
  ])('%s', (_name, rows, storable, refused) => {
    expect(storableRows(rows, id)).toEqual({ storable, refused })
  })
})

describe('a stage', () => {
  it.each([
    [100, null, null],
    [100, 100, null],
    [101, 100, null],
    [0, 1, 'The system counts 1 rows and gave 0'],
    [1000, 1360, 'The system counts 1,360 rows and gave 1,000'],
  ])('of which %i rows were read of %s is complete, or tells both numbers', (rows_read, total, reason) => {
    expect(cutAtEnd({ rows_read, total })).toBe(reason)
  })

  const mark = { pages: 1, replaced_at: 2, next: 'n', rows: 'r' }
  it.each([
    [{ rows_read: 9, most_rows: 10, mark }, null],
    [{ rows_read: 10, most_rows: 10, mark }, 'A sync reads at most 10 rows'],
    [{ rows_read: 600_000, most_rows: 500_000, mark }, 'A sync reads at most 500,000 rows'],
    [{ rows_read: 0, most_rows: 10, mark: null }, 'The system repeated a page'],
    [{ rows_read: 0, most_rows: 10, mark: { ...mark, pages: 9_999 } }, null],
    [
      { rows_read: 0, most_rows: 10, mark: { ...mark, pages: 10_000 } },
      'A sync reads at most 10,000 pages of a kind',
    ],
  ])('%#: is cut after a page', (read, reason) => {
    expect(cutAfter(read)).toBe(reason)
  })
})
