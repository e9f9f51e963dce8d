/** The declaration of a table, and the functions that follow from it. */
import type { ObjectRef } from '@pothos/core'
import type { DatabaseContext } from '../../db/db.ts'
import type { RaisedEvent } from '../../db/live/raise.ts'
import type { Fragment, Parameters } from '../../db/query/fragment.ts'
import type { Condition } from '../../db/query/list.ts'
import type { ModelName } from '../../db/query/models.ts'
import type { Projection } from '../../db/query/projection.ts'
import type { ErrorCode, ErrorDetails, UnknownIdCode } from '../../errors/errors.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import type { SchemaTypes } from '../builder.ts'
import type { Resource } from '../changes/change.ts'
import type { Revisioned, RowsWrite } from '../changes/row-update.ts'
import type { filtersOf } from '../lists/column-filters.ts'
import type { WantedRow } from '../lists/data-loader.ts'
import type { FilterType, List, ListDeclaration } from '../lists/list.ts'
import type { NewRow } from './prisma-rows.ts'
import type { Versions, VersionsDeclaration } from './versions.ts'

export type Id = string | number

/** Values that one row has at the most, and what its refusal tells of the row that has them. */
export interface Unique<Row> {
  columns: readonly (keyof Row & string)[]
  /** The condition of Prisma on the rows among which they are unique: all rows if it is left out. */
  among?: object
  details?(row: Row): ErrorDetails
}

/** A computed column as a read by Prisma has it. */
interface ComputedByPrisma {
  /** The relations that it is made of. */
  include?: object
  /** Its value; the row has the columns of the model and these relations. */
  of(row: object, ctx: DatabaseContext): unknown
}

/** The query that Pothos makes of a field’s selection. */
export interface Query {
  include?: object
}

export interface Declaration<Row, State extends string, Constant, Unread> {
  /** The alias of its rows in SQL. */
  alias: string
  /** The type of an activity's target, and the first half of its action: `memory` in `memory.pinned`. */
  noun: string
  /** The GraphQL type of its rows. Areas have types of their own for JSON. */
  type: ObjectRef<SchemaTypes, unknown>
  /** The argument that names a row, and its description. */
  argument: string
  description: string
  not_found: UnknownIdCode
  /** The prefix of ids that the service makes: `mem` in `mem_7`. */
  prefix?: string
  /** The name of a row in activities: its `name` if it is left out. */
  title?(row: Row): string
  /** The revision alone if it is left out. */
  etag?(row: Row, ctx: Context): string
  /** SQL that holds for every row that is there for anybody. */
  where?: string
  /** The condition that the caller sees a row; null: every row. */
  visible?(ctx: Context): Condition | null
  /** The condition of Prisma on the rows that the caller sees, as `visible` has it. Without it `visible` is asked too. */
  seen?(ctx: Context): object
  /** The values of parameters that SQL of the table names. */
  parameters?: Readonly<Record<string, (ctx: Context) => unknown>>
  state?: NonNullable<Resource<Row & Revisioned, never, State>['state']>
  /** Unique values, by the code that refuses a second row with them. */
  unique?: { readonly [Code in ErrorCode]?: Unique<Row> }
  /** Columns that no change touches. */
  constant?: readonly Constant[]
  /** SQL of columns that the model does not have. */
  computed?: Readonly<Record<string, string>>
  /** The computed columns as Prisma reads them. A table with a computed column that is not here is read by SQL. */
  computed_by_prisma?: Readonly<Record<string, ComputedByPrisma>>
  /** Columns that are never read: hashes of secrets. */
  unread?: readonly Unread[]
  /** Columns that the entity tag is made of beside the revision, if a read selects columns. */
  tagged?: readonly (keyof Row & string)[]
  /** The versions that keep the content of its rows. */
  versions?: VersionsDeclaration<Row>
  /** Changes of the environment's rows wait for each other. */
  serialised?: true
  /** The row as activities have it: as it is, if it is left out. */
  recorded?(row: Row): object
  /** The events that an activity raises, by its past verb and the row; `before` is null for a new row. */
  events?(verb: string, row: Row, before: Row | null): readonly RaisedEvent[]
  /** Another write of changes than an update by Prisma. */
  write?: RowsWrite<Row, string>
}

export interface Removal<Row> {
  /** Throws the refusal of a deletion that is not possible. */
  check?(row: Row): void
  /** Effects on other rows. */
  beforeDelete?(row: Row): Promise<void>
}

type OwnList<Types extends Record<string, FilterType>> = Omit<
  ListDeclaration<Types>,
  'from' | 'columns' | 'visible' | 'order'
> &
  Partial<Pick<ListDeclaration<Types>, 'order' | 'visible' | 'columns'>>

export interface Table<
  Name extends ModelName,
  Row extends Revisioned,
  Written extends keyof Row & string,
  State extends string,
> extends Resource<Row, Written, State> {
  type: ObjectRef<SchemaTypes, Row>
  not_found: UnknownIdCode
  /** The argument that names a row, and its options. */
  argument: string
  key: {
    type: Row extends { id: number } ? 'Int' : 'ID'
    required: true
    description: string
    unknown?: ErrorCode
  }
  /** Its rows in SQL. */
  from: string
  columns: Projection
  /** The ways to filter its rows by columns. */
  by: ReturnType<typeof filtersOf<Name>>
  /** The versions of its rows; undefined if it has none. */
  versions?: Versions<Row>
  /** The codes that refuse a row with unique values that another row has. */
  taken: readonly ErrorCode[]
  /** Prisma reads a row whole, and each computed column. */
  by_prisma: boolean
  /** The row by Prisma, with the computed columns that are wanted, or 404; `query` is of the field that answers with it. */
  read(ctx: Context, id: Id, query?: Query, wanted?: ReadonlySet<string>): Promise<Row>
  /** The row as it is stored, seen or not; null if there is none. */
  find(ctx: DatabaseContext, id: Id): Promise<Row | null>
  /** The row with the columns that are wanted, computed ones too, or 404. */
  select(ctx: Context, id: Id, wanted: ReadonlySet<string>): Promise<Row>
  /** The row that another row names, seen or not; null if there is none. */
  load(ctx: Context, wanted: WantedRow<Id>): Promise<Row | null>
  /** The row, or 404, locked until the transaction ends. */
  lock(ctx: Context, id: Id): Promise<Row>
  /** The row, seen or not, locked until the transaction ends; undefined if there is none. */
  lockIfThere(ctx: MutationContext, id: Id): Promise<Row | undefined>
  /** The rows that meet the condition, seen or not, in the order of their keys, locked until the transaction ends. */
  lockAll(ctx: MutationContext, condition: Fragment, parameters?: Parameters): Promise<Row[]>
  /** Waits for the other changes of the environment's rows. */
  serialise(ctx: MutationContext): Promise<void>
  list<Types extends Record<string, FilterType>>(declaration: OwnList<Types>): List<Row, Types>
  /** Inserts a row as a part of another change, which records the activity. */
  insert(ctx: MutationContext, values: NewRow<Name>): Promise<Row>
  /** Inserts a row: the last write of its mutation. `query` is of the field that answers with it. */
  create(ctx: MutationContext, values: NewRow<Name>, action?: string | undefined, query?: Query): Promise<Row>
  /** Deletes a row, the last write of its mutation, and answers with it as it was. */
  remove(ctx: Context, id: Id, removal?: Removal<Row>): Promise<Row>
}
