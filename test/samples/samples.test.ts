import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createCheckout, type Checkout, type Terminal } from '../processes/checkout.ts';
import { filesBelow, ROOT } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { isThere, LANGUAGES, startProgram, type Language } from './programs.ts';

/** More than a page of the list, so that a sample must follow the cursor. */
const MANY = 101;
const LOOK_EVERY_MS = 200;

interface Payment {
  readonly id: string;
  readonly status: string;
}

interface Run {
  readonly url: string;
  /** A request with the key of the service's merchant. */
  readonly api: (method: string, path: string, body?: object) => Promise<unknown>;
  readonly createPayment: () => Promise<string>;
  /** Runs the sample to its end, and returns what it printed. */
  readonly output: (variables?: Record<string, string>) => Promise<string>;
  /** Starts the sample, which listens on the port. */
  readonly listening: (port: number) => Promise<ReturnType<typeof startProgram>>;
}

/** What each sample must have done and printed. */
const CASES: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  async 'create-payment'({ output, url, api }) {
    const printed = await output();
    expect(printed).to.include(`${url}/checkout/`);
    const id = /pay_\w{26}/.exec(printed)?.[0] ?? expect.fail(printed);
    expect(await api('GET', `/v1/payment/${id}`)).to.include({ order_id: 'order-1', pay_amount: '25.00' });
  },
  async 'wait-until-settled'({ output, createPayment, api }) {
    const id = await createPayment();
    expect(await output({ PAYMENT_ID: id })).to.match(/SETTLED/);
    expect(await api('GET', `/v1/payment/${id}`)).to.include({ status: 'SETTLED', actually_paid: '25.00' });
  },
  async 'list-payments'({ output, createPayment }) {
    const ids: string[] = [];
    while (ids.length < MANY) ids.push(await createPayment());
    const printed = await output();
    expect(ids.filter((id) => !printed.includes(id))).to.deep.equal([]);
  },
  async 'refund-payment'({ output, createPayment, api }) {
    const id = await createPayment();
    await api('POST', `/v1/sandbox/payments/${id}/transfers`, {});
    await api('POST', `/v1/sandbox/payments/${id}/advance`, { by: '30m' });
    const refundId = (text: string) => /ref_\w{26}/.exec(text)?.[0] ?? expect.fail(text);
    const first = refundId(await output({ PAYMENT_ID: id }));
    expect(refundId(await output({ PAYMENT_ID: id })), 'the same refund').to.equal(first);
    const { data } = (await api('GET', `/v1/payment/${id}/refunds`)) as { data: { amount: string }[] };
    expect(data.map(({ amount }) => amount)).to.deep.equal(['5.00']);
  },
  async 'handle-errors'({ output }) {
    expect(await output()).to.match(/^refused.*pay_amount.*req_\w{26}/s);
  },
  async 'retry-safely'({ output, api }) {
    const [first, second, ...others] = (await output()).trim().split('\n');
    expect(first).to.match(/^pay_\w{26}$/);
    expect([second, ...others]).to.deep.equal([first]);
    const { data } = (await api('GET', '/v1/payments?order_id=order-7')) as { data: Payment[] };
    expect(data.map(({ id }) => id)).to.deep.equal([first]);
  },
  async 'run-story'({ output }) {
    const printed = await output();
    for (const word of ['WAITING', 'EXPIRED', 'checkout.settled']) expect(printed).to.include(word);
  },
  async 'receive-webhook'({ listening, api }) {
    const port = await freePort();
    const receiver = await listening(port);
    try {
      const url = `http://127.0.0.1:${port}/hooks`;
      const examined = (await api('POST', '/v1/webhooks/examine', { url })) as { passed: boolean };
      expect(examined.passed, JSON.stringify(examined)).to.equal(true);
      await api('POST', '/v1/webhooks/test', { url, type: 'checkout.settled' });
      await receiver.says('order test-order is SETTLED');
    } finally {
      await receiver.end();
    }
  },
  async 'check-receiver'({ output, listening }) {
    const receiver = await listening(4000);
    try {
      expect(await output())
        .to.include('"passed":true')
        .and.include('"secret":"whsec_');
    } finally {
      await receiver.end();
    }
  },
};

for (const language of LANGUAGES)
  describe(`the samples in ${language.folder}`, () => {
    let service: Awaited<ReturnType<typeof startService>>;
    before(async function () {
      if (isThere(language)) service = await startService();
      // Listed as pending: `.ci/full` installs all of them.
      else this.skip();
    });
    after(() => service?.end());

    for (const file of filesBelow(`docs/samples/${language.folder}`))
      it(`${file} does what it says`, async () => {
        const name = basename(file, `.${language.extension}`);
        const check = CASES[name] ?? expect.fail(`nothing says what ${name} must do`);
        await check(runOf(language, join(ROOT, file), service));
      });
  });

describe('the samples', () => {
  it('are in every language, but a receiver in curl and its check in the others', () => {
    const names = Object.keys(CASES);
    for (const { folder, extension } of LANGUAGES)
      for (const name of names) {
        const isReceiver = name === 'receive-webhook';
        const expected = folder === 'curl' ? !isReceiver : name !== 'check-receiver';
        const file = `docs/samples/${folder}/${name}.${extension}`;
        expect(existsSync(join(ROOT, file)), file).to.equal(expected);
      }
  });
});

interface Running {
  readonly url: string;
  readonly variables: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** `npm run dev` in a copy of the checkout, with blocks of 0.2 s; payments are paid by the samples alone. */
async function startService(): Promise<Running> {
  const checkout: Checkout = await createCheckout();
  const terminal: Terminal = checkout.npm(['run', 'dev'], {
    PORT: String(await freePort()),
    SIMULATOR_AUTOPAY_SECONDS: 'off',
    SIMULATOR_BLOCK_SECONDS: '0.2',
    RATE_LIMIT_SCALE: '100',
  });
  await terminal.says('Stop with Ctrl-C');
  const { base_url, api_key, webhook_secret } = checkout.facts();
  return {
    url: base_url,
    variables: {
      PAYMENT_CHECKOUT_URL: base_url,
      PAYMENT_CHECKOUT_KEY: api_key,
      WEBHOOK_SECRET: webhook_secret,
    },
    async end() {
      terminal.pressCtrlC();
      await terminal.ended();
      await checkout.remove();
    },
  };
}

function runOf(language: Language, file: string, { url, variables }: Running): Run {
  const api: Run['api'] = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'X-API-Key': variables.PAYMENT_CHECKOUT_KEY ?? '', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    url,
    api,
    async createPayment() {
      const order = { pay_amount: '25.00', order_id: 'made by the test' };
      return ((await api('POST', '/v1/payment', order)) as Payment).id;
    },
    async output(added = {}) {
      const program = startProgram(language.command(file, null), { ...variables, ...added });
      const end = await program.ended();
      expect(end, program.output()).to.equal(0);
      return program.printed();
    },
    async listening(port) {
      // What curl checks is the receiver of another language.
      const receiver = language.folder === 'curl' ? LANGUAGES[1] : language;
      const own = file.replace(/curl\/.*/, 'typescript/receive-webhook.ts');
      const command = receiver?.command(own, port) ?? [];
      const program = startProgram(command, { ...variables, PORT: String(port) });
      await until('the receiver listens', async () => {
        if (program.isOver()) throw new Error(program.output());
        await sleep(LOOK_EVERY_MS);
        return isListening(port);
      });
      return program;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' });
    return true;
  } catch {
    return false;
  }
}
