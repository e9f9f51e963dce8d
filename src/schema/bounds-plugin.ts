/** The Pothos plugin of bounds: descriptions end with them, texts with bounds are trimmed, no list is longer than its own. */
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
import { withinMaxItems } from './list-size.ts'

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object, unknown>

export class BoundsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const bounds = boundsInWords(config.pothosOptions)
    if (bounds === '') return config
    return { ...config, description: config.description ? `${config.description} ${bounds}` : bounds }
  }

  override wrapResolve(resolve: Resolver<Types>, config: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const { max_items } = config.pothosOptions
    const trimming = this.#withTrimmedTexts(resolve, config)
    if (max_items === undefined) return trimming
    return (root, values, ctx, info) => {
      const items = trimming(root, values, ctx, info)
      return items instanceof Promise
        ? items.then((list) => withinMaxItems(list, max_items))
        : withinMaxItems(items, max_items)
    }
  }

  /** Cuts off the white space around texts with bounds, those of nested input included. */
  #withTrimmedTexts(resolve: Resolver<Types>, { args }: PothosOutputFieldConfig<Types>): Resolver<Types> {
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
