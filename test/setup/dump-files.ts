/** The files of an embedded database that is opened from a dump. */

import { MemoryFS } from '@electric-sql/pglite'

const DATA = '/pglite/data'

/** A record of a tar file. */
const RECORD = 512

/** The fields of a header: their first byte, and the byte after their last one. */
const NAME = [0, 100] as const
const SIZE = [124, 136] as const
const TYPE = [156, 157] as const

const DIRECTORY = '5'

interface Entry {
  path: string
  /** The place of the content in the dump; null: it is a directory. */
  content: readonly [start: number, end: number] | null
}

/** The entries of a dump, a tar file with short names. */
function entriesOf(dump: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; dump[at]; ) {
    const field = ([start, end]: readonly [number, number]) =>
      dump.toString('latin1', at + start, at + end).replace(/\0.*$/s, '')
    const size = Number.parseInt(field(SIZE), 8) || 0
    const start = at + RECORD
    const path = `${DATA}/${field(NAME)}`
    entries.push({ path, content: field(TYPE) === DIRECTORY ? null : [start, start + size] })
    at = start + Math.ceil(size / RECORD) * RECORD
  }
  return entries
}

/**
 * A dump as the files of a new database in memory. PGlite's own `loadDataDir` copies the dump four times, which are 70 MB
 * that are not in the heap, so that each database makes V8 collect garbage ten times. Here the files are views on one copy.
 */
export class DumpFiles extends MemoryFS {
  private dump: Buffer

  constructor(dump: Buffer) {
    super()
    this.dump = dump
  }

  override async initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS
    if (!files) throw new Error('The database is not being opened')
    const copy = new Uint8Array(this.dump)
    for (const { path, content } of entriesOf(this.dump)) {
      files.mkdirTree(content ? path.slice(0, path.lastIndexOf('/')) : path)
      if (content) files.writeFile(path, copy.subarray(...content), { canOwn: true })
    }
  }
}
