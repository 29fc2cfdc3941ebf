// What a wallet refuses, and why.

class UnknownChain extends Error {
  code = 4902;
}

/** Leads the wallet to a chain, which it may have to add first (EIP-3085).
 * @param {Provider} provider
 * @param {string} chain
 * @param {unknown} known what a wallet needs to add it */
async function switchTo(provider, chain, known) {
  const switching = { method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] };
  try {
    await provider.request(switching);
  } catch (error) {
    if (!codesOf(error).includes(4902)) throw error;
    await addChain(provider, known);
    await provider.request(switching);
  }
}

/** @param {Provider} provider
 * @param {unknown} known */
async function addChain(provider, known) {
  try {
    await provider.request({ method: 'wallet_addEthereumChain', params: [known] });
  } catch (error) {
    // A wallet that cannot add chains says so in many ways.
    throw ['rejected', 'pending'].includes(faultOf(error)) ? error : new UnknownChain();
  }
}

/** @typedef {{ code?: unknown, message?: unknown }} Fault */

/** An error and those that it wraps: wallets put what a node answered into `data`, and that into others.
 * @param {unknown} error
 * @returns {Fault[]} */
function faultsIn(error, depth = 0) {
  if (typeof error !== 'object' || error === null || depth > 3) return [];
  const { data, originalError, cause } = /** @type {Record<string, unknown>} */ (error);
  return [error, ...[data, originalError, cause].flatMap((inner) => faultsIn(inner, depth + 1))];
}

/** @param {unknown} error */
const codesOf = (error) => faultsIn(error).map(({ code }) => Number(code));

/**
 * Errors by which a wallet has sent nothing: refused, not allowed, no such method or chain (EIP-1193, 3085),
 * not a valid request (JSON-RPC 2.0), and a call that would be reverted (geth). By any other, a time limit or
 * a node that is away, it may have sent it.
 */
const NOT_SENT = [4001, 4100, 4200, 4902, -32600, -32601, -32602, 3];

/** By -32000 nodes say that there is too little, and that they have the transaction ("already known"). */
const NO_FUNDS = /insufficient (?:funds|balance)|exceeds (?:the )?(?:balance|allowance)|not enough/i;

/** Which text says it.
 * @param {unknown} error */
function faultOf(error, isSending = false) {
  const codes = codesOf(error);
  const messages = faultsIn(error).map(({ message }) => (typeof message === 'string' ? message : ''));
  if (codes.includes(4001)) return 'rejected';
  if (codes.includes(-32002)) return 'pending';
  if (messages.some((message) => NO_FUNDS.test(message))) return 'funds';
  if (codes.includes(-32000) && !messages.some(Boolean)) return 'funds';
  if (codes.includes(4902)) return 'chain';
  return isSending && !codes.some((code) => NOT_SENT.includes(code)) ? 'unsure' : 'failed';
}
