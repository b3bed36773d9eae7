import { PackFile, packFileJsonSchema } from '../settings/pack-file.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import { toValue } from '../yaml/yaml-tree.ts';
import { refusePack } from './pack-error.ts';

const INVALID = { code: 'pack.invalid', hint: 'Tell the author of the pack.' } as const;

/** `builtIn`: the packs that Supervisor has itself. */
export function parseManifest(text: string, builtIn: readonly string[]): PackFile {
  const { tree, problems } = readYaml(text, (line, column) => ({
    file: 'pack.yaml',
    line,
    column,
  }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const parsed = PackFile.safeParse(toValue(tree));
  if (!parsed.success)
    throw yamlRefusal(schemaFaults(tree, parsed.error.issues, packFileJsonSchema()), INVALID);
  const { name, extends: parents, dependencies } = parsed.data;
  if (builtIn.includes(name)) throw refusePack(`The name ${name} belongs to a built-in pack.`);
  const unknown = parents.find(
    (one) => !builtIn.includes(one) && !Object.hasOwn(dependencies, one),
  );
  if (unknown !== undefined)
    throw refusePack(`${name} extends ${unknown}, which is not among its dependencies.`);
  return parsed.data;
}
