/** GraphiQL as the service offers it: one tab per area, a place for the credential. */
import type { GraphiQLOptions } from 'graphql-yoga'
import { allAreas } from '../graphql/area.ts'

// Empty, so that the schema can be explored before anybody has signed in.
const HEADERS = JSON.stringify({ Authorization: '' }, null, 2)

const HINT = 'Below, in Headers, Authorization is "Bearer <API key or access token>"'

/** Titles, headers and a saved example of every area. */
export const graphiqlOptions = (): GraphiQLOptions => ({
  title: 'Automation Service',
  headers: HEADERS,
  isHeadersEditorEnabled: true,
  defaultHeaders: HEADERS,
  defaultTabs: allAreas().map(({ name, example }) => ({
    query: `# ${name}\n# ${HINT}\n\n${example.trim()}\n`,
    headers: HEADERS,
  })),
})
