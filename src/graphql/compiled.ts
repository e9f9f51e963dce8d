/** Runs one operation of a document again and again: compiled, once it is known to be worth it. */
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { CompiledQuery } from 'graphql-jit'
import type { Context } from './context.ts'

/** Compiling takes as long as some requests do, and so does loading the compiler. */
const WORTH_COMPILING = 4

export type RunDocument = (ctx: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>

async function compiled(
  schema: GraphQLSchema,
  document: DocumentNode,
  name?: string,
): Promise<CompiledQuery> {
  const { compileQuery, isCompiledQuery } = await import('graphql-jit')
  const query = compileQuery(schema, document, name)
  if (!isCompiledQuery(query)) throw new Error('A valid document does not compile', { cause: query })
  return query
}

/** How to run the operation `name` of a valid document. */
export function runsOf(schema: GraphQLSchema, document: DocumentNode, name?: string): RunDocument {
  let runs = 0
  let compiling: Promise<CompiledQuery> | undefined
  let query: CompiledQuery | undefined
  return async (contextValue, variableValues) => {
    if (++runs < WORTH_COMPILING) {
      return await execute({ schema, document, operationName: name ?? null, contextValue, variableValues })
    }
    compiling ??= compiled(schema, document, name)
    query ??= await compiling
    return (await query.query(undefined, contextValue, variableValues)) as ExecutionResult
  }
}
