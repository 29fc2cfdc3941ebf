import { Type } from 'typebox';
import { PERMISSIONS } from '../../api/endpoint.ts';
import { timestamp } from '../../api/schemas.ts';

/** The status report of the specification, and the contract's additions. */
export const StatusReport = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'maintenance'], { description: 'Health of the service.' }),
  version: Type.String({ description: 'Current API version.' }),
  timestamp: timestamp('Server time.'),
  simulated: Type.Optional(
    Type.Literal(true, {
      description: 'Present when live payments are simulated too: no real money moves at all.',
    }),
  ),
  checks: Type.Optional(
    Type.Array(
      Type.Object({
        check: Type.String({ description: 'What is not well, for example queues.' }),
        reason: Type.String({ description: 'What was found, for people.' }),
      }),
      { description: 'Present when the status is degraded: what is not well, and why.' },
    ),
  ),
  authenticated: Type.Boolean({ description: 'Whether the supplied API key is valid.' }),
  merchant_id: Type.Optional(
    Type.String({ description: "The merchant's identifier; present only when authenticated is true." }),
  ),
  mode: Type.Optional(
    Type.Enum(['test', 'live'], { description: "The merchant's, and so the key's; as merchant_id." }),
  ),
  permissions: Type.Optional(
    Type.Array(Type.Enum([...PERMISSIONS]), { description: 'What the key may do; as merchant_id.' }),
  ),
});
