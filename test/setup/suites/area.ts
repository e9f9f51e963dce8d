/** What the generated suites ask of an area: `SUITES` in its `test/areas/<area>/suites.ts`. */
import type { Arguments } from '../api.ts'
import type { Caller, Msp } from '../world.ts'
import type { Calls } from './calls.ts'
import type { Ids, Own } from './own.ts'
import type { ListSampler } from './sampler.ts'
import type { SentBack } from './sent-back.ts'
import type { SkewedRows } from './skewed.ts'

export interface AreaSuites {
  /**
   * Who may call each operation and subscription: what decisions and contract ask of its callers, and nothing that is
   * taken from the code that judges them.
   */
  who_may: Readonly<Record<string, WhoMay>>
  /** A call of every operation on the demo. Its answer is the operation's example in OpenAPI. */
  examples: {
    /** Of every query. A call by an id of an earlier answer takes it `from(…)` there, and is made after it. */
    reads: Calls
    /** Of every mutation, in an order in which each finds what it changes. All reads come before. */
    writes?: Calls
    /** Of mutations whose body is one of several kinds, by operation and kind. They come before the writes. */
    kinds?: Readonly<Record<string, Calls>>
  }
  /**
   * Adds one row of everything that the area's operations answer from, with the mark in every text, and tells its ids by
   * the arguments that take them. `await own.of('agents')` adds what it refers to.
   */
  own_rows?(msp: Msp, own: Own): Promise<Ids>
  /** The field by which an answer of an operation shows whose rows it has, unless that is the mark in a text. */
  shown_by?: Readonly<Record<string, ShownBy>>
  /** Arguments without which an answer does not show whose rows it has. */
  shown_with?: Readonly<Record<string, Arguments>>
  /** Changes what the area's subscriptions tell of, in every environment of the tenant. */
  change_followed?(msp: Msp): Promise<unknown>
  /**
   * Makes the events of the area happen, by type: through its operations and its jobs, as they happen in the service. The
   * tenant has its own users, and nothing else.
   */
  events?: Readonly<Record<string, (scene: EventScene) => Promise<unknown>>>
  /** Relations, such as `Agent.executions`, of what only a mutation answers with, or of the caller's one tenant. */
  not_walked?: readonly string[]
  /** Rows of every list, with its filters and orders as functions of a row. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of all types
  lists?: Readonly<Record<string, ListSampler<any>>>
  /** The lists in rows of another one, by the name of their type and field. */
  nested_lists?: Readonly<Record<string, NestedList>>
  /** The rows of each table of the area's lists that grow. */
  skewed_rows?: Readonly<Record<string, SkewedRows>>
  /** What the API-request channel does with each mutation. Whatever could switch its approvals off waits for one. */
  channel_writes?: Readonly<Record<string, ChannelWrite>>
  /** The queries to fetch again after a mutation: of the dashboard's lists, those that show a row come, gone or moved. */
  fetched_again?: Readonly<Record<string, readonly string[]>>
  /** Mutations that change nothing. */
  unrecorded?: readonly string[]
  /** Queries whose answers are about the caller, or figures whose window ends now. */
  varying?: readonly string[]
  /** Bodies of PUT and PATCH that are written before what GET answers is sent back; without, it is sent as it is stored. */
  sent_back?: Readonly<Record<string, SentBack>>
  /** The area's error codes by the one status that callers know each by. Neither ever changes. */
  error_codes?: Readonly<Record<number, string>>
  /** The tables of other areas, which export no view of them, that SQL of the area names, and why. */
  foreign_tables?: Readonly<Record<string, string>>
  /** The statements that read one row by its key, and why Prisma does not. */
  single_rows?: Readonly<Record<string, string>>
}

/** A tenant in which an event shall happen. */
export interface EventScene {
  msp: Msp
  /** Calls the operation, as the administrator unless somebody else is named; it succeeds. Resolves to its data. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any operation
  call(operation: string, args?: Arguments, caller?: Caller): Promise<any>
}

/** A scope; `admins` and a scope; `people`, not keys by themselves, and a scope; or who else may call. */
export type WhoMay =
  | 'anyone'
  | 'any caller'
  | 'dashboard admins'
  | 'end users'
  | 'holders of a link'
  | { scope: string; and?: string; admins?: true; people?: true }

/** `nothing`: the operation says nothing of any tenant's rows. */
type ShownBy = 'number' | 'nothing'

/** A list in the rows of another one. */
export interface NestedList {
  /** The list whose sampler has the rows. */
  list: string
  /** The column of a row that names its parent. */
  parent: string
  /** Two parents: the value of that column, and the field that reads the parent. */
  parents: readonly (readonly [unknown, string])[]
}

export type ChannelWrite = 'runs at once' | 'is refused' | WaitingWrite

export interface WaitingWrite {
  waits: 'for an approval' | 'unless the group TECHNICIANS requires none'
  /** A call that nothing else would refuse. */
  call(desk: Desk): Arguments
  /** The code by which a key without an acting user is refused, instead of an approval that it waits for. */
  by_key?: 'acting_user_required' | 'dashboard_jwt_required'
}

/** A tenant with what calls that wait change. */
export interface Desk {
  msp: Msp
  profile_id: number
  schedule_id: number
  unused_schedule_id: number
}
