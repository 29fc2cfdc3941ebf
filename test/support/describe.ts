import type pg from 'pg';

/** What Postgres says of a statement that it has parsed: the OIDs of its parameters' and columns' types. */
export interface Description {
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

/** The parts of the driver that its types leave out. */
interface Wire {
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
  parse(query: { name: string; text: string; types: [] }): void;
  describe(what: { type: 'S'; name: string }): void;
  sync(): void;
}

/**
 * Has Postgres parse a statement without running it. Rejects with Postgres's error when the schema differs.
 */
export function describeStatement(client: pg.Client, text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    let parameters: number[] = [];
    let columns: Description['columns'] = [];
    const query = {
      submit(wire: Wire) {
        wire.once('parameterDescription', ({ dataTypeIDs }) => (parameters = dataTypeIDs));
        wire.parse({ name: '', text, types: [] });
        wire.describe({ type: 'S', name: '' });
        wire.sync();
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
      },
      // The driver forgets a statement that failed: nothing else comes.
      handleError: reject,
      handleReadyForQuery: () => resolve({ parameters, columns }),
    };
    client.query(query as unknown as pg.Submittable);
  });
}
