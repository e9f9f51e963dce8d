/** The catalogue of tools, as callers see it. */
import { anyCaller } from '../../access/policies/policies.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { builder } from '../../schema/builder.ts'
import { entityId } from '../../schema/scalars/entity-id.ts'
import { isAvailable } from '../../tools/executors/without-system.ts'
import { isSupported } from '../../tools/needed-calls.ts'
import { TOOLS } from '../../tools/registry.ts'
import type { Tool as ToolDefinition } from '../../tools/tool.ts'
import { ToolAccess } from '../audit-log/index.ts'
import { CompanyLinkSystem, REGISTRY } from '../integrations/index.ts'
import { PermissionGroupName } from '../tenant/index.ts'
import { area } from './area.ts'
import { grantedWith, listedTools } from './rules.ts'

const ToolGrant = builder.enumType('ToolGrant', {
  description: 'The config object of an agent that grants a tool.',
  values: {
    toolbox: { description: 'It is named in `toolbox.tools`.' },
    integrations: { description: 'Its permission group is granted in `integrations.grants`.' },
  },
})

const ToolAnnotations = builder.objectRef<ToolDefinition['annotations']>('ToolAnnotations').implement({
  description: 'Hints about a tool, in the words of the Model Context Protocol.',
  fields: (t) => ({
    read_only: t.exposeBoolean('read_only', { description: 'True if it changes nothing.' }),
    destructive: t.exposeBoolean('destructive', { description: 'True if it may overwrite or delete.' }),
    idempotent: t.exposeBoolean('idempotent', {
      description: 'True if the same call twice has the effect of one.',
    }),
    open_world: t.exposeBoolean('open_world', { description: 'True if it reaches other systems.' }),
  }),
})

/** A tool, as the caller's tenant has it. */
type ListedTool = ToolDefinition & { available: boolean }

const Tool = builder.objectRef<ListedTool>('Tool').implement({
  description: 'One thing that agents can do.',
  fields: (t) => ({
    id: t.id(entityId(({ name }) => name)),
    name: t.exposeString('name', { description: 'The name, as `toolbox.tools` has it.' }),
    title: t.exposeString('title', { description: 'The name, as people read it.' }),
    description: t.exposeString('description', { description: 'The effect of a call.' }),
    system: t.expose('system', {
      type: CompanyLinkSystem,
      nullable: true,
      description: 'The one system that it works in. null: every connected system of its kind, or none.',
    }),
    permission_group: t.expose('permission_group', {
      type: PermissionGroupName,
      nullable: true,
      description: 'The permission group that grants it.',
    }),
    access: t.expose('access', { type: ToolAccess, description: 'READ: it changes nothing.' }),
    requires_approval: t.exposeBoolean('requires_approval', {
      description:
        'True if a technician approves each call, unless the tenant switches that off for its permission group. Nothing ' +
        'switches it off for `technician.delete`.',
    }),
    grant_with: t.field({
      type: ToolGrant,
      nullable: true,
      description: 'The config object that grants it. null: the service adds it by a rule of its own.',
      resolve: grantedWith,
    }),
    available: t.exposeBoolean('available', {
      description:
        'False: no adapter of the service makes its calls, and each ends with `tool_not_available`; or the system that the ' +
        'tenant has connected cannot do them, and each ends with `not_supported`. True: its calls are made if a system that ' +
        'it works in is connected.',
    }),
    input_schema: t.expose('input_schema', {
      type: 'JSON',
      description: 'The JSON Schema of its arguments.',
    }),
    output_schema: t.expose('output_schema', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema of its result. null: it returns none.',
    }),
    annotations: t.expose('annotations', { type: ToolAnnotations, description: 'Hints about it.' }),
  }),
})

area.query('tool_schemas', (t) =>
  t.field({
    type: [Tool],
    max_items: 250,
    description:
      'Lists the tools that agents can be given, by name. Tools that reach an agent only at run time are not ' +
      'listed.',
    rest: { method: 'GET', path: '/schemas/tools' },
    access: anyCaller,
    cacheable: true,
    args: {
      access: t.arg({ type: ToolAccess, description: 'Only tools with this access.' }),
      system: t.arg({
        type: CompanyLinkSystem,
        description: 'Only tools that work in this system, those for every system of its kind included.',
      }),
      permission_group: t.arg({
        type: PermissionGroupName,
        description: 'Only tools of this permission group.',
      }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only tools with this in their name, title or description, in any letter case.',
      }),
    },
    resolve: async (_root, { system, ...filters }, ctx) => {
      const category = REGISTRY.find((integration) => integration.system === system)?.category
      const listed = listedTools(TOOLS, {
        ...filters,
        ...(system && category && { in: { system, category } }),
      })
      const unsupported = await ctx.services.connectors.unsupportedCalls(ctx)
      return listed.map((tool) => ({
        ...tool,
        available: isAvailable(tool) && isSupported(tool, unsupported),
      }))
    },
  }),
)
