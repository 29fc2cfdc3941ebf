import { writeFileSync } from 'node:fs';
import { generatedFiles } from '../support/integrations/files.ts';

/** `npm run integrations`: the vectors, and the clients of other languages. */
for (const [file, text] of generatedFiles())
  writeFileSync(new URL(`../../integrations/${file}`, import.meta.url), text);
