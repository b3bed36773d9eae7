/** Renders the prompts that the pure programs send: each is a template of `config/templates`, embedded in the code. */
import type { Json, JsonObject } from '../base/json.ts';
import { promptFence } from '../base/prompt-fence.ts';
import { PROGRAM_TEMPLATES } from './program-templates.ts';
import { parseTemplate } from './template/parse-template.ts';
import { renderTemplate } from './template/render-template.ts';

export type ProgramPrompt = keyof typeof PROGRAM_TEMPLATES;

const PARSED = new Map(
  Object.entries(PROGRAM_TEMPLATES).map(([name, text]) => [
    name,
    parseTemplate({ name, file: `config/templates/${name}.j2`, text }),
  ]),
);

/** Values are never read as templates. A slot stands between marks that no value contains. */
export function renderProgramPrompt(name: ProgramPrompt, values: JsonObject = {}): string {
  const fence = promptFence(textsIn(values));
  const text = renderTemplate(name, {
    templates: PARSED,
    values,
    slot: (tag, quoted) => fence.around(requireText(tag), requireText(quoted)).trimEnd(),
  });
  return text.trimEnd();
}

function requireText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('slot takes a name and a text');
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((one) => textsIn(one));
}
