/** Runs one operation of a document repeatedly: after a few runs graphql-jit compiles it. */
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { CompiledQuery } from 'graphql-jit'
import type { Context } from './context.ts'

/** Compiling takes as long as some requests do, and so does loading the compiler. */
const RUNS_BEFORE_COMPILING = 4

export type RunDocument = (ctx: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>

/** The compiled document; null if the compiler does not support it, so that it runs uncompiled. */
async function compiled(
  schema: GraphQLSchema,
  document: DocumentNode,
  name?: string,
): Promise<CompiledQuery | null> {
  const { compileQuery, isCompiledQuery } = await import('graphql-jit')
  try {
    const query = compileQuery(schema, document, name)
    return isCompiledQuery(query) ? query : null
  } catch {
    return null
  }
}

/** Runs the operation `name` of a valid document; from its fourth run on it is compiled. */
export function documentRunner(schema: GraphQLSchema, document: DocumentNode, name?: string): RunDocument {
  let runs = 0
  let compiling: Promise<CompiledQuery | null> | undefined
  let query: CompiledQuery | null = null
  return async (contextValue, variableValues) => {
    if (++runs >= RUNS_BEFORE_COMPILING) {
      compiling ??= compiled(schema, document, name)
      query ??= await compiling
    }
    if (query) return (await query.query(undefined, contextValue, variableValues)) as ExecutionResult
    return await execute({ schema, document, operationName: name ?? null, contextValue, variableValues })
  }
}
