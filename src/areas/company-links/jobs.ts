/** The job of links. */
import { enqueue } from '../../jobs/enqueue.ts'
import { tenantJob } from '../../jobs/job.ts'
import { RESOLVE_LINKS } from './declared.ts'
import { judgeDevices } from './judge.ts'
import { findLinksOfPage } from './resolution/pages.ts'

/**
 * Judges the customers of all systems again, page by page: each is a job, which enqueues the next one. A run that changed
 * links is followed by one of the customers that have devices, since the devices of companies may be others.
 */
export const resolveLinks = tenantJob({
  ...RESOLVE_LINKS,
  transaction: false,
  timeout_seconds: 300,
  concurrency: 2,
  concurrency_of_tenant: 1,
  async handler(ctx, { after, has_changed: had_changed, ...run }) {
    const page = await findLinksOfPage(ctx, { ...run, only: null, after })
    if (page?.unasked) ctx.log.warn(page.unasked, 'the model was not asked about customers')
    await ctx.commit(async () => {
      if (!page) return
      const stored = await page.store(ctx)
      const has_changed = had_changed || (stored !== null && stored.added + stored.changed > 0)
      const next = stored ? page.next : after
      if (!stored || next) await enqueue(ctx, RESOLVE_LINKS, { ...run, after: next, has_changed })
      else if (has_changed) await judgeDevices(ctx)
    })
  },
})
