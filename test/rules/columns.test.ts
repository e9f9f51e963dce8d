import { type FieldNode, type FragmentDefinitionNode, Kind, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { columnsOf } from '../../src/db/columns.ts'
import { wantedFields } from '../../src/schema/selection.ts'

describe('the columns of a row', () => {
  const all = { id: 'r.id', name: 'r.name', at: 'r.at::text' }

  test('are all of them where nothing is chosen, or everything', () => {
    const columns = columnsOf(all, ['id'])
    const everything = { name: '', text: 'r.id as id, r.name as name, r.at::text as at' }
    expect(columns()).toEqual(everything)
    expect(columns(new Set(['name', 'at', 'other']))).toEqual(everything)
  })

  test('are those that are wanted and those that are always needed, under one name for one choice', () => {
    const columns = columnsOf(all, ['id'])
    expect(columns(new Set(['at']))).toEqual({ name: 'choice 1', text: 'r.id as id, r.at::text as at' })
    expect(columns(new Set(['name']))).toEqual({ name: 'choice 2', text: 'r.id as id, r.name as name' })
    expect(columns(new Set(['at', 'id'])).name).toBe('choice 1')
  })

  test('are everything once too many choices have been made', () => {
    const names = Array.from({ length: 6 }, (_, index) => `c${index}`)
    const columns = columnsOf(Object.fromEntries(names.map((name) => [name, `r.${name}`])), [])
    const chosen = Array.from(
      { length: 63 },
      (_, bits) => new Set(names.filter((_name, at) => bits & (1 << at))),
    )
    const made = new Set(chosen.map((wanted) => columns(wanted).name))
    expect(made.size).toBe(21)
    expect(columns(chosen[0] ?? new Set()).name).toBe('choice 1')
  })
})

describe('the fields that are wanted', () => {
  const infoOf = (text: string) => {
    const { definitions } = parse(text)
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
    const [operation] = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    return {
      fieldNodes: operation?.selectionSet.selections.filter((one) => one.kind === Kind.FIELD) as FieldNode[],
      fragments: Object.fromEntries(fragments.map((one) => [one.name.value, one])) as Record<
        string,
        FragmentDefinitionNode
      >,
    }
  }

  test.each([
    ['{ list { items { id name } pagination { has_more } } }', ['id', 'name']],
    ['{ list { items { x: id ... on Row { name } ...F } } } fragment F on Row { at }', ['id', 'name', 'at']],
    ['{ list { ...P } } fragment P on Page { items { id } also: items { name } }', ['id', 'name']],
    ['{ list { items { id @include(if: false) } } }', ['id']],
    ['{ list { items { id } } list { items { name } } }', ['id', 'name']],
    ['{ list { pagination { has_more } } }', []],
  ])('of %s are %j', (text, names) => {
    const info = infoOf(text)
    expect([...wantedFields(info, 'items')]).toEqual(names)
    expect([...wantedFields(info, 'items')]).toEqual(names)
  })
})
