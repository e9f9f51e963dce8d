/** Settings of a server, a database or a role that the service makes for itself, each to something else than usual. */
const ODD = [
  `datestyle = 'German'`,
  `intervalstyle = 'sql_standard'`,
  `timezone = 'Asia/Kathmandu'`,
  `bytea_output = 'escape'`,
  'extra_float_digits = -15',
  'standard_conforming_strings = off',
  'array_nulls = off',
  'quote_all_identifiers = on',
  `client_encoding = 'LATIN1'`,
  'search_path = nowhere',
  `default_transaction_isolation = 'serializable'`,
  'default_transaction_read_only = on',
  'jit = on',
]

/** The values of these settings on every connection of the service. */
export const USUAL: Record<string, string> = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  extra_float_digits: '1',
  jit: 'off',
  quote_all_identifiers: 'off',
  search_path: 'public',
  standard_conforming_strings: 'on',
}

/** Statements that set them for what `alter` names, such as `database x`. The session may be one that reads only. */
export const setOddly = (what: string): string[] => [
  'set default_transaction_read_only = off',
  ...ODD.map((each) => `alter ${what} set ${each}`),
]
