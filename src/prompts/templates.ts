/** Finds templates: the project's come before the user's, these before the package's, and those of packs come last. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { COMMUNITY_FOLDER, PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { parseTemplate } from './template/parse-template.ts';
import type { ParsedTemplate, Template } from './template/syntax.ts';
import { refuseTemplate } from './template/syntax.ts';

export type ReadTemplate = (path: string, bytesMax: number) => Promise<string | undefined>;

const BYTES_MAX = 64_000;
/** Each mention of a template counts, so that a few files cannot unfold into millions of parts. */
const UNFOLDED_MAX = 200;
const NAME = /^[a-z_][a-z0-9_-]{0,63}$/;

export type TemplateFolders = {
  readonly home: string;
  readonly project?: TrustedProject;
  readonly packageData: string;
};

/** A template and all that it extends or includes, each parsed. `name` has no ending. */
export async function loadTemplates(
  name: string,
  { home, project, packageData }: TemplateFolders,
  read: ReadTemplate,
): Promise<ReadonlyMap<string, ParsedTemplate>> {
  const folders = [
    ...(project === undefined ? [] : [join(project.root, PROJECT_FOLDER, 'templates')]),
    join(home, 'templates'),
    join(packageData, 'templates'),
    join(home, COMMUNITY_FOLDER, 'templates'),
  ];
  const loaded = new Map<string, ParsedTemplate>();
  let unfolded = 0;

  const load = async (name: string, path: readonly string[]): Promise<void> => {
    const circle = path.includes(name);
    unfolded += 1;
    if (circle || unfolded > UNFOLDED_MAX)
      throw refuseTemplate(
        { name, file: [...path, name].join(' → ') },
        undefined,
        circle ? 'a template cannot include itself' : `more than ${UNFOLDED_MAX} parts`,
      );
    let template = loaded.get(name);
    if (template === undefined) {
      template = parseTemplate(await find(name, folders, read));
      loaded.set(name, template);
    }
    for (const part of template.parts) await load(part, [...path, name]);
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
      throw refuseTemplate({ name, file }, undefined, `longer than ${BYTES_MAX} bytes`);
    return { name, file, text };
  }
  throw new Refusal({
    code: 'template.not-found',
    message: `There is no template ${JSON.stringify(name)}.`,
    hint: `Supervisor looks for it in ${folders.join(', ')}.`,
    details: { template: name },
  });
}
