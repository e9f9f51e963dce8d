/** The service with a mail server and an operator who takes support requests. */
import { afterEach, beforeAll, describe } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Services } from '../../src/gateway/context.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { type Api, apisAt } from './api.ts'
import { clock, ENVIRONMENT, type Running, startApp } from './app.ts'
import { testDatabase } from './database.ts'
import { MAIL_FROM } from './escalation-mails.ts'
import { type MailServer, startMailServer } from './smtp.ts'

export const SUPPORT_EMAIL = 'help@operator.example'

interface Supported extends Running {
  server: MailServer
}

let running: Promise<Supported> | undefined

/** The worker's service with its mail server. */
const supportedApp = (): Promise<Supported> => {
  running ??= (async () => {
    const server = await startMailServer({}, { lasts: true })
    const variables = { SMTP_URL: server.url, MAIL_FROM, SUPPORT_EMAIL }
    return { ...(await startApp(await testDatabase(), variables)), server }
  })()
  return running
}

interface Place {
  api: Api
  server: MailServer
  services: Services
}

/** Runs the same tests through both interfaces of that service. */
export function describeSupport(subject: string, tests: (place: Place) => void): void {
  const interfaces = apisAt(async () => (await supportedApp()).base)
  describe.each(interfaces)(`${subject} ($name)`, (api) => {
    const place = { api } as Place
    beforeAll(async () => {
      const { app, server, database } = await supportedApp()
      await installJobs(database, ENVIRONMENT, JOBS)
      Object.assign(place, { server, services: app.services })
    })
    afterEach(() => {
      clock.reset()
      place.server.behaves({})
    })
    tests(place)
  })
}
