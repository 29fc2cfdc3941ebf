import { createRequire } from 'node:module';

/** What the compiler does with the source of the forwarder: every address depends on it. */
const SETTINGS = {
  evmVersion: 'paris',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
};

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>
    >
  >;
}

/**
 * Returns the code that deploys contracts/Forwarder.sol, in hexadecimal. Throws for what does not compile.
 */
export function compileForwarder(source: string): string {
  // It has no types, and its 9 MB are loaded where they are needed alone.
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { 'Forwarder.sol': { content: source } },
    settings: SETTINGS,
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const fault = errors[0];
  if (fault !== undefined) throw new Error(fault.formattedMessage);
  return contracts?.['Forwarder.sol']?.Forwarder?.evm.bytecode.object ?? '';
}
