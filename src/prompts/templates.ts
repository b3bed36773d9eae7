/** Where templates lie: the project's hide the user's, and those hide the package's. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { Template, TemplateNode } from './check-template.ts';
import { checkTemplate, childrenOf, parseTemplate } from './check-template.ts';

export type ReadTemplate = (path: string, bytesMax: number) => Promise<string | undefined>;

const BYTES_MAX = 64_000;
/** Counting a template as often as it is named, so that a few can't unfold into millions. */
const UNFOLDED_MAX = 200;
const NAME = /^[a-z_][a-z0-9_-]{0,63}$/;

export type TemplateFolders = {
  readonly home: string;
  readonly project?: string;
  readonly packageData: string;
};

/** A template and all that it extends or includes, each checked. `name` has no ending. */
export async function loadTemplates(
  name: string,
  { home, project, packageData }: TemplateFolders,
  read: ReadTemplate,
): Promise<ReadonlyMap<string, Template>> {
  const folders = [
    ...(project === undefined ? [] : [join(project, '.supervisor', 'templates')]),
    join(home, 'templates'),
    join(packageData, 'templates'),
  ];
  const loaded = new Map<string, Template>();
  let unfolded = 0;

  const load = async (wanted: string, path: readonly string[]): Promise<void> => {
    const circle = path.includes(wanted);
    unfolded += 1;
    if (circle || unfolded > UNFOLDED_MAX)
      throw invalid(wanted, [...path, wanted].join(' → '), circle ? 'a circle' : 'too many parts');
    let template = loaded.get(wanted);
    if (template === undefined) {
      template = await find(wanted, folders, read);
      loaded.set(wanted, template);
      checkTemplate(template);
    }
    for (const part of partsOf(parseTemplate(template))) await load(part, [...path, wanted]);
  };
  await load(name, []);
  return loaded;
}

async function find(
  name: string,
  folders: readonly string[],
  read: ReadTemplate,
): Promise<Template> {
  for (const folder of NAME.test(name) ? folders : []) {
    const file = join(folder, `${name}.j2`);
    const text = await read(file, BYTES_MAX);
    if (text === undefined) continue;
    if (Buffer.byteLength(text) > BYTES_MAX)
      throw invalid(name, file, `longer than ${BYTES_MAX} bytes`);
    return { name, file, text };
  }
  throw new Refusal({
    code: 'template.not-found',
    message: `no template is called ${JSON.stringify(name)}`,
    hint: `It was looked for in ${folders.join(', ')}.`,
    details: { template: name },
  });
}

/** The names that a template extends or includes. */
function partsOf(node: TemplateNode): readonly string[] {
  const own =
    node.typename === 'Extends' || node.typename === 'Include'
      ? [String((node['template'] as TemplateNode)['value']).replace(/\.j2$/, '')]
      : [];
  return [...own, ...childrenOf(node).flatMap(partsOf)];
}

function invalid(template: string, where: string, message: string): Refusal {
  return new Refusal({
    code: 'template.invalid',
    message: `${where}: ${message}`,
    hint: 'Correct the template, or remove it to use the one of the package.',
    details: { template },
  });
}
