import type { WebhookClient } from '../../../domain/webhooks/client/client.ts';
import type { Sandbox } from '../../../domain/sandbox/test-clock/sandbox.ts';
import type { DeskRoute } from '../shell/route.ts';
import { checkRoutes } from './check/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { secretRoutes } from './endpoints/secret.ts';
import { endpointSwitchRoutes } from './endpoints/switch-routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { replayRoutes } from './replay/routes.ts';
import { requestRoutes } from './requests/routes.ts';
import { startRoutes } from './start/routes.ts';
import { storyRoutes } from './stories/routes.ts';

/** The pages for developers. `sandbox` is null where it is off. */
export const developerRoutes = (webhooks: WebhookClient, sandbox: Sandbox | null): readonly DeskRoute[] => [
  ...startRoutes,
  ...keyRoutes,
  ...endpointRoutes,
  ...endpointSwitchRoutes,
  ...secretRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...checkRoutes(webhooks),
  ...storyRoutes(sandbox),
  ...requestRoutes,
];
