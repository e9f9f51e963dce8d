/** GraphQL documents of a test's own, for what REST does not have. */
import { testApp } from './app.ts'
import type { Caller } from './world.ts'

/** What the document answered; `code` is that of its first error. */
export async function graphql(caller: Caller, query: string, headers: Record<string, string> = {}) {
  const { base } = await testApp()
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = await response.json()
  return { data, code: errors?.[0]?.extensions.code }
}
