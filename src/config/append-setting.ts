/** Adds a top-level setting to the text of a configuration file, without a change of what is there. */
import { readYaml } from '../yaml/read-yaml.ts';
import { toValue } from '../yaml/yaml-tree.ts';
import { isRecord } from '../base/json.ts';
import { checkConfigTree } from './check-config.ts';

/**
 * Undefined if the result would not be a valid file with the setting `key`: the file is in flow style, has the key
 * already, or is faulty.
 */
export function appendSetting(
  text: string,
  key: string,
  lines: readonly string[],
): string | undefined {
  const before = text.trimEnd();
  const result = `${before === '' ? '' : `${before}\n\n`}${lines.join('\n')}\n`;
  const [was, is] = [valueOf(text), valueOf(result)];
  if (was === undefined || is === undefined) return undefined;
  const { [key]: added, ...others } = is;
  const isAdded = added !== undefined && JSON.stringify(others) === JSON.stringify(was);
  return isAdded ? result : undefined;
}

function valueOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const { tree, problems } = readYaml(text, (line, column) => ({ file: '', line, column }));
  if (problems.length > 0 || checkConfigTree(tree).kind !== 'fits') return undefined;
  const value = toValue(tree);
  return isRecord(value) ? value : undefined;
}
