/** Fields that are made of columns with other names: the columns are declared where they are read. */
import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../gateway/context.ts'

/**
 * Makes the options of a field of a row: statements select these columns if the field is asked for, and its resolver
 * sees no others.
 */
export const madeOf =
  <Row>() =>
  <const Name extends keyof Row & string, Result>(
    columns: readonly Name[],
    resolve: (row: Pick<Row, Name>, args: object, ctx: Context, info: GraphQLResolveInfo) => Result,
  ) => ({ columns, resolve })
