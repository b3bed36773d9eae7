/** Checks each command of the settings: its first element is the name of a program, and no whole line. */
import { joiningWord, shellWords } from '../base/shell-words.ts';
import type { WrittenConfig } from '../settings/config-file.ts';
import { quote } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';

export function checkPrograms(
  tree: YamlTree,
  { gates = [], setup, agents = [] }: WrittenConfig,
): readonly Problem[] {
  const commands: (readonly [path: YamlPath, command: readonly string[] | undefined])[] = [
    ...gates.map(({ command }, index) => [['gates', index, 'command'], command] as const),
    [['setup', 'command'], setup?.command],
    ...agents.map(({ command }, index) => [['agents', index, 'command'], command] as const),
  ];
  return commands.flatMap(([path, command = []]) => {
    const problem = lineFault(command);
    if (problem === undefined) return [];
    const { place } = treeAt(tree, path) ?? tree;
    return [{ place, key: pathText(path), message: `${pathText(path)}: ${problem}` }];
  });
}

/** A path may have blanks. The name of a program that is found by its name has none. */
function lineFault([program = '', ...rest]: readonly string[]): string | undefined {
  const words = /\s/.test(program) && !program.includes('/') ? shellWords(program) : undefined;
  if (words === undefined || words.length < 2) return undefined;
  const fault = `${quote(program)} is one element with a space, so it is taken as the name of one program`;
  if (joiningWord(words) !== undefined)
    return `${fault}: write [sh, -c, ${JSON.stringify(program)}]`;
  return `${fault}: write [${[...words, ...rest].map(yamlWord).join(', ')}]`;
}

function yamlWord(word: string): string {
  return /^[a-z_.-][\w./@+-]*$/i.test(word) ? word : JSON.stringify(word);
}
