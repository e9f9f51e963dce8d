/** Reads what updates show: once for all subscribers who may see the same and select the same, at a price. */
import { randomUUID } from 'node:crypto'
import { type ExecutionArgs, type ExecutionResult, execute, Kind, visit } from 'graphql'
import { headerOf } from '../access/credentials/credential.ts'
import type { Viewer } from '../access/viewer.ts'
import { ApiError } from '../errors/errors.ts'
import { authenticateAgain, type Gateway } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { charge } from '../gateway/rate-limits.ts'
import { createFairSemaphore } from '../lib/fair-semaphore.ts'
import { sharedWork } from '../lib/shared-work.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import type { Update } from '../schema/live/live.ts'
import type { PreparedOperation } from './prepare.ts'
import { variablesOf } from './variables.ts'

/** The time for which subscribers share what one of them has read. */
const SHARED_MS = 1_000
/** The updates that are read at the same time; tenants take turns. */
const AT_ONCE = 8

/** Stands for the id of the update in what subscribers share: each goes on from a position of its own. */
const ID = randomUUID()

/** One subscriber, and what its stream is executed with. */
interface Subscriber {
  call: Call
  prepared: PreparedOperation
  args: ExecutionArgs
}

/** What an update shows. */
export interface ReadUpdate {
  result: ExecutionResult
  context: Context
  /** The data as JSON, with the subscriber's own id. */
  dataFor(id: string): string
}

/** The variables of the document outside the arguments of its root field, which choose updates and show nothing. */
function shownVariables({ document, operation }: PreparedOperation): string[] {
  const { selections } = operation.selectionSet
  const shown = {
    ...operation,
    variableDefinitions: [],
    selectionSet: {
      ...operation.selectionSet,
      selections: selections.map((node) => (node.kind === Kind.FIELD ? { ...node, arguments: [] } : node)),
    },
  }
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const names = new Set<string>()
  for (const node of [shown, ...fragments])
    visit(node, { Variable: ({ name }) => void names.add(name.value) })
  return [...names].sort()
}

/** Everything of a viewer that decides what the service shows; two with the same are shown the same. */
export const sightOf = ({ kind, tenant_id, environment, person, acting_user, channel, scopes }: Viewer) =>
  JSON.stringify([
    kind.type,
    tenant_id,
    environment,
    person?.id,
    person?.role,
    acting_user?.id,
    channel,
    ...[...scopes].sort(),
  ])

export function createUpdateReader(gateway: Gateway) {
  const { services } = gateway
  const viewers = sharedWork<Viewer | null>(SHARED_MS)
  const updates = sharedWork<ReadUpdate>(SHARED_MS)
  const documents = new WeakMap<PreparedOperation, { id: string; variables: string[] }>()
  const turns = createFairSemaphore(AT_ONCE)

  function documentOf(prepared: PreparedOperation) {
    const document = documents.get(prepared) ?? { id: randomUUID(), variables: shownVariables(prepared) }
    documents.set(prepared, document)
    return document
  }

  async function execution(
    { prepared, args }: Subscriber,
    viewer: Viewer,
    update: Update,
  ): Promise<ReadUpdate> {
    const context: Context = {
      ...(args.contextValue as Context),
      viewer,
      reads: null,
      now: services.now(),
      warnings: [],
      etags: new Map(),
      db_time: new Stopwatch(),
      upstream_time: new Stopwatch(),
    }
    const executing = execute({ ...args, rootValue: { ...update, id: ID }, contextValue: context })
    const result = await withDeadline(prepared.timeout_ms, Promise.resolve(executing))
    const data = JSON.stringify(result.data)
    return { result, context, dataFor: (id) => data.replaceAll(ID, id) }
  }

  return {
    /** The viewer that the credential has, as it was at `not_before` or later; throws if it is no longer good. */
    viewerAt(call: Call, { kind, tenant_id, environment, id }: Viewer, not_before: number) {
      const { request, ip } = call
      const authorization = headerOf(request, 'authorization')
      const presented = [authorization, headerOf(request, 'x-acting-user'), ip]
      const name = JSON.stringify([kind.type, tenant_id, environment, id, ...presented])
      // A credential without a bearer token may be anywhere in its request.
      return authorization === undefined
        ? authenticateAgain(gateway, call)
        : viewers.run(name, not_before, () => authenticateAgain(gateway, call))
    },

    /**
     * Reads what updates show the subscriber. The subscriber for whom one is read pays the price of the document, and those
     * who share it one point each; 429 beyond their budget.
     */
    readerFor(subscriber: Subscriber): (viewer: Viewer, update: Update) => Promise<ReadUpdate> {
      const { call, prepared, args } = subscriber
      const given = variablesOf(prepared.operation, args.variableValues ?? {})
      const { cost } = prepared.sizeOf(given)
      const { id, variables } = documentOf(prepared)
      const selection = [id, variables.map((name) => given[name])]
      const pay = (viewer: Viewer, points: number) => {
        const demand = { calls: 0, writes: 0, points, operations: [] }
        return charge(services, call.rates, viewer, demand, prepared.timeout_ms)
      }
      return async (viewer, update) => {
        const name = JSON.stringify([selection, update.event_id, sightOf(viewer)])
        for (;;) {
          let is_own = false
          const reading = updates.run(name, update.read_at, async () => {
            is_own = true
            await pay(viewer, cost)
            return await turns.run(viewer.tenant_id, () => execution(subscriber, viewer, update))
          })
          if (is_own) return await reading
          const shared = await reading.catch((error: unknown) => {
            // The budget of the caller for whom it was to be read is used up.
            if (error instanceof ApiError && error.code === 'rate_limited') return null
            throw error
          })
          if (!shared) continue
          await pay(viewer, 1)
          return shared
        }
      }
    },
  }
}
