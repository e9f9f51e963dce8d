import { describe, expect, it } from 'vitest'
import { personName, type Viewer } from '../../src/access/viewer.ts'
import { keyViewer, userViewer } from './people.ts'

describe('the person who acts', () => {
  const person = { id: 'u', name: 'Grace', role: 'ADMIN' } as const

  it.each<[string, Viewer, string]>([
    ['a user', userViewer({ id: 'i', name: 'Ada', role: 'ADMIN' }), 'Ada'],
    ['a key with no acting user', keyViewer({ id: 'i', name: 'Key' }), 'Key'],
    ['a key', keyViewer({ id: 'i', name: 'Key', person, acting_user: person }), 'Grace'],
  ])('for %s', (_viewer, viewer, expected) => {
    expect(personName(viewer)).toBe(expected)
  })
})
