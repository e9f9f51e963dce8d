/** The size of a GraphQL operation, and its limits. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { ApiError } from '../errors/errors.ts'
import { hasPages, ITEMS_PER_POINT, maxItemsOf } from '../schema/bounds/list-size.ts'
import { fragmentsOf, INTROSPECTION, introspections, rootFields } from '../schema/document-fields.ts'

const QUERY_LIMITS = {
  depth: 12,
  root_fields: 10,
  aliases: 15,
  directives: 20,
  introspections: 2,
  cost: 5000,
} as const

/** Points for reading the schema once. */
const INTROSPECTION_COST = 500

export type QuerySize = Record<keyof typeof QUERY_LIMITS, number>

interface Extent {
  depth: number
  cost: number
}

const DEFAULT_ROWS = 50
const MOST_ROWS = 200

type Field = GraphQLField<unknown, unknown>

/** The rows of a page: its `page_size`. */
function pageRows(field: Field, node: FieldNode, variables: Record<string, unknown>): number {
  try {
    const rows = Number(getArgumentValues(field, node, variables).page_size ?? DEFAULT_ROWS)
    // A value that does not fit is refused by name later.
    return isRows(rows) ? rows : DEFAULT_ROWS
  } catch {
    return DEFAULT_ROWS
  }
}

/**
 * The points of a field whose items cost `inner` each. Rows of a page cost a point each, which their own fields have. The
 * items of another list are as many as it may have, of which fifty cost a point, as over REST.
 */
function costOf(field: Field, node: FieldNode, variables: Record<string, unknown>, inner: number): number {
  if (hasPages(field)) return 1 + pageRows(field, node, variables) * inner
  const items = maxItemsOf(field)
  return items === null ? 1 + inner : Math.ceil(items / ITEMS_PER_POINT) + items * inner
}

function extentOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Extent {
  const fragments = fragmentsOf(document)
  const extents = new Map<string, Extent>()

  function ofFragment(name: string): Extent {
    const fragment = fragments.get(name)
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    if (!fragment || !type) return { depth: 0, cost: 0 }
    const extent = extents.get(name) ?? ofSelections(type as GraphQLNamedOutputType, fragment.selectionSet)
    extents.set(name, extent)
    return extent
  }

  function ofField(parent: GraphQLNamedOutputType, node: FieldNode): Extent {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field || INTROSPECTION.has(node.name.value)) return { depth: 0, cost: 0 }
    const type = getNamedType(field.type)
    if (!node.selectionSet || !isCompositeType(type)) return { depth: 1, cost: 0 }
    const inner = ofSelections(type, node.selectionSet)
    return { depth: 1 + inner.depth, cost: costOf(field, node, variables, inner.cost) }
  }

  function ofSelection(parent: GraphQLNamedOutputType, selection: SelectionNode): Extent {
    if (selection.kind === Kind.FIELD) return ofField(parent, selection)
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value)
    const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value)
    return ofSelections((condition ?? parent) as GraphQLNamedOutputType, selection.selectionSet)
  }

  function ofSelections(parent: GraphQLNamedOutputType, { selections }: SelectionSetNode): Extent {
    const extents = selections.map((selection) => ofSelection(parent, selection))
    return {
      depth: Math.max(0, ...extents.map(({ depth }) => depth)),
      cost: extents.reduce((sum, { cost }) => sum + cost, 0),
    }
  }

  const root = schema.getRootType(operation.operation)
  return root ? ofSelections(root, operation.selectionSet) : { depth: 0, cost: 0 }
}

/** The aliases that the operation has once its fragments are spread, those on the schema itself included. */
function aliasesOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = fragmentsOf(document)
  const counts = new Map<string, number>()

  function inFragment(name: string): number {
    const fragment = fragments.get(name)
    const count = counts.get(name) ?? (fragment ? inSelections(fragment.selectionSet) : 0)
    counts.set(name, count)
    return count
  }

  function inSelections({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + inFragment(selection.name.value)
      const own = selection.kind === Kind.FIELD && selection.alias ? 1 : 0
      return sum + own + (selection.selectionSet ? inSelections(selection.selectionSet) : 0)
    }, 0)
  }

  return inSelections(operation.selectionSet)
}

/** The variables that are page sizes in the document. */
function rowVariables(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    Argument({ name, value }) {
      if (name.value === 'page_size' && value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}

const isRows = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_ROWS

const MAX_SIZES = 100

/**
 * Calculates everything that is limited, of one operation. A read of the schema has a price of its own, and no depth:
 * the standard introspection query is 15 deep. Only page sizes differ from request to request, so sizes are kept by them.
 */
export function sizeCalculator(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Record<string, unknown>) => QuerySize {
  let directives = 0
  visit(document, {
    Directive() {
      directives++
    },
  })
  const aliases = aliasesOf(document, operation)
  const root_fields = rootFields(document, operation).length
  const schema_reads = introspections(document, operation).length
  const names = rowVariables(document)
  const kept = new Map<string, QuerySize>()
  return (variables) => {
    const page_sizes = names.map((name) => (isRows(variables[name]) ? variables[name] : null)).join()
    let size = kept.get(page_sizes)
    if (!size) {
      if (kept.size === MAX_SIZES) kept.clear()
      const { depth, cost } = extentOf(schema, document, operation, variables)
      size = {
        depth,
        root_fields,
        aliases,
        directives,
        introspections: schema_reads,
        cost: cost + schema_reads * INTROSPECTION_COST,
      }
      kept.set(page_sizes, size)
    }
    return size
  }
}

/** 400 for an operation that is over a limit; the error names the limit. */
export function checkSize(size: QuerySize): void {
  for (const [name, max] of Object.entries(QUERY_LIMITS) as [keyof QuerySize, number][]) {
    if (size[name] <= max) continue
    throw new ApiError('query_too_complex', {
      message: `The operation has ${name} ${size[name]}; the most is ${max}.`,
      details: { limit: name, [name]: size[name], [`max_${name}`]: max },
    })
  }
}
