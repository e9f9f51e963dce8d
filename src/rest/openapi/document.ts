/** The OpenAPI document of the operations. */

import type { Operation } from '../../gateway/operation.ts'
import { API_VERSION, BASE_PATH } from '../../lib/api.ts'
import { codesOf } from '../../schema/error-codes.ts'
import { ENVELOPE_SCHEMAS } from './envelopes.ts'
import { createErrorResponses, errorExamples } from './error-responses.ts'
import { addExamples, type Examples, recordedExamples } from './examples.ts'
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts'
import { INTRODUCTION } from './introduction.ts'
import type { DocumentParts, Json } from './json.ts'
import { operationObject } from './operation.ts'
import { createSchemas } from './schemas.ts'
import { SECURITY_SCHEMES } from './security.ts'
import { SHARED_RESPONSES } from './success-responses.ts'
import { withoutUnusedComponents } from './unused-components.ts'

export interface OpenApiDocument extends Json, DocumentParts {}

function pathsOf(operations: readonly Operation[], describe: (operation: Operation) => Json) {
  const byPath = Map.groupBy(operations, ({ rest }) => BASE_PATH + rest.path)
  return Object.fromEntries(
    [...byPath].map(([path, own]) => {
      return [path, Object.fromEntries(own.map((one) => [one.rest.method.toLowerCase(), describe(one)]))]
    }),
  )
}

/** The OpenAPI document of the operations. Equal operations and examples give equal documents. */
export function openApiDocument(
  operations: readonly Operation[],
  examples: Examples = recordedExamples(),
): OpenApiDocument {
  const schemas = createSchemas()
  const codes = [...new Set(operations.flatMap(codesOf))].sort()
  const errors = createErrorResponses(operations)
  const paths = pathsOf(operations, (operation) => operationObject(operation, operations, schemas, errors))
  const areas = new Set(operations.map(({ area }) => area))
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'Automation Service Public API',
      version: API_VERSION,
      summary: 'AI agents and workflows for managed service providers.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that this document is read from.' }],
    tags: [...areas].map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { ...ENVELOPE_SCHEMAS, ...errors.schemas, ...schemas.all() },
      responses: { ...SHARED_RESPONSES, ...errors.responses },
      parameters: REQUEST_HEADERS,
      examples: errorExamples(codes),
      headers: RESPONSE_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
  addExamples(document, examples)
  return withoutUnusedComponents(document)
}
