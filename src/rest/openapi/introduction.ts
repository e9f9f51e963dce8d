/** The introduction of the OpenAPI document: rules that hold for every operation. */
export const INTRODUCTION = `
Everything here can also be done through GraphQL at \`/graphql\`: the same operations under the same names,
with the same arguments, fields, limits and error codes.

### Envelopes

A success is \`{ data, meta }\`, an error is \`{ error, meta }\`. Every field that is required in an answer is
always there; it is null only if its schema says so. A list that takes \`cursor\` is read in pages:
\`meta.pagination.next_cursor\` is the \`cursor\` of the next one. Catalogues are whole.

### Examples

The examples are calls of a demo and what the service answered. Lists in them are cut to two items. What differs from
call to call is replaced: times, cursors, signatures, secrets and the ids of what the call made.

### Compatibility

Answers may gain fields, and every \`enum\` may gain values, so that it is \`anyOf\` these values and any text:
ignore fields that you do not know, and take values that you do not know as text. A request takes the values that are
listed, and those that were added since. Fields of a request that an operation does
not have are ignored, and named in \`meta.warnings\`.

### Writing

Leave a field out to keep its value. Send null to clear it, if its schema takes null. Send
\`Idempotency-Key\` to repeat a request safely, and \`If-Match\` to change only the version that
you have read.

### Limits

Every call counts, a refused one too: with a credential against the limits of the key or user and of the tenant, without
one against those of the address. \`RateLimit\` and \`RateLimit-Policy\` have an item for each limit that applies to
the call, and \`GET /tenant/me\` tells all of them. A 429 names the limit that is used up in \`details.name\`.

### Errors

Test against \`error.code\`; [every code](/public-api/docs/errors) has one status, and neither
ever changes. If \`Retry-After\` is given, wait that long.
`.trim()
