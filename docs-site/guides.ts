import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from '../src/platform/root.ts';
import { errorsByStatus, everyError } from './errors/page.ts';
import { pathOfGuide, renderGuide, type Includes } from './markdown/render.ts';
import type { DocPage, Group } from './page.ts';
import { diagram } from './states/diagram.ts';
import { exceptions, statuses, transitions } from './states/tables.ts';

/** Pages about the SDK are read in the repository as well, beside its other how-tos. */
const FOLDERS = ['docs/guides/', 'docs/how-to/'].map((folder) => new URL(folder, ROOT));

/** The guides by the names of their files, in the order of their reading. */
export const GUIDES = {
  index: 'Start',
  'quick-start': 'Start',
  'accept-a-payment': 'Guides',
  'receive-webhooks': 'Guides',
  exceptions: 'Guides',
  refunds: 'Guides',
  'payment-links': 'Guides',
  till: 'Guides',
  'test-with-stories': 'Guides',
  'use-the-client': 'Guides',
  'use-the-command-line': 'Guides',
  integrations: 'Guides',
  'go-live': 'Guides',
  'first-live-payment': 'Guides',
  states: 'Reference',
  errors: 'Reference',
  versioning: 'Reference',
  changes: 'Reference',
} as const satisfies Readonly<Record<string, Group>>;

/** What guides include, made from the tables that the service itself goes by. */
const INCLUDES: Includes = {
  'states-diagram': diagram,
  statuses,
  transitions,
  exceptions,
  'errors-by-status': errorsByStatus,
  errors: everyError,
};

/** Reads and renders the guides, one by one. Throws an error that names the file which cannot be rendered. */
export function* readGuides(): Generator<DocPage> {
  for (const [name, group] of Object.entries(GUIDES)) {
    const file = FOLDERS.map((folder) => new URL(`${name}.md`, folder)).find((url) => existsSync(url));
    if (file === undefined) throw new Error(`there is no ${name}.md`);
    const text = readFileSync(file, 'utf8');
    try {
      yield { path: pathOfGuide(name), group, ...renderGuide(text, INCLUDES) };
    } catch (error) {
      throw new Error(`${name}.md cannot be rendered`, { cause: error });
    }
  }
}
