/** What calls of a connected system tell of its health. */
import { expect, test } from 'vitest'
import { type CallOutcome, healthAfter, type KnownHealth } from '../../src/connectors/health.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
const HEALTHY: KnownHealth = { is_unknown: false, is_refused: false, failing_since: null }
const UNKNOWN: KnownHealth = { ...HEALTHY, is_unknown: true }
const REFUSED: KnownHealth = { ...HEALTHY, is_refused: true }
const FAILING: KnownHealth = { ...HEALTHY, failing_since: at(0) }
const BOTH: KnownHealth = { ...REFUSED, failing_since: at(0) }

test.each<[KnownHealth, outcome: CallOutcome, seconds: number, KnownHealth, is_stored: boolean]>([
  [HEALTHY, 'ANSWERED', 5, HEALTHY, false],
  [UNKNOWN, 'ANSWERED', 5, HEALTHY, true],
  [UNKNOWN, 'REFUSED', 5, REFUSED, true],
  [UNKNOWN, 'FAILED', 0, { ...FAILING, is_unknown: true }, true],
  [HEALTHY, 'REFUSED', 5, REFUSED, true],
  [HEALTHY, 'FAILED', 0, FAILING, true],
  [FAILING, 'FAILED', 9, FAILING, false],
  [FAILING, 'FAILED', 10, FAILING, true],
  [FAILING, 'ANSWERED', 5, HEALTHY, true],
  [FAILING, 'REFUSED', 5, REFUSED, true],
  [REFUSED, 'REFUSED', 5, REFUSED, true],
  [REFUSED, 'FAILED', 0, BOTH, true],
  [REFUSED, 'ANSWERED', 5, HEALTHY, true],
  [BOTH, 'ANSWERED', 60, HEALTHY, true],
  [BOTH, 'REFUSED', 60, REFUSED, true],
])('%j, and a call is %s after %i s', (known, outcome, seconds, health, is_stored) => {
  expect(healthAfter(known, outcome, at(seconds))).toEqual({ health, is_stored })
})
