/** GraphQL clients of dashboards with their normalised caches: every entity once, by its type and `id`. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange, type RequestPolicy } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'

/** A GraphQL client with its cache. */
export interface Cached {
  read(query: string, variables?: Variables): Promise<Answer>
  write(mutation: string, variables?: Variables): Promise<Answer>
  /** The answer from the cache alone; null if it lacks something. */
  readCached(query: string, variables?: Variables): Promise<Answer | null>
}

// biome-ignore lint/suspicious/noExplicitAny: documents of all shapes
type Answer = any
type Variables = Record<string, unknown>

interface Connection {
  headers?: Record<string, string>
  fetch?: typeof fetch
  /** The types that are no entities. */
  without_key?: readonly string[]
}

function apollo(uri: string, { headers = {}, fetch = globalThis.fetch }: Connection): Cached {
  const client = new ApolloClient({ link: new HttpLink({ uri, headers, fetch }), cache: new InMemoryCache() })
  return {
    read: async (query, variables = {}) =>
      (await client.query({ query: gql(query), variables, fetchPolicy: 'network-only' })).data,
    write: async (mutation, variables = {}) =>
      (await client.mutate({ mutation: gql(mutation), variables })).data,
    readCached: async (query, variables = {}) => client.readQuery({ query: gql(query), variables }),
  }
}

function urql(url: string, { headers = {}, fetch = globalThis.fetch, without_key = [] }: Connection): Cached {
  const keys = Object.fromEntries(without_key.map((type) => [type, () => null]))
  const exchanges = [cacheExchange({ keys }), fetchExchange]
  const client = new Client({ url, preferGetMethod: false, fetchOptions: { headers }, fetch, exchanges })
  const query = async (text: string, variables: Variables, requestPolicy: RequestPolicy) => {
    const { data, error } = await client.query(text, variables, { requestPolicy })
    if (error) throw error
    return data ?? null
  }
  return {
    read: (text, variables = {}) => query(text, variables, 'network-only'),
    write: async (mutation, variables = {}) => {
      const { data, error } = await client.mutation(mutation, variables)
      if (error) throw error
      return data
    },
    readCached: (text, variables = {}) => query(text, variables, 'cache-only'),
  }
}

export const CLIENTS = [
  ['Apollo Client', apollo],
  ['urql', urql],
] as const
