/** What every path and every answer of the public API carries. */

export const BASE_PATH = '/public-api'

export const GRAPHQL_PATH = '/graphql'

export const API_VERSION = '1.0.0'
