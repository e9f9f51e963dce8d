import './alerts.ts'
import './usage.ts'
import { admins } from '../../access/policies/policies.ts'
import { area } from './area.ts'
import { BillingSubscription, readSubscription } from './subscription.ts'

area.query('billing_subscription', (t) =>
  t.field({
    type: BillingSubscription,
    description:
      'Gets the subscription and the credits of its billing period. While it is PAUSED, CANCELLED or EXPIRED, everything ' +
      'can be read, and agents do not run: 409 subscription_inactive.',
    rest: { method: 'GET', path: '/billing/subscription' },
    access: admins('billing:read'),
    resolve: (_root, _args, ctx) => readSubscription(ctx),
  }),
)
