import { createRequire } from 'node:module';

/** What the compiler does with a source: every address of a forwarder depends on it. */
const SETTINGS = {
  evmVersion: 'paris',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

interface Code {
  readonly object: string;
}
interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly evm: { readonly bytecode: Code; readonly deployedBytecode: Code } }>>
    >
  >;
}

/** The code of a contract in hexadecimal: what deploys it, and what is there then. */
export interface Compiled {
  readonly bytecode: string;
  readonly deployed: string;
}

/** Returns the contracts of a source by their names. Throws for what does not compile without a warning. */
export function compileContracts(content: string): Readonly<Record<string, Compiled>> {
  // It has no types, and its 9 MB are loaded where they are needed alone.
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = { language: 'Solidity', sources: { 'a.sol': { content } }, settings: SETTINGS };
  const { errors = [], contracts = {} } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const fault = errors[0];
  if (fault !== undefined) throw new Error(fault.formattedMessage);
  return Object.fromEntries(
    Object.entries(contracts['a.sol'] ?? {}).map(([name, { evm }]) => [
      name,
      { bytecode: evm.bytecode.object, deployed: evm.deployedBytecode.object },
    ]),
  );
}
