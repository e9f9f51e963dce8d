/** The errors of executions: a code and a text, with a colon between them. */

const ERROR_CODE = /^([a-z][a-z0-9_]*): /

/** The code that an error begins with; null: it has none. */
export const errorCodeOf = (error: string | null): string | null => ERROR_CODE.exec(error ?? '')?.[1] ?? null
