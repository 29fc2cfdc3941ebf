import { onceAfterwards } from '../../idempotency/afterwards.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { adviceFor, isSlow, SLOW_ADVICE, statusClass } from './advice.ts';
import { recordAct } from '../../audit/record.ts';
import { noteFirstStep } from '../../merchants/first-steps.ts';
import { createCheckCases, type CaseName, type CheckCase, type CheckRequest } from './cases.ts';
import type { WebhookClient, DeliveryResult } from '../client/client.ts';
import { resolveTarget, sendWithin, TEST_HEADERS } from './target.ts';
import type { CaseReport, ReceiverCheckBody, ReceiverCheck } from './schemas.ts';

/**
 * No further case starts once the receiver has used this many deadlines in all: with the last case, four at
 * most.
 */
const BUDGET_DEADLINES = 2;

/**
 * Runs the merchant's receiver through the cases that receivers get wrong, one after the other, and returns
 * what it did in each and what a correct receiver does. Stops after a good event without a response, and when
 * a slow receiver has used its budget: the whole takes four deadlines (WEBHOOK_TIMEOUT_SECONDS) at most.
 * Stores only the reply to a request with an idempotency key. Throws ValidationError where there is no URL,
 * and what `sendWithin` throws.
 */
export async function checkReceiver(
  ctx: Context,
  caller: Caller,
  { body, claim, client }: { body: ReceiverCheckBody; claim: IdempotencyClaim | null; client: WebhookClient },
): Promise<Reply> {
  return onceAfterwards(ctx.db, claim, ctx.now(), async () => {
    const { url, ...signers } = await resolveTarget(ctx, caller.merchantId, body);
    const cases = createCheckCases(ctx, caller, signers);
    const budgetMs = BUDGET_DEADLINES * ctx.config.webhookTimeoutSeconds * 1000;
    const send: Send = (request) => sendWithin(ctx, caller, client, { url, ...request });
    const verdict = verdictOf(url, cases.length, await runCases(send, cases, budgetMs));
    await noteCheck(ctx, caller, verdict);
    ctx.log.info('receiver checked', {
      merchant_id: caller.merchantId,
      passed: verdict.passed,
      cases: verdict.cases.length,
    });
    return reply(200, verdict);
  });
}

/** The cases that a receiver passes only if it verifies signatures: it accepts the good one alone. */
const FORGERIES: readonly CaseName[] = ['good', 'wrong_signature', 'missing_signature', 'altered_body'];

/** Nothing for a command: `preflight` writes nothing. */
async function noteCheck(ctx: Context, { merchantId }: Caller, { passed, cases }: ReceiverCheck) {
  if (ctx.actor === undefined) return;
  const isPassed = (name: CaseName) => cases.some((one) => one.case === name && one.passed);
  if (FORGERIES.every(isPassed))
    await noteFirstStep(ctx.db, 'forgeriesRefused', { merchantId, now: ctx.systemNow() });
  await recordAct(ctx, ctx.db, 'receiver checked', { merchant_id: merchantId, passed });
}

type Send = (request: ReturnType<CheckRequest>) => Promise<DeliveryResult>;

async function runCases(send: Send, cases: readonly CheckCase[], budgetMs: number): Promise<CaseReport[]> {
  const reports: CaseReport[] = [];
  let spentMs = 0;
  for (const one of cases) {
    const report = await runCase(send, one);
    reports.push(report);
    spentMs += report.duration_ms;
    if (isUnreachable(reports) || spentMs >= budgetMs) break;
  }
  return reports;
}

/** Sends a case's requests until one gets an unexpected status; the report is of the last one sent. */
async function runCase(send: Send, one: CheckCase): Promise<CaseReport> {
  const { name, sent, expected, requests } = one;
  let result: DeliveryResult | null = null;
  let spentMs = 0;
  let isPassed = true;
  let slow = false;
  for (const request of requests) {
    const { headers, body } = request();
    result = await send({ headers: { ...headers, ...TEST_HEADERS }, body });
    spentMs += result.durationMs;
    slow ||= isSlow(result);
    isPassed = statusClass(result.statusCode) === expected;
    if (!isPassed) break;
  }
  const statusCode = result?.statusCode ?? null;
  const failure = isPassed ? null : adviceFor(one, { statusCode, errorClass: result?.errorClass ?? null });
  return {
    case: name,
    sent,
    expected,
    status_code: statusCode,
    error: result?.errorDetail ?? null,
    duration_ms: Math.round(spentMs),
    slow,
    passed: isPassed,
    advice: failure ?? (slow ? SLOW_ADVICE : null),
  };
}

/** True when the first case, a good event, got no response, or a 404: there is no receiver. */
function isUnreachable([first, ...rest]: readonly CaseReport[]): boolean {
  if (first === undefined || rest.length > 0) return false;
  return first.status_code === null || first.status_code === 404;
}

function verdictOf(url: string, planned: number, cases: CaseReport[]): ReceiverCheck {
  const failed = cases.filter(({ passed }) => !passed).length;
  const isWhole = cases.length === planned;
  const slow = cases.some((one) => one.slow);
  const summary = `${summaryOf(cases, planned, failed)}${slow && isWhole ? ` ${SLOW_ADVICE}` : ''}`;
  return { url, passed: isWhole && failed === 0, slow, summary, cases };
}

function summaryOf(cases: readonly CaseReport[], planned: number, failed: number): string {
  if (isUnreachable(cases))
    return (
      `${cases[0]?.advice ?? 'The receiver did not respond.'} ` +
      `A good event failed (${cases[0]?.error ?? 'no reason is known'}); nothing else was sent.`
    );
  const outcome = failed === 0 ? 'passed' : `failed ${failed} of`;
  if (cases.length < planned)
    return (
      `The receiver is too slow: it ${outcome} ${cases.length} cases, ` +
      `and ${planned - cases.length} were not sent any more.`
    );
  return failed === 0
    ? `The receiver passed all ${planned} cases.`
    : `The receiver failed ${failed} of ${planned} cases.`;
}
