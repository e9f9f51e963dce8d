/** GraphiQL as the service offers it: one tab per area, a place for the credential. */
import type { GraphiQLOptions } from 'graphql-yoga'
import { allAreas } from '../graphql/area.ts'

const HEADERS = JSON.stringify({ Authorization: 'Bearer <API key or access token>' }, null, 2)

/** Titles, headers and a saved example of every area. */
export const graphiqlOptions = (): GraphiQLOptions => ({
  title: 'Automation Service',
  headers: HEADERS,
  isHeadersEditorEnabled: true,
  defaultHeaders: HEADERS,
  shouldPersistHeaders: true,
  defaultTabs: allAreas().map(({ name, example }) => ({
    query: `# ${name}\n${example.trim()}\n`,
    headers: HEADERS,
  })),
})
