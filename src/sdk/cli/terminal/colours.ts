import type { Terminal, Stream } from './terminal.ts';

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Colour = keyof typeof CODES;

/** Returns the text as it is to be written: coloured, or as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;

/**
 * Colours for a stream: on terminals only, and not where NO_COLOR (no-color.org) or TERM=dumb asks for none.
 */
export function paintFor(stream: Stream, env: Terminal['env']): Paint {
  const isWanted = stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return isWanted ? paint : plain;
}

function paint(colour: Colour, text: string): string {
  const [on, off] = CODES[colour];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}
