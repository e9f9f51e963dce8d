/** Hand-written GraphQL documents, for fields that REST does not have. */
import { testApp } from './app.ts'
import type { Caller } from './world.ts'

/** Executes the document. `code` is the code of the first error. */
export async function graphql(
  caller: Caller,
  query: string,
  headers: Record<string, string> = {},
  variables: Record<string, unknown> = {},
) {
  const { base } = await testApp()
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  return { data, code: errors?.[0]?.extensions.code }
}
