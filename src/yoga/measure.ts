/** How much a GraphQL operation asks for. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
import { ApiError } from '../errors.ts'

const QUERY_LIMITS = {
  depth: 12,
  root_fields: 10,
  aliases: 15,
  directives: 20,
  cost: 5000,
} as const

export const MAX_TOKENS = 1500
export const MAX_TEXT = 20_000

export type Measures = Record<keyof typeof QUERY_LIMITS, number>

interface Extent {
  depth: number
  cost: number
}

const INTROSPECTION = new Set(['__schema', '__type', '__typename'])
const DEFAULT_ROWS = 50
const MOST_ROWS = 200

/** The rows that a list field may give: its `page_size`; 1 for anything that is no page. */
function rowsOf(parent: GraphQLNamedOutputType, node: FieldNode, variables: Record<string, unknown>): number {
  const field =
    isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
  if (!field?.args.some(({ name }) => name === 'page_size')) return 1
  try {
    const rows = Number(getArgumentValues(field, node, variables).page_size ?? DEFAULT_ROWS)
    // A value that does not fit is refused by name later.
    return Number.isInteger(rows) && rows >= 1 && rows <= MOST_ROWS ? rows : DEFAULT_ROWS
  } catch {
    return DEFAULT_ROWS
  }
}

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** The root fields that the operation selects, fragments included; introspection is not among them. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document)
  const seen = new Set<string>()
  const fieldsIn = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return INTROSPECTION.has(selection.name.value) ? [] : [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet)
      const name = selection.name.value
      const fragment = fragments.get(name)
      if (!fragment || seen.has(name)) return []
      seen.add(name)
      return fieldsIn(fragment.selectionSet)
    })
  return fieldsIn(operation.selectionSet)
}

function extentOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Extent {
  const fragments = fragmentsOf(document)
  const known = new Map<string, Extent>()

  function ofFragment(name: string): Extent {
    const fragment = fragments.get(name)
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    if (!fragment || !type) return { depth: 0, cost: 0 }
    const extent = known.get(name) ?? ofSelections(type as GraphQLNamedOutputType, fragment.selectionSet)
    known.set(name, extent)
    return extent
  }

  function ofField(parent: GraphQLNamedOutputType, node: FieldNode): Extent {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field || INTROSPECTION.has(node.name.value)) return { depth: 0, cost: 0 }
    const type = getNamedType(field.type)
    if (!node.selectionSet || !isCompositeType(type)) return { depth: 1, cost: 0 }
    const inner = ofSelections(type, node.selectionSet)
    return { depth: 1 + inner.depth, cost: 1 + rowsOf(parent, node, variables) * inner.cost }
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
  const known = new Map<string, number>()

  function inFragment(name: string): number {
    const fragment = fragments.get(name)
    const count = known.get(name) ?? (fragment ? inSelections(fragment.selectionSet) : 0)
    known.set(name, count)
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

/** Everything that is limited, of one operation. Reading the schema counts for its aliases and directives only. */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Measures {
  let directives = 0
  visit(document, {
    Directive() {
      directives++
    },
  })
  const extent = extentOf(schema, document, operation, variables)
  const aliases = aliasesOf(document, operation)
  return { ...extent, aliases, directives, root_fields: rootFields(document, operation).length }
}

/** Refuses what is over a limit, and names the limit. */
export function refuseExcess(measures: Measures): void {
  for (const [name, max] of Object.entries(QUERY_LIMITS) as [keyof Measures, number][]) {
    if (measures[name] <= max) continue
    throw new ApiError('query_too_complex', {
      message: `The operation has ${name} ${measures[name]}; the most is ${max}.`,
      details: { limit: name, [name]: measures[name], [`max_${name}`]: max },
    })
  }
}
