/** Markers of idempotency keys. */
import { describe, expect, it } from 'vitest'
import {
  markedOnce,
  markerOf,
  markersIn,
  parseSigned,
  signed,
  withMarker,
} from '../../src/connectors/markers.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('markers', () => {
  it('are of a connection and a key, and the same again', () => {
    expect(markerOf('c1', 'k')).toMatch(/^[0-9a-f]{20}$/)
    expect(markerOf('c1', 'k')).toBe(markerOf('c1', 'k'))
    expect(new Set([markerOf('c1', 'k'), markerOf('c2', 'k'), markerOf('c1', 'l')]).size).toBe(3)
  })

  it('keep the first and the last ones, within the field', () => {
    const all = numbers(9).map((n) => markerOf('c1', String(n)))
    let field = ''
    for (const marker of all) field = withMarker(markersIn(field) ?? [], marker, 100)
    expect(markersIn(field)).toEqual([all[0], ...all.slice(-3)])
    expect(field.length).toBeLessThanOrEqual(100)
    expect(markersIn('PO-4711')).toBeNull()
    const short = withMarker(all.slice(0, 4), all[4] ?? '', 50)
    expect(short.length).toBeLessThanOrEqual(50)
    expect(markersIn(short)).toEqual([all[0], all[4]])
  })

  it('sign a text with its author, and are taken off again', () => {
    const marker = markerOf('c1', 'k')
    expect(parseSigned(signed('Done.\n\n— me', 'Gus\nof MSP', marker))).toEqual({
      text: 'Done.\n\n— me',
      author: 'Gus of MSP',
      marker,
    })
    expect(parseSigned('Done.')).toEqual({ text: 'Done.', author: null, marker: null })
  })

  it('are given to work that calls with one key share while it is under way', async () => {
    const made: string[] = []
    const work = async (marker: string) => made.push(marker)
    const writer = { connection_id: 'c1' }
    const together = await Promise.all([1, 2].map(() => markedOnce(writer, 'k', work)))
    expect([together, made]).toEqual([[1, 1], [markerOf('c1', 'k')]])
    expect(await markedOnce(writer, 'k', work)).toBe(2)
  })
})
