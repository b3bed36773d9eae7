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
import type { ScriptedProgram } from './scripted-programs.ts';
import { findScriptedProgram, SCRIPTED_LIST } from './scripted-programs.ts';

export const AT_TERMINAL = 'talks-at-a-terminal';

/** A `.ts` file in the sources, a `.js` file in the published build. */
export function scriptedProgramPath(name: ScriptedProgram | typeof AT_TERMINAL): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`programs/${name}.${extension}`, import.meta.url));
}

export const scripted: AgentAdapter = {
  cli: 'scripted',
  structured: false,

  command: ({ agent, prompt, node }) => {
    const program = findScriptedProgram(agent.id);
    if (program === undefined)
      return { kind: 'refused', why: `has no program for ${agent.id}. Use ${SCRIPTED_LIST}.` };
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

  atTerminal: ({ node, resume, session }) => {
    const name = resume ?? session;
    return {
      kind: 'run',
      argv: [node, scriptedProgramPath(AT_TERMINAL), ...(name === null ? [] : [name])],
      env: {},
      stdin: '',
      files: {},
      wantsPromptFile: false,
      askSignal: 'SIGTERM',
      session: name,
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
