/** The `.supervisor/config.yaml` that `supervisor init` writes: what was found, with comments for the person who edits it. */
import { wrapWords } from '../base/text.ts';
import { gateLines, LINE_CHARS_MAX, setupLines } from './config-lines.ts';
import type { DetectedCommands } from './detect-commands.ts';

export type StarterConfig = Pick<DetectedCommands, 'gates' | 'setup' | 'notes'> & {
  /** The ids of the agents, in the order in which a run tries them. */
  readonly chain: readonly string[];
  /** Those that only the settings of this user declare. */
  readonly own?: readonly string[];
};

export function starterConfig({ chain, own = [], gates, setup, notes }: StarterConfig): string {
  return [
    '# Settings of this project, for all people who work on it. Every key has a',
    '# default. `supervisor config` shows all settings and where they come from.',
    'version: 1',
    '',
    ...chainLines(chain, own),
    '',
    ...setupPart(setup, notes),
    '',
    ...gatesPart(gates),
    '',
  ].join('\n');
}

function chainLines(chain: readonly string[], own: readonly string[]): readonly string[] {
  const [first, ...rest] = chain;
  if (first === undefined)
    return [
      '# The agent of a run that names none. No agent CLI was ready when this was',
      '# written.',
      '# default_agent: claude',
    ];
  const fallbacks = rest.map((id, nth) => `${chain[nth] ?? first}: ${id}`);
  return [
    '# The agent of a run that names none.',
    ...ownLines(chain.filter((id) => own.includes(id))),
    `default_agent: ${first}`,
    ...(fallbacks.length === 0
      ? []
      : [
          '# The agent that takes over from each agent, if that one fails or hits a',
          '# limit.',
          'selection:',
          `  fallbacks: {${fallbacks.join(', ')}}`,
        ]),
  ];
}

/** Other people get this file with the repository, but not the settings that declare these agents. */
function ownLines(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const [verb, them] = ids.length === 1 ? ['comes', 'it'] : ['come', 'them'];
  const note = `${ids.join(', ')} ${verb} from the settings of the person who wrote this. Other people need ${them} in their settings too.`;
  return wrapWords(note, LINE_CHARS_MAX - 2).map((line) => `# ${line}`);
}

function setupPart(setup: StarterConfig['setup'], notes: readonly string[]): readonly string[] {
  const comments = notes
    .flatMap((note) => wrapWords(note, LINE_CHARS_MAX - 2))
    .map((line) => `# ${line}`);
  if (setup !== null)
    return [
      '# Builds the dependencies in a fresh copy of this project: agents and gates',
      '# see no ignored files. It runs once for each state of the inputs, and',
      '# reaches only the package registries of this machine.',
      ...setupLines(setup),
      ...comments,
    ];
  return [
    '# Prepares a fresh copy of this project: agents and gates see no ignored',
    '# files.',
    '# setup:',
    '#   command: [npm, ci]',
    '#   inputs: [package-lock.json]',
    '#   network: [registry]',
    ...comments,
  ];
}

function gatesPart(gates: StarterConfig['gates']): readonly string[] {
  if (gates.length > 0)
    return [
      '# Commands that must pass when an agent says that it is done. They run out',
      '# of its reach, without network.',
      ...gateLines(gates, { isExplained: true }),
    ];
  return [
    '# Commands that must pass when an agent says that it is done. None was',
    '# found, so runs end unverified.',
    '# gates:',
    '#   - {name: test, command: [npm, test]}',
  ];
}
