/**
 * `npm run templates`: writes the templates of the programs into `src/prompts/program-templates.ts`. The rooms
 * that render them are pure and can't read files.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['agents', 'attempts', 'messages', 'monitors', 'workflow'];
const templates = new URL('../config/templates/', import.meta.url);

const entries = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, templates))
    .filter((file) => file.endsWith('.j2'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(`${folder}/${file}`, templates), 'utf8');
      const escaped = text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`);
      return `  '${folder}/${file.slice(0, -'.j2'.length)}': \`${escaped}\`,\n`;
    }),
);

writeFileSync(
  fileURLToPath(new URL('../src/prompts/program-templates.ts', import.meta.url)),
  `/** Written by \`npm run templates\` from \`config/templates/{${FOLDERS.join(',')}}\`: edit the templates there. */\nexport const PROGRAM_TEMPLATES = {\n${entries.join('')}} as const;\n`,
);
