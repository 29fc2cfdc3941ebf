import { Gauge } from 'prom-client';

/** The value of a gauge without labels, or each value with its labels. */
type Values = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

interface Declaration {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly read: () => Values | Promise<Values>;
}

/** Declares a gauge that each scrape fills with what `read` finds. A scrape rejects where `read` does. */
export function gauge({ name, help, labelNames = [], read }: Declaration): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    async collect() {
      const found = await read();
      this.reset();
      const values = typeof found === 'number' ? [[{}, found] as const] : found;
      for (const [labels, value] of values) this.set(labels, value);
    },
  });
}
