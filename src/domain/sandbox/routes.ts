import { endpoint, reply } from '../api/endpoint.ts';
import { once } from '../idempotency/claim.ts';
import { noteFirstStep } from '../merchants/first-steps.ts';
import { lockMerchant } from '../merchants/store.ts';
import { advanceBudget, storyBudget } from './budgets/budget.ts';
import { slotsOf } from './budgets/sandbox-slots.ts';
import { replaceTransfer } from './customer/replace-transfer.ts';
import {
  RatesBody,
  RatesResource,
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

/**
 * Endpoints for test merchants only. Jobs that become due on an advanced test clock run inside the request,
 * within a budget; what runs at once is bounded for each merchant and for the process.
 */
export const sandboxEndpoints = (sandbox: Sandbox) => [
  endpoint({
    operationId: 'sendSandboxTransfer',
    method: 'post',
    path: '/v1/sandbox/payments/:id/transfers',
    summary: 'Acts as the customer: sends one transfer to the payment on the simulated chain.',
    description:
      'Money arrives on the simulated chain as if a customer had sent it, and the chain is read at ' +
      "once. A coin or a network beside the payment's own selects that method first, as the " +
      'checkout page does. Without a body the transfer pays what is still missing.',
    auth: 'required',
    permissions: ['sandbox:write'],
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: SendTransferBody,
    errors: ['payment_not_found'],
    response: { status: 201, schema: TransferResource },
    handle: ({ ctx, caller, params, body, claim }) =>
      slotsOf(sandbox).customer.run(caller.merchantId, () =>
        sendTransfer(ctx, sandbox.adapters, caller, params.id ?? '', { body, claim }),
      ),
  }),
  endpoint({
    operationId: 'replaceSandboxTransfer',
    method: 'post',
    path: '/v1/sandbox/payments/:id/replace',
    summary: 'Acts as a customer who replaces a seen transfer: by a double spend, or to speed it up.',
    description:
      'The transaction of a transfer that was seen is dropped from the chain, and another one ' +
      'spends its money: elsewhere, or with `speed_up` to the same address. Without a body it is ' +
      'the latest transfer that stands.',
    auth: 'required',
    permissions: ['sandbox:write'],
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: ReplaceTransferBody,
    errors: ['payment_not_found', 'nothing_to_replace'],
    response: { status: 200, schema: ReplacedTransfer },
    handle: ({ ctx, caller, params, body, claim }) =>
      slotsOf(sandbox).customer.run(caller.merchantId, () =>
        replaceTransfer(ctx, sandbox.adapters, caller, params.id ?? '', { body, claim }),
      ),
  }),
  endpoint({
    operationId: 'moveSandboxRates',
    method: 'post',
    path: '/v1/sandbox/rates',
    summary: "Moves the market of the merchant's test payments: requotes and late money follow it.",
    description:
      'A locked rate holds until its lock ends; what is quoted or credited at the market after that has ' +
      'the new price. Scenarios keep the fixed prices, so that they mean the same everywhere.',
    auth: 'required',
    permissions: ['sandbox:write'],
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: RatesBody,
    errors: [],
    response: { status: 200, schema: RatesResource },
    handle: ({ ctx, caller: { merchantId }, body, claim }) =>
      once(ctx.db, claim, ctx.now(), async (tx) => {
        // Of two requests that cross (one sets BTC and restores ETH, the other the reverse) each would wait
        // for the other's rows.
        await lockMerchant(tx, merchantId);
        return reply(200, { rates: await sandbox.adapters.testMarket.move(tx, merchantId, body.rates) });
      }),
  }),
  endpoint({
    operationId: 'advanceSandboxClock',
    method: 'post',
    path: '/v1/sandbox/payments/:id/advance',
    summary: "Advances the payment's test clock; runs the jobs that become due and returns what happened.",
    description:
      'Gives the payment a clock of its own and moves it forward. All that becomes due meanwhile ' +
      '(blocks, the deadline, deliveries) happens within the request, in order. A request takes at ' +
      'most 60 s; one that would take longer is a 400, and what has happened by then remains.',
    auth: 'required',
    permissions: ['sandbox:write'],
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: AdvanceBody,
    errors: ['payment_not_found', 'clock_held'],
    response: { status: 200, schema: AdvanceResult },
    handle: ({ ctx, caller, params, body, claim, isAbandoned }) =>
      slotsOf(sandbox).clock.run(caller.merchantId, () => {
        const budget = advanceBudget({ isAbandoned, isRepeatable: claim !== null });
        return advance(ctx, sandbox, caller, params.id ?? '', { body, claim, budget });
      }),
  }),
  endpoint({
    operationId: 'playScenario',
    method: 'post',
    path: '/v1/sandbox/scenarios',
    summary:
      'Runs a scenario, by name or from a script, on a payment with a test clock; returns what happened.',
    description:
      'Creates a payment, plays the script on it in simulated time, and returns everything that ' +
      'happened. The receiver of its events is simulated too. The same script and `seed` have the ' +
      'same result; with `ids: stable` also the same ids. A script takes at most 10 s; nothing ' +
      'remains of one that fails.',
    auth: 'required',
    permissions: ['sandbox:write'],
    testOnly: true,
    perMinute: SANDBOX_PER_MINUTE,
    body: ScenarioBody,
    errors: ['clock_held'],
    response: { status: 200, schema: Scenario },
    handle: ({ ctx, caller, body, claim, isAbandoned }) =>
      slotsOf(sandbox).clock.run(caller.merchantId, async () => {
        const budget = storyBudget(body.story === undefined ? 'script' : 'story', { isAbandoned });
        const report = await runScenario(ctx, sandbox, caller, { body, claim, budget });
        await noteFirstStep(ctx.db, 'story', { merchantId: caller.merchantId, now: ctx.systemNow() });
        return report;
      }),
  }),
];
