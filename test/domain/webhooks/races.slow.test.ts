import { describeRaces } from '../../support/races/describe.ts';
import { WEBHOOK_ACTORS, type RacedWebhooks } from '../../support/races/webhooks/actors.ts';
import { guardWhatIsInUse, outcomeOfWebhooks } from '../../support/races/webhooks/outcome.ts';
import { WEBHOOK_STATES } from '../../support/races/webhooks/states.ts';

describeRaces<RacedWebhooks>('races of webhooks', {
  actors: WEBHOOK_ACTORS,
  states: WEBHOOK_STATES,
  meetsAll: false,
  once: ['record a late answer'],
  neverWait: ['sweep events'],
  oneOf: 4,
  prepare: ({ ctx }) => guardWhatIsInUse(ctx.db),
  outcomeOf: outcomeOfWebhooks,
});
