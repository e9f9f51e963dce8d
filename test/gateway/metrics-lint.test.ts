/** The metrics by the rules of Prometheus, if its promtool is installed. */
import { spawnSync } from 'node:child_process'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { testApp } from '../setup/app.ts'

/** The metrics that prom-client names. */
function defaultNames(): string[] {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register.getMetricsAsArray().map(({ name }) => name)
}

test('promtool has nothing to say about the metrics of the service', async ({ skip }) => {
  const promtool = (args: string[], input = '') => spawnSync('promtool', args, { input, encoding: 'utf8' })
  if (promtool(['--version']).error) skip('promtool, of Debian’s package prometheus, is not installed')
  const { base } = await testApp()
  const metrics = await (await fetch(`${base}/metrics`)).text()
  expect(metrics).toContain('# TYPE http_request_duration_seconds')
  const { stdout, stderr } = promtool(['check', 'metrics'], metrics)
  const theirs = new Set(defaultNames())
  const said = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line && !theirs.has(line.split(' ')[0] ?? ''))
  expect(said).toEqual([])
})
