import { ACTORS, type RacedPayment } from '../../support/races/actors.ts';
import { describeRaces } from '../../support/races/describe.ts';
import { outcomeOf } from '../../support/races/outcome.ts';
import { STATES } from '../../support/races/states.ts';

describeRaces<RacedPayment>('races on one payment', {
  actors: ACTORS,
  states: STATES,
  meetsAll: true,
  once: [],
  neverWait: [],
  oneOf: 2,
  outcomeOf,
});
