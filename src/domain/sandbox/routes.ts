import { endpoint } from '../../platform/endpoint.ts';
import { replaceTransfer } from './customer/replace-transfer.ts';
import {
  ReplacedTransfer,
  ReplaceTransferBody,
  SendTransferBody,
  TransferResource,
} from './customer/schemas.ts';
import { sendTransfer } from './customer/send-transfer.ts';
import { runScenario } from './scenarios/run.ts';
import { Scenario, ScenarioBody } from './scenarios/schemas.ts';
import { advance } from './test-clock/advance.ts';
import type { Sandbox } from './test-clock/sandbox.ts';
import { AdvanceBody, AdvanceResult } from './test-clock/schemas.ts';

const SANDBOX_PER_MINUTE = 600;

/** Endpoints for test merchants only. Where a test clock is advanced, jobs that become due run inside the request. */
export const sandboxEndpoints = (sandbox: Sandbox) => [
  endpoint({
    operationId: 'sendSandboxTransfer',
    method: 'post',
    path: '/v1/sandbox/payments/:id/transfers',
    summary: 'Plays the customer: sends one transfer to the payment on the simulated chain.',
    auth: 'required',
    permission: 'sandbox:write',
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: SendTransferBody,
    response: { status: 201, schema: TransferResource },
    handle: ({ ctx, caller, params, body, claim }) =>
      sendTransfer(ctx, sandbox.adapters, caller, params.id ?? '', { body, claim }),
  }),
  endpoint({
    operationId: 'replaceSandboxTransfer',
    method: 'post',
    path: '/v1/sandbox/payments/:id/replace',
    summary: 'Plays the customer who takes money back: spends a transfer that was seen elsewhere.',
    auth: 'required',
    permission: 'sandbox:write',
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: ReplaceTransferBody,
    response: { status: 200, schema: ReplacedTransfer },
    handle: ({ ctx, caller, params, body, claim }) =>
      replaceTransfer(ctx, sandbox.adapters, caller, params.id ?? '', { body, claim }),
  }),
  endpoint({
    operationId: 'advanceSandboxClock',
    method: 'post',
    path: '/v1/sandbox/payments/:id/advance',
    summary: "Moves the payment's clock; all that falls due meanwhile happens, and is answered.",
    auth: 'required',
    permission: 'sandbox:write',
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: AdvanceBody,
    response: { status: 200, schema: AdvanceResult },
    handle: ({ ctx, caller, params, body, claim }) =>
      advance(ctx, sandbox, caller, params.id ?? '', { body, claim }),
  }),
  endpoint({
    operationId: 'playScenario',
    method: 'post',
    path: '/v1/sandbox/scenarios',
    summary:
      'Plays a story, by its name or from a script, on a payment of its own in its own time, and answers all of it.',
    auth: 'required',
    permission: 'sandbox:write',
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: ScenarioBody,
    response: { status: 200, schema: Scenario },
    handle: ({ ctx, caller, body, claim }) => runScenario(ctx, sandbox, caller, { body, claim }),
  }),
];
