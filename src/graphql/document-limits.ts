/** Limits of documents: length, number of tokens, introspection. */
import {
  type DocumentNode,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  type ParseOptions,
  parse,
  type Source,
  type ValidationRule,
} from 'graphql'
import { ApiError } from '../errors/errors.ts'
import type { ServerContext, YogaPlugin } from './server-context.ts'

const MAX_TOKENS = 1500
const MAX_TEXT = 20_000

/** Parses the document. Only the message tells the parser's token limit from other errors. */
function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: MAX_TOKENS })
  } catch (error) {
    if (!(error instanceof GraphQLError) || !/ tokens\. Parsing aborted/.test(error.message)) throw error
    throw new ApiError('query_too_complex', {
      message: `The document has more than ${MAX_TOKENS} tokens.`,
      details: { limit: 'tokens', max_tokens: MAX_TOKENS },
    })
  }
}

/** Refuses documents that GraphQL's validation accepts although their execution would fail. */
const Executable: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation)) return
    context.reportError(new GraphQLError(`There is no ${node.operation} here.`, { nodes: node }))
  },
  VariableDefinition({ variable }) {
    // Variables are kept in plain objects, in which this name is no property.
    if (variable.name.value !== '__proto__') return
    context.reportError(new GraphQLError('No variable can have this name.', { nodes: variable }))
  },
})

/** The error without the names of the schema that it suggests. */
const withoutSuggestion = ({ message, nodes = [] }: GraphQLError): GraphQLError =>
  new GraphQLError(message.split(' Did you mean ', 1).join(), { nodes })

/** The limits as a plugin: whole documents, size of the text, number of tokens, no introspection without a credential. */
export const documentLimits = (open_introspection: boolean): YogaPlugin => ({
  onParams({ params, setParams }) {
    const { query, operationName, extensions } = params
    if (query == null && extensions?.persistedQuery !== undefined)
      throw new ApiError('PERSISTED_QUERY_NOT_SUPPORTED')
    // Clients send an empty name for a document with one operation.
    if (operationName === '') setParams({ ...params, operationName: undefined } as never)
    if (typeof params.query === 'string' && params.query.length > MAX_TEXT) {
      throw new ApiError('query_too_complex', {
        message: `The document has ${params.query.length} characters; the most is ${MAX_TEXT}.`,
        details: { limit: 'text', max_text: MAX_TEXT },
      })
    }
  },
  onParse({ setParseFn }) {
    setParseFn(parseBounded)
  },
  onValidate({ addValidationRule, context }) {
    const { call } = context as unknown as ServerContext
    addValidationRule(Executable)
    if (open_introspection || call.viewer) return
    addValidationRule(NoSchemaIntrospectionCustomRule)
    return ({ valid, result, setResult }) => {
      if (!valid) setResult((result as GraphQLError[]).map(withoutSuggestion))
    }
  },
})
