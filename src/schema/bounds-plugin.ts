/** The Pothos plugin of bounds: descriptions end with them, and texts with bounds are trimmed. */
import {
  BasePlugin,
  createInputValueMapper,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { boundsInWords, isTrimmed } from './bounds.ts'

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object, unknown>

export class BoundsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const bounds = boundsInWords(config.pothosOptions)
    if (bounds === '') return config
    return { ...config, description: config.description ? `${config.description} ${bounds}` : bounds }
  }

  /** Cuts off the white space around texts with bounds, those of nested input included. */
  override wrapResolve(resolve: Resolver<Types>, { args }: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const texts = mapInputFields(
      args,
      this.buildCache,
      ({ pothosOptions }) => isTrimmed(pothosOptions) || null,
    )
    if (!texts) return resolve
    const trimmed = createInputValueMapper(texts, (value) =>
      typeof value === 'string' ? value.trim() : value,
    )
    return (root, values, ctx, info) => resolve(root, trimmed(values), ctx, info)
  }
}

export const BOUNDS_PLUGIN = 'bounds'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      bounds: BoundsPlugin<Types>
    }
  }
}
