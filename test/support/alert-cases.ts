import { parse } from 'yaml';
import { read } from './documents.ts';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const { groups } = parse(read('deploy/monitoring/alerts.yml')) as { groups: { rules: AlertRule[] }[] };

/** The rules of `deploy/monitoring/alerts.yml`. */
export const ALERT_RULES: readonly AlertRule[] = groups.flatMap(({ rules }) => rules);

/**
 * The alerts that test/topologies/alerts-KEY.test.ts lets fire, on real processes to which the very thing
 * happens. Each of these files ends with a test that compares its list with what fired.
 */
export const ALERTS_THAT_FIRE = {
  chains: ['ChainProviderFailing', 'MoneyUnproven', 'ChainHalted'],
  deliveries: ['TurnsLong', 'BreakersOpen', 'DeliveriesFailing'],
  money: [
    'RefundsWithoutAddress',
    'RefundsHeld',
    'PayoutsHeld',
    'ConversionsRefused',
    'SalesHeld',
    'JobsStuck',
  ],
  postgres: [
    'PostgresUnavailable',
    'RelayFailing',
    'ErrorRate',
    'LatencyHigh',
    'PoolWaits',
    'ReplicaNotServing',
    'PartitionsMissing',
    'JobsFailing',
  ],
  processes: [
    'ProcessMissing',
    'ClockWrong',
    'SecretsKeyWrong',
    'WalletRefused',
    'UnhandledErrors',
    'EventLoopBlocked',
    'SignInsGuessed',
    'LogFlood',
  ],
  redis: ['RedisUnavailable', 'MetricsFailing'],
  workers: [
    'NoWorker',
    'ProcessDown',
    'QueueNotConsumed',
    'JobsLate',
    'JobsStartLate',
    'ChainNotRead',
    'ChainHeadOld',
    'FeedHeld',
  ],
} as const;
