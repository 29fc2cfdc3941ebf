import type { Anvil, RpcError } from './anvil.ts';
import { startReceiver, type Answer } from './receivers.ts';

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A lie about one call: returns what is sent instead of the node's result. */
export type Lie = (call: RpcCall, truth: unknown) => unknown;

/** Sends something else than JSON-RPC, or nothing. */
export class RawAnswerInstead {
  readonly answer: Answer;
  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** A provider in front of a node that lies as it is told to. */
export interface LyingProxy {
  readonly url: string;
  /** The calls that came, in their order. */
  readonly calls: readonly RpcCall[];
  /** Null: it passes on what the node says. */
  lie: Lie | null;
  /** What happens before the node is asked. */
  before: ((call: RpcCall) => unknown) | null;
  close(): Promise<void>;
}

/** Starts a provider that passes on what a node says, until it is told to lie. */
export async function startLyingProxy(node: Pick<Anvil, 'rpc'>): Promise<LyingProxy> {
  const calls: RpcCall[] = [];
  const proxy = { lie: null as Lie | null, before: null as LyingProxy['before'] };
  const answerTo = async (call: RpcCall): Promise<unknown> => {
    calls.push(call);
    try {
      await proxy.before?.(call);
      const truth = await node.rpc(call.method, call.params);
      const result = proxy.lie === null ? truth : await proxy.lie(call, truth);
      return result instanceof RawAnswerInstead ? result : { jsonrpc: '2.0', id: call.id, result };
    } catch (error) {
      const { code, message } = error as RpcError;
      return { jsonrpc: '2.0', id: call.id, error: { code, message } };
    }
  };
  const receiver = await startReceiver({
    async answer({ rawBody }) {
      const asked = JSON.parse(rawBody.toString()) as RpcCall | RpcCall[];
      const answer = await (Array.isArray(asked) ? Promise.all(asked.map(answerTo)) : answerTo(asked));
      if (answer instanceof RawAnswerInstead) return answer.answer;
      return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) };
    },
  });
  return {
    // Another host than the node's own: two ports of one are no second source.
    url: receiver.url.replace('127.0.0.1', 'localhost'),
    calls,
    get lie() {
      return proxy.lie;
    },
    set lie(lie) {
      proxy.lie = lie;
    },
    get before() {
      return proxy.before;
    },
    set before(before) {
      proxy.before = before;
    },
    close: () => receiver.close(),
  };
}
