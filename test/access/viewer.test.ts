import { describe, expect, it } from 'vitest'
import { recordedName, type Viewer } from '../../src/access/viewer.ts'
import { keyViewer, userViewer } from './people.ts'

describe('the name of the caller, in records', () => {
  const person = { id: 'u', name: 'Grace', role: 'ADMIN' } as const

  it.each<[string, Viewer, string]>([
    ['a user', userViewer({ id: 'i', name: 'Ada', role: 'ADMIN' }), 'Ada'],
    ['a key with no acting user', keyViewer({ id: 'i', name: 'Key' }), 'Key'],
    [
      'a key that acts for somebody',
      keyViewer({ id: 'i', name: 'Key', person, acting_user: person }),
      'Grace (API key Key)',
    ],
  ])('of %s', (_viewer, viewer, expected) => {
    expect(recordedName(viewer)).toBe(expected)
  })

  it('has the person by the name that the record knows them by', () => {
    expect(recordedName(userViewer({ id: 'i', name: 'Ada', role: 'ADMIN' }), 'A. Byron')).toBe('A. Byron')
    const key = keyViewer({ id: 'i', name: 'Key', person, acting_user: person })
    expect(recordedName(key, 'G. Hopper')).toBe('G. Hopper (API key Key)')
  })
})
