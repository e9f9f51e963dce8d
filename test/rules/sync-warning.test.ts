import { describe, expect, it } from 'vitest'
import {
  afterPage,
  type PageCounts,
  type Progress,
  stagesAfterPut,
} from '../../src/areas/integration-syncs/rules.ts'
import { warningOf } from '../../src/areas/integration-syncs/warning.ts'

const COUNTS = { read: 2, added: 1, changed: 1, missing: 0 }

describe('the warning of a sync', () => {
  it.each<[string, PageCounts['unasked'][], string | null]>([
    ['none', [null, undefined], null],
    ['those of one page', [null, { customers: 7, reason: 'credits_exhausted' }, null], '(7): the credits of'],
    [
      'those of two pages, with the later reason',
      [
        { customers: 7, reason: 'model_failed' },
        { customers: 3, reason: 'questions_used_up' },
      ],
      '(10): the 500 questions of the day are used up.',
    ],
  ])(
    'that has SUCCEEDED warns of the customers about whom the model was not asked: %s',
    (_name, all, text) => {
      let sync: Progress = { status: 'QUEUED', stages: stagesAfterPut(COUNTS), error: null }
      for (const [at, unasked] of all.entries()) {
        const counts = { ...COUNTS, ...(unasked === undefined ? {} : { unasked }) }
        sync = afterPage(sync, 1, { counts, is_last: at === all.length - 1, missing: 0 })
      }
      expect([sync.status, sync.error]).toEqual(['SUCCEEDED', null])
      expect(warningOf(sync)).toEqual(text === null ? null : expect.stringContaining(text))
    },
  )
})
