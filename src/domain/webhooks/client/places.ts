import { parseUrl } from '../../../platform/values/urls.ts';
import type { WebhookClient } from './client.ts';

/** Requests of a merchant at one origin: four endpoints may have as many in flight as they ever may. */
export const PLACES = 256;
/** How long a request without a 2xx response keeps its place: a receiver that wants none gets 50 a second. */
const KEPT_MS = 5_000;

/** A request without a place waits at least this long. */
const DEFERRED_MS = 1_000;
/** And this long after the one deferred before it: endpoints of an origin that hangs do not all retry. */
const APART_MS = 20;

/** Gives a place back; `now` is real time. */
export type GiveBack = (isDelivered: boolean, now: Date) => void;

/**
 * Bounds the requests of a merchant to one origin, however many endpoints are there and whatever they carry:
 * events, redeliveries, receiver checks. A receiver that responds 2xx has PLACES requests at once, as often
 * as it likes; another gets PLACES in KEPT_MS. Each process counts its own (decision 88).
 */
class OriginPlaces {
  /** By merchant and origin: for each place that is taken, when it is free again. */
  readonly #taken = new Map<string, Set<{ until: number }>>();
  /** By its places: when the last deferred request retries. */
  readonly #deferred = new WeakMap<ReadonlySet<unknown>, number>();

  /** Takes a place; where none is free, returns in how many seconds to retry. */
  take(merchantId: string, url: string, now: Date): GiveBack | number {
    const key = `${merchantId} ${originOf(url)}`;
    const taken = this.#taken.get(key) ?? new Set();
    for (const place of taken) if (place.until <= now.getTime()) taken.delete(place);
    if (taken.size >= PLACES) return this.#defer(taken, now);
    const place = { until: Infinity };
    this.#taken.delete(key);
    this.#taken.set(key, taken.add(place));
    return (isDelivered, at) => {
      if (isDelivered) taken.delete(place);
      else place.until = at.getTime() + KEPT_MS;
      this.#forget(at);
    };
  }

  #defer(taken: ReadonlySet<unknown>, now: Date): number {
    const last = this.#deferred.get(taken) ?? 0;
    const next = Math.max(now.getTime() + DEFERRED_MS, last + APART_MS);
    this.#deferred.set(taken, next);
    return (next - now.getTime()) / 1000;
  }

  /** Drops the origins at which no place is taken, up to one that is; those in use stand at the end. */
  #forget(now: Date): void {
    for (const [key, taken] of this.#taken) {
      for (const place of taken) if (place.until <= now.getTime()) taken.delete(place);
      if (taken.size > 0) return;
      this.#taken.delete(key);
    }
  }
}

const places = new WeakMap<WebhookClient, OriginPlaces>();

/** The places at origins that a client's requests share. */
export function placesOf(client: WebhookClient): OriginPlaces {
  const known = places.get(client) ?? new OriginPlaces();
  places.set(client, known);
  return known;
}

/** What is no URL is refused by the client. */
function originOf(url: string): string {
  return parseUrl(url)?.origin ?? '';
}
