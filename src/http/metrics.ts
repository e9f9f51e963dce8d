/** What `/metrics` shows. */
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  observe(labels: { interface: string; operation: string; status: number }, seconds: number): void
  /** The text that Prometheus reads. */
  text(): Promise<string>
  content_type: string
}

export function createMetrics(): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by interface, operation and status.',
    labelNames: ['interface', 'operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [register],
  })
  return {
    observe: (labels, seconds) => requests.observe(labels, seconds),
    text: () => register.metrics(),
    content_type: register.contentType,
  }
}
