/** Checks across the gates: known names in `depends_on`, no circle, no hidden shell, and no protected variable. */
import { plainLine } from '../base/typography.ts';
import { isProtectedVariable } from '../base/loading-variables.ts';
import { joiningWord } from '../base/shell-words.ts';
import { shellInCommand } from '../base/shell-command.ts';
import type { WrittenConfig } from '../settings/config-file.ts';
import { findCircle } from '../settings/gate-order.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';

export function checkGates(tree: YamlTree, { gates = [] }: WrittenConfig): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (path: YamlPath, problem: string, suggestion?: string): void =>
    void problems.push({
      place: (treeAt(tree, path) ?? tree).place,
      key: pathText(path),
      message: `${pathText(path)}: ${problem}`,
      ...(suggestion !== undefined && { nearest: suggestion }),
    });
  const names = gates.map(({ name }) => name);
  for (const [index, { name, command, allow_shell: allowed, ...gate }] of gates.entries()) {
    const at = ['gates', index];
    const plain = plainLine(command.join(' '));
    if (plain !== undefined)
      report(
        [...at, 'command'],
        `it has typographic quotes or dashes, which no program understands: write ${plain}`,
      );
    const joining = joiningWord(command);
    if (joining !== undefined)
      report(
        [...at, 'command'],
        `${joining} joins commands only in a shell: write [sh, -c, …] with allow_shell: true, or two gates`,
      );
    const shell = allowed === true ? undefined : shellInCommand(command);
    if (shell !== undefined)
      report([...at, 'command'], `${shell} starts a shell: add allow_shell: true to this gate`);
    for (const variable of Object.keys(gate.env ?? {}))
      if (isProtectedVariable(variable))
        report(
          [...at, 'env', variable],
          `${variable} can change what the gate runs: set it in the command, such as [env, ${variable}=…, ${command[0] ?? ''}]`,
        );
    for (const [nth, other] of (gate.depends_on ?? []).entries()) {
      if (names.includes(other)) continue;
      const others = names.filter((one) => one !== name);
      const suggestion = nearest(other, others);
      report(
        [...at, 'depends_on', nth],
        `no gate is called ${quote(other)}${suggest(suggestion)}`,
        suggestion,
      );
    }
  }
  const circle = findCircle(
    gates.map(({ name, depends_on: dependsOn }) => ({ name, dependsOn: dependsOn ?? [] })),
  );
  const [first] = circle ?? [];
  if (circle !== undefined && first !== undefined)
    report(
      ['gates', names.indexOf(first), 'depends_on'],
      `gates depend on one another in a circle: ${circle.join(', then ')}`,
    );
  return problems;
}
