/**
 * The Pothos plugin of bounds: descriptions end with them, texts with bounds are trimmed, an id that cannot be stored is
 * that of nothing, no list is longer than its own.
 */
import {
  BasePlugin,
  createInputValueMapper,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { idOrNone } from '../../lib/ids.ts'
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
    const taking = this.#withTexts(resolve, config)
    if (max_items === undefined) return taking
    return (root, values, ctx, info) => {
      const items = taking(root, values, ctx, info)
      return items instanceof Promise
        ? items.then((list) => withinMaxItems(list, max_items))
        : withinMaxItems(items, max_items)
    }
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscribe && this.#withTexts(subscribe, config)
  }

  /** Cuts off the white space around texts with bounds, and replaces unstorable ids, those of nested input included. */
  #withTexts(resolve: Resolver<Types>, { args }: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const texts = mapInputFields(args, this.buildCache, ({ pothosOptions, type }) => {
      const is_id = type.kind === 'Scalar' && this.builder.configStore.getTypeConfig(type.ref).name === 'ID'
      const is_trimmed = isTrimmed(pothosOptions)
      return is_id || is_trimmed ? { is_id, is_trimmed } : null
    })
    if (!texts) return resolve
    const taken = createInputValueMapper(texts, (value, { value: kinds }) => {
      if (typeof value !== 'string') return value
      const text = kinds?.is_trimmed ? value.trim() : value
      return kinds?.is_id ? idOrNone(text) : text
    })
    return (root, values, ctx, info) => resolve(root, taken(values), ctx, info)
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
