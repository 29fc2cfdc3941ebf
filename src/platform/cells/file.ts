import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StartError } from '../config/start-error.ts';
import type { Environment } from '../config/config.ts';
import { messageOf } from '../log.ts';
import { parseCell } from '../values/cells.ts';

/** A cell: a Postgres, a queue, and the processes on them. */
export interface Cell {
  readonly name: string;
  /** Its web processes, host:port as the proxy reaches them. */
  readonly webs: readonly string[];
  /**
   * What commands on the cell get: names of the service's variables, and for each the name of the variable
   * of the operator's environment that holds its value. The file holds no secret.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/** The one file of cells, from which the proxies are configured and commands find the databases. */
export interface Cells {
  /** Where the proxy listens for TLS: host:port. */
  readonly listen: string;
  /** A PEM file with the chain and its key, on the proxy's machine. */
  readonly certificate: string;
  /** Requests that a cell may have at once, streams of open pages included; more get 503. */
  readonly connections: number;
  /** The map file of moved keys and tokens: an absolute path. */
  readonly moved: string;
  readonly cells: readonly [Cell, ...Cell[]];
  /** Where keys and tokens without a cell are. */
  readonly default: Cell;
}

const HOST_PORT = /^(?:[\w.-]+|\[[0-9a-f:]+\]):\d{1,5}$/i;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
const DEFAULT_CONNECTIONS = 2_000;
const KEYS = ['listen', 'certificate', 'connections', 'moved', 'default', 'cells'];
const KEYS_OF_CELL = ['name', 'webs', 'environment'];

/** Reads the file of cells. Throws StartError that names every fault at once. */
export async function readCells(file: string): Promise<Cells> {
  return parseCells(await readText(file), file);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Reads the text of a file of cells; paths in it are relative to the file's folder. Throws StartError. */
export function parseCells(text: string, file: string): Cells {
  const faults: string[] = [];
  const root = objectOf(json(text, file));
  const known = onlyKnown(root, KEYS, 'the file', faults);
  const take = (key: string, pattern: RegExp, what: string, otherwise?: string): string => {
    const value = known[key] ?? otherwise;
    if (typeof value === 'string' && pattern.test(value)) return value;
    faults.push(`${key} must be ${what}`);
    return '';
  };
  const cells = Array.isArray(known.cells) ? known.cells.map((cell, at) => cellOf(cell, at, faults)) : [];
  const names = cells.map(({ name }) => name);
  if (new Set(names).size < names.length) faults.push('two cells have one name');
  const chosen = cells.find(({ name }) => name === known.default);
  if (chosen === undefined) faults.push('default must be the name of one of the cells');
  const { connections = DEFAULT_CONNECTIONS } = known;
  const isCount = typeof connections === 'number' && Number.isInteger(connections) && connections > 0;
  if (!isCount) faults.push('connections must be a number above 0');
  const read = {
    listen: take('listen', HOST_PORT, 'host:port, for example 0.0.0.0:443', '0.0.0.0:443'),
    certificate: take('certificate', /^\/[\w./-]+$/, 'an absolute path'),
    connections: Number(connections),
    moved: resolve(dirname(file), take('moved', /^[\w./-]+$/, 'a path', 'moved.map')),
  };
  const [first, ...others] = cells;
  if (first === undefined) faults.push('cells must be a list of at least one cell');
  if (faults.length > 0 || first === undefined || chosen === undefined)
    throw new StartError(`${file} cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  return { ...read, cells: [first, ...others], default: chosen };
}

/** The stores of a cell: with those of the operator's own environment a command would work on another one. */
const STORES = /^(DATABASE_(DIRECT_|REPLICA_)?URL|REDIS_URL)(_FILE)?$/;

/**
 * The variables of a command on a cell: the operator's, without stores and without those that hold what cells
 * get, and what this one gets, CELL among it. Throws StartError for one that is not set, and where the file
 * names no DATABASE_URL.
 */
export function environmentOf({ cells }: Pick<Cells, 'cells'>, cell: Cell, env: Environment): Environment {
  const sources = new Set(cells.flatMap(({ environment }) => Object.values(environment)));
  const shared = Object.entries(env).filter(([name]) => !sources.has(name) && !STORES.test(name));
  if (cell.environment.DATABASE_URL === undefined)
    throw new StartError(`The file of cells names no DATABASE_URL in the environment of ${cell.name}.`);
  const own = Object.entries(cell.environment).map(([name, from]): [string, string] => {
    const value = env[from];
    if (value === undefined || value === '')
      throw new StartError(`${from} is not set: it holds ${name} of the cell ${cell.name}.`);
    return [name, value];
  });
  return { ...Object.fromEntries([...shared, ...own]), CELL: cell.name };
}

function json(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new StartError(`${file} is no JSON: ${messageOf(error)}`);
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function onlyKnown(
  value: Record<string, unknown>,
  keys: readonly string[],
  where: string,
  faults: string[],
): Record<string, unknown> {
  for (const key of Object.keys(value))
    if (!keys.includes(key)) faults.push(`${where} has ${key}, which means nothing: ${keys.join(', ')}`);
  return value;
}

function cellOf(value: unknown, at: number, faults: string[]): Cell {
  const where = `cell ${at + 1}`;
  const { name, webs, environment = {} } = onlyKnown(objectOf(value), KEYS_OF_CELL, where, faults);
  const hosts = Array.isArray(webs) ? webs.map(String) : [];
  if (hosts.length === 0 || !hosts.every((host) => HOST_PORT.test(host)))
    faults.push(`${where}: webs must be a list of host:port`);
  const variables = Object.entries(objectOf(environment)).map(([key, from]) => [key, String(from)] as const);
  for (const [variable, from] of variables)
    if (!VARIABLE.test(variable) || !VARIABLE.test(from))
      faults.push(`${where}: environment.${variable} must be the name of a variable, not its value`);
  return { name: nameOf(name, where, faults), webs: hosts, environment: Object.fromEntries(variables) };
}

function nameOf(value: unknown, where: string, faults: string[]): string {
  try {
    return parseCell(String(value));
  } catch (error) {
    faults.push(`${where}: name ${messageOf(error)}`);
    return '';
  }
}
