import { onceAfterwards } from '../../idempotency/afterwards.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { adviceOn, answerClass } from './advice.ts';
import { checkCases, type CheckCase } from './cases.ts';
import type { WebhookClient, DeliveryResult } from '../client/client.ts';
import { resolveTarget, TEST_HEADERS } from './target.ts';
import type { CaseReport, ReceiverCheckBody, ReceiverCheck } from './schemas.ts';

/** No further case is begun when the receiver has taken this many deadlines in all: with the case under way, four at most. */
const PATIENCE_DEADLINES = 2;

/**
 * Runs the merchant's receiver through the cases that receivers get wrong, one after the other, and answers what it did in each and what a
 * correct one does. A receiver that does not answer a good event is not asked further, and a slow one not for ever: the whole takes four
 * deadlines (WEBHOOK_TIMEOUT_SECONDS) at most. Stores nothing but the answer of a request with an idempotency key. Throws
 * ValidationError where there is no URL.
 */
export async function checkReceiver(
  ctx: Context,
  caller: Caller,
  {
    body,
    claim,
    exchange,
  }: { body: ReceiverCheckBody; claim: IdempotencyClaim | null; exchange: WebhookClient },
): Promise<Reply> {
  return onceAfterwards(ctx.db, claim, ctx.now(), async () => {
    const { url, secrets } = await resolveTarget(ctx, caller.merchantId, body.url);
    const cases = checkCases(ctx, caller, secrets);
    const patienceMs = PATIENCE_DEADLINES * ctx.config.webhookTimeoutSeconds * 1000;
    const examination = conclude(url, cases.length, await runCases(exchange, url, cases, patienceMs));
    ctx.log.info('receiver examined', {
      merchant_id: caller.merchantId,
      passed: examination.passed,
      cases: examination.cases.length,
    });
    return reply(200, examination);
  });
}

async function runCases(
  exchange: WebhookClient,
  url: string,
  cases: readonly CheckCase[],
  patienceMs: number,
): Promise<CaseReport[]> {
  const reports: CaseReport[] = [];
  let spentMs = 0;
  for (const one of cases) {
    const report = await runCase(exchange, url, one);
    reports.push(report);
    spentMs += report.duration_ms;
    if (isUnreachable(reports) || spentMs >= patienceMs) break;
  }
  return reports;
}

/** Sends a case's shots until one is not answered as it should be; the last one sent is what is told. */
async function runCase(
  exchange: WebhookClient,
  url: string,
  { name, sent, expected, requests }: CheckCase,
): Promise<CaseReport> {
  let result: DeliveryResult | null = null;
  let spentMs = 0;
  let isPassed = true;
  for (const shot of requests) {
    const { headers, body } = shot();
    result = await exchange.post(url, { ...headers, ...TEST_HEADERS }, body);
    spentMs += result.durationMs;
    isPassed = answerClass(result.statusCode) === expected;
    if (!isPassed) break;
  }
  const statusCode = result?.statusCode ?? null;
  return {
    case: name,
    sent,
    expected,
    status_code: statusCode,
    error: result?.errorDetail ?? null,
    duration_ms: Math.round(spentMs),
    passed: isPassed,
    advice: isPassed ? null : adviceOn(name, answerClass(statusCode)),
  };
}

/** True when not even the first case, a good event, was answered. */
function isUnreachable([first, ...rest]: readonly CaseReport[]): boolean {
  return first !== undefined && first.status_code === null && rest.length === 0;
}

function conclude(url: string, planned: number, cases: CaseReport[]): ReceiverCheck {
  const failed = cases.filter(({ passed }) => !passed).length;
  const isWhole = cases.length === planned;
  return { url, passed: isWhole && failed === 0, summary: summaryOf(cases, planned, failed), cases };
}

function summaryOf(cases: readonly CaseReport[], planned: number, failed: number): string {
  if (isUnreachable(cases))
    return `The receiver did not answer a good event (${cases[0]?.error ?? 'no reason is known'}); nothing else was sent.`;
  const verdict = failed === 0 ? 'passed' : `failed ${failed} of`;
  if (cases.length < planned)
    return `The receiver is too slow: it ${verdict} ${cases.length} cases, and ${planned - cases.length} were not sent any more.`;
  return failed === 0
    ? `The receiver passed all ${planned} cases.`
    : `The receiver failed ${failed} of ${planned} cases.`;
}
