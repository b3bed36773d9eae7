/**
 * The adapter for scripted agents: small programs that ship with Supervisor and behave, or
 * misbehave, like real CLIs, without a model and without a key. `scripted` works in steps and
 * continues from partial work. `scripted:NAME` runs another program of `programs/`.
 */
import { fileURLToPath } from 'node:url';
import type { AgentAdapter } from '../adapter.ts';
import { diedWith, isZero } from '../conclude.ts';
import { NOISE } from '../agent-event.ts';
import { objectIn, text, toolUseEvent } from '../json-fields.ts';

/** The executables in `programs/`, each named after its behaviour. */
export const SCRIPTED_PROGRAMS = [
  'works-in-steps',
  'answers-its-role',
  'plays-every-role',
  'asks-a-question',
  'crashes',
  'deaf-with-child',
  'dies-mid-write',
  'exits-zero-without-work',
  'floods-stdout',
  'holds-stdout-open',
  'lives-in-turns',
  'never-speaks',
  'one-giant-line',
  'says-429-in-a-diff',
  'speaks-split-utf8',
  'uses-tools',
  'writes-nul-bytes',
] as const;
export type ScriptedProgram = (typeof SCRIPTED_PROGRAMS)[number];

/** A `.ts` file in the sources, a `.js` file in the published build. */
export function scriptedProgramPath(name: ScriptedProgram): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`programs/${name}.${extension}`, import.meta.url));
}

export const scripted: AgentAdapter = {
  cli: 'scripted',
  structured: false,

  command: ({ agent, prompt, node }) => {
    const [, requested = 'works-in-steps'] = agent.id.split(':', 2);
    const program = SCRIPTED_PROGRAMS.find((name) => name === requested) ?? 'works-in-steps';
    return {
      kind: 'run',
      argv: [node, scriptedProgramPath(program), ...agent.args],
      env: {},
      stdin: prompt,
      files: {},
      wantsPromptFile: false,
      askSignal: 'SIGTERM',
    };
  },

  read(line, stream) {
    const event = stream === 'stdout' ? objectIn(line) : undefined;
    switch (event?.['type']) {
      case 'text':
        return [{ kind: 'said', text: text(event, 'text') ?? '' }];
      case 'tool':
        return [toolUseEvent(text(event, 'name') ?? '', null, event['input'])];
      case 'question':
        return [{ kind: 'asked', question: text(event, 'text') ?? '' }];
      case 'result':
        return [{ kind: 'concluded', summary: text(event, 'summary') ?? '' }];
      default:
        return NOISE;
    }
  },

  conclude(exit, transcript) {
    if (isZero(exit))
      return { kind: 'done', summary: transcript.concluded ?? 'ended without a summary' };
    return diedWith(exit, transcript);
  },
};
