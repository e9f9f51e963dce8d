/** Base paths and version of the public API. */

export const BASE_PATH = '/public-api'

export const GRAPHQL_PATH = '/graphql'

/** The start of the addresses to which systems send their events: the id of the connection follows. */
export const INGEST_PATH = '/ingest/psa/'

export const API_VERSION = '1.0.0'

/** Paths of the interfaces and their documentation, for the index page and the start message. */
export const placesOf = (graphiql: boolean) => ({
  graphql: GRAPHQL_PATH,
  ...(graphiql && { graphiql: GRAPHQL_PATH }),
  reference: `${BASE_PATH}/docs`,
  openapi: `${BASE_PATH}/openapi.json`,
  error_codes: `${BASE_PATH}/docs/errors`,
  health: `${BASE_PATH}/health`,
})

/** The explanation of an error code: absolute if the service knows its public address, which `''` says it does not. */
export const docsUrl = (code: string, public_url = ''): string =>
  `${public_url}${BASE_PATH}/docs/errors#${code}`
