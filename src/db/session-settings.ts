/**
 * The settings that every connection makes for itself: those that change which value a text is, in either direction, which
 * tables a name means, whether a transaction may write, and how statements are planned. What the database and its role are
 * set to does not matter.
 */

const SETTINGS = [
  "client_encoding = 'UTF8'",
  "datestyle = 'ISO, MDY'",
  "intervalstyle = 'postgres'",
  // Prisma's adapters write times without a zone and read every zone as UTC.
  "timezone = 'UTC'",
  "bytea_output = 'hex'",
  'extra_float_digits = 1',
  'standard_conforming_strings = on',
  // Off, a null in an array is the text NULL.
  'array_nulls = on',
  // On, the names of tables and schemas are read with quotes.
  'quote_all_identifiers = off',
  "default_transaction_isolation = 'read committed'",
  'default_transaction_read_only = off',
  // Prisma names the schema in each of its statements.
  'search_path = public',
  // A page reads few rows. Compiling its conditions takes seconds, each time.
  'jit = off',
]

/** The SQL of the settings: statements without values, which are sent together once a connection is there. */
export const SESSION_SETTINGS = SETTINGS.map((each) => `set ${each}`).join('; ')
