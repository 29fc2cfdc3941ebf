import { existsSync, readFileSync } from 'node:fs';
import { html, type Html } from '../../src/platform/pages/html.ts';
import { ROOT } from '../../src/platform/root.ts';
import { codeBlock, type CodeLanguage } from './highlight.ts';

const FOLDER = new URL('docs/samples/', ROOT);

interface SampleLanguage {
  readonly name: string;
  readonly extension: string;
  readonly code: CodeLanguage;
}

/** The languages of samples, in the order of their tabs, by their folders below docs/samples. */
export const SAMPLE_LANGUAGES: Readonly<Record<string, SampleLanguage>> = {
  curl: { name: 'curl', extension: 'sh', code: 'sh' },
  typescript: { name: 'TypeScript', extension: 'ts', code: 'ts' },
  python: { name: 'Python', extension: 'py', code: 'python' },
  php: { name: 'PHP', extension: 'php', code: 'php' },
  go: { name: 'Go', extension: 'go', code: 'go' },
};

/**
 * The sample of that name in every language that has it, each behind its tab: radio buttons, which need no
 * script. `title` names the group. Throws where no language has the sample.
 */
export function sampleTabs(name: string, title: string): Html {
  const found = Object.entries(SAMPLE_LANGUAGES).flatMap(([folder, language]) => {
    const file = new URL(`${folder}/${name}.${language.extension}`, FOLDER);
    return existsSync(file) ? [{ folder, language, text: readFileSync(file, 'utf8') }] : [];
  });
  if (found.length === 0) throw new Error(`docs/samples has no ${name} in any language`);
  const tabs = found.map(({ folder, language }, index) => tab(name, folder, language.name, index === 0));
  const panels = found.map(({ language, text }) => html`<div>${codeBlock(text, language.code)}</div>`);
  return html`<fieldset class="sample">
    <legend class="unseen">${title}: language</legend>
    ${tabs}${panels}
  </fieldset>`;
}

function tab(sample: string, folder: string, name: string, isFirst: boolean): Html {
  const id = `${sample}-${folder}`;
  const checked = isFirst ? html` checked` : null;
  return html`<input type="radio" name="${sample}" id="${id}" value="${folder}" ${checked} /><label
      for="${id}"
      >${name}</label
    >`;
}
