/** The instants of a token, with 60 seconds of tolerance either way. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { outcome } from '../../setup/api.ts'
import { clock, signTabToken } from '../../setup/app.ts'
import { EMAIL, tab } from './tab.ts'

afterEach(() => clock.reset())

const REFUSED = [401, 'invalid_credentials']
const TAKEN = [200, undefined]

it.each([
  ['expired 58 seconds ago', { expires_at: -58 }, TAKEN],
  ['expired 61 seconds ago', { expires_at: -61 }, REFUSED],
  ['is valid in 58 seconds', { not_before: 58 }, TAKEN],
  ['is valid in 62 seconds', { not_before: 62 }, REFUSED],
])('a token that %s', async (_name, times, expected) => {
  const { tid, ask } = await tab()
  clock.freeze()
  const at = Object.fromEntries(
    Object.entries(times).map(([name, seconds]) => [
      name,
      new Date(Math.floor(clock.now().getTime() / 1000) * 1000 + seconds * 1000),
    ]),
  )
  const token = await signTabToken({ tid, oid: randomUUID(), email: EMAIL }, at)
  expect(outcome(await ask(token))).toEqual(expected)
})
