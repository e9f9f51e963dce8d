/** The output of the demo: coloured on a terminal only. */
import { styleText } from 'node:util'
import { stringify } from 'yaml'

export const write = (line: string): void => void process.stdout.write(`${line}\n`)

/** A sentence that says what happens. */
export const tell = (sentence: string): void => write(`\n${styleText('bold', sentence)}`)

/** A request: its method and path, and its body on one line. */
export function writeRequest(caller: string, method: string, path: string, body?: unknown): void {
  write(`${styleText('cyan', `> ${method} ${path}`)}  (${caller})`)
  if (body !== undefined) write(styleText('cyan', `> ${JSON.stringify(body)}`))
}

/** The part of an answer that is shown. */
export function writeAnswer(about: string | number, shown: unknown): void {
  const lines = stringify(shown, { lineWidth: 0 }).trimEnd().split('\n')
  write(styleText('green', `< ${about}`))
  for (const line of lines) write(styleText('green', `<   ${line}`))
}
