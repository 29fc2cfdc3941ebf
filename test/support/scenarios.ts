import type { StoredEvent } from './shop.ts';
import type { Harness } from './harness.ts';

/** The fields of a scenario's report that tests use. */
export interface ScenarioReport {
  readonly payment: Readonly<Record<string, unknown>> & {
    id: string;
    token_id: string;
    status: string;
    exceptions: string[];
  };
  readonly transitions: readonly {
    at: string;
    sequence: number;
    from: string | null;
    to: string;
    event: string;
  }[];
  readonly events: readonly StoredEvent[];
  readonly deliveries: readonly {
    at: string;
    event_id: string;
    type: string;
    sequence: number;
    attempt: number;
    status_code: number | null;
    error: string | null;
    next_attempt_at: string | null;
  }[];
  readonly received: readonly { at: string; event_id: string; sequence: number; answered: number | string }[];
}

/** Runs a scenario through the API, and returns its report, parsed and as bytes. */
export async function postScenario(
  harness: Harness,
  body: object,
): Promise<{ report: ScenarioReport; text: string }> {
  const response = await harness.api('post', '/v1/sandbox/scenarios').send(body);
  if (response.status !== 200)
    throw new Error(`the scenario failed with ${response.status}: ${response.text}`);
  return { report: response.body as ScenarioReport, text: response.text };
}

/** Formats the time since the scenario's beginning: `1:02:24`, with days and milliseconds when not zero. */
export function since(at: string): string {
  const ms = Date.parse(at) - Date.parse('2026-01-01T00:00:00.000Z');
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value % 60).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`;
  return `${days > 0 ? `${days}d ` : ''}${hours}:${two(Math.floor(seconds / 60))}:${two(seconds)}${fraction}`;
}

/**
 * Each event in one line: its time, type (`checkout.` left out), status, and the exceptions where there are
 * any.
 */
export function eventsOf({ events }: ScenarioReport): string[] {
  return events.map(({ timestamp, type, data }) =>
    [since(timestamp), type.replace('checkout.', ''), data.checkout.status, ...data.checkout.exceptions].join(
      ' ',
    ),
  );
}

/**
 * Each attempt to deliver in one line: its time, the event's sequence, the attempt's number, and what came of
 * it.
 */
export function deliveriesOf({ deliveries }: ScenarioReport): string[] {
  return deliveries.map(
    ({ at, sequence, attempt, status_code, error }) =>
      `${since(at)} #${sequence}.${attempt} ${status_code ?? error}`,
  );
}

/**
 * Replaces every id, token, address and hash of a report by its position, so that two runs can be compared.
 */
export function withoutIds(text: string): string {
  const places = new Map<string, string>();
  const pattern =
    /(pay|evt|ref|dlv)_[0-9A-Z]{26}|(?<=checkout\/|"token_id":")[\w-]{32}|0x[0-9a-fA-F]{40,64}|\b[0-9a-f]{64}\b/g;
  return text.replace(pattern, (name) => {
    if (!places.has(name)) places.set(name, `<${places.size}>`);
    return places.get(name) ?? '';
  });
}
