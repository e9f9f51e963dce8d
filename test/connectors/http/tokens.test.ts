import { describe, expect, it } from 'vitest'
import { createTokens } from '../../../src/connectors/http/tokens.ts'

function setUp() {
  const clock = { ms: 0 }
  const tokens = createTokens({ elapsed: () => clock.ms })
  let count = 0
  const issue = async () => ({ access_token: `t${++count}`, expires_in_seconds: 3600 })
  return { clock, tokens, issue }
}

describe('tokens of connections', () => {
  it('are issued once for each name while they are good, and again a minute before they end', async () => {
    const { clock, tokens, issue } = setUp()
    expect(
      await Promise.all([tokens.get('a', issue), tokens.get('a', issue), tokens.get('b', issue)]),
    ).toEqual(['t1', 't1', 't2'])
    clock.ms = 3539_000
    expect(await tokens.get('a', issue)).toBe('t1')
    clock.ms = 3540_000
    expect(await Promise.all([tokens.get('a', issue), tokens.get('a', issue)])).toEqual(['t3', 't3'])
  })

  it('are forgotten unless another one has taken their place', async () => {
    const { tokens, issue } = setUp()
    await tokens.get('a', issue)
    await tokens.forget('a', 't1')
    expect(await tokens.get('a', issue)).toBe('t2')
    await tokens.forget('a', 't1')
    expect(await tokens.get('a', issue)).toBe('t2')
  })

  it('are not kept if none was issued', async () => {
    const { tokens, issue } = setUp()
    const refuse = () => Promise.reject(new Error('no'))
    await expect(tokens.get('a', refuse)).rejects.toThrow('no')
    expect(await tokens.get('a', issue)).toBe('t1')
  })
})
