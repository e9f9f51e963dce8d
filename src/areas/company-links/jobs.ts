/** The job of links. */
import { enqueue } from '../../jobs/enqueue.ts'
import { tenantJob } from '../../jobs/job.ts'
import { RESOLVE_LINKS } from './declared.ts'
import { findLinksOfPage } from './resolution/pages.ts'

/** Resolves the customers of all systems again, page by page: each is a job, which enqueues the next one. */
export const resolveLinks = tenantJob({
  ...RESOLVE_LINKS,
  transaction: false,
  timeout_seconds: 300,
  concurrency: 2,
  concurrency_of_tenant: 1,
  async handler(ctx, { after, run_id = ctx.request.id }) {
    const page = await findLinksOfPage(ctx, { run_id, only: null, after, asks_model: true })
    if (page?.unasked) ctx.log.warn(page.unasked, 'the model was not asked about customers')
    await ctx.commit(async () => {
      await page?.store(ctx)
      if (page?.next) await enqueue(ctx, RESOLVE_LINKS, { after: page.next, run_id })
    })
  },
})
