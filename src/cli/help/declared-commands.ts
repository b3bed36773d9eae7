/** The setup and the gates of a configuration file that exists, in the form in which `init` shows what it found. */
import type { DetectedCommands } from '../../detection/detect-commands.ts';
import type { YamlTree } from '../../yaml/yaml-tree.ts';
import { checkConfigTree } from '../../config/check-config.ts';

const WHERE = 'in .supervisor/config.yaml';

/** The tree has been checked before. */
export function declaredCommands(tree: YamlTree, detected: DetectedCommands): DetectedCommands {
  const checked = checkConfigTree(tree);
  if (checked.kind === 'faulty') return detected;
  const { setup, gates } = checked.settings;
  return {
    ...detected,
    setup:
      setup === null
        ? null
        : { command: setup.command, inputs: setup.inputs, network: setup.network },
    gates: gates.map(({ name, command }) => ({ name, command, why: WHERE })),
    notes: [],
  };
}
