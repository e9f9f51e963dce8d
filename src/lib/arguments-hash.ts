/** The hash that binds an approval to the arguments of a call. */
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** SHA-256 of the arguments as canonical JSON (RFC 8785): the same for all texts of the same value. */
export const argumentsHash = (args: unknown): string => hash('sha256', canonicalize(args) ?? 'null', 'hex')
