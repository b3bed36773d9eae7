/**
 * Agents that play a script: small programs of ours that behave, and misbehave, the way real CLIs
 * do, with no model and no key. `scripted` works in steps and goes on where partial work lies;
 * `scripted:NAME` plays another program of `programs/`.
 */
import { fileURLToPath } from 'node:url';
import { isRecord, parseJson } from '../../base/json.ts';
import type { AgentAdapter, AgentEvent, Exit } from '../adapter.ts';

/** The executables in `programs/`, each named after what it does to whoever runs it. */
export const SCRIPTED_PROGRAMS = [
  'works-in-steps',
  'asks-a-question',
  'crashes',
  'deaf-with-child',
  'dies-mid-write',
  'exits-zero-without-work',
  'floods-stdout',
  'holds-stdout-open',
  'never-speaks',
  'one-giant-line',
  'says-429-in-a-diff',
  'speaks-split-utf8',
  'writes-nul-bytes',
] as const;
export type ScriptedProgram = (typeof SCRIPTED_PROGRAMS)[number];

/** From sources it is a `.ts` file, from the published build a `.js` one. */
export function scriptedProgramPath(name: ScriptedProgram): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`programs/${name}.${extension}`, import.meta.url));
}

export const scripted: AgentAdapter = {
  cli: 'scripted',

  command: ({ agent, prompt, node }) => {
    const [, wanted = 'works-in-steps'] = agent.id.split(':', 2);
    const program = SCRIPTED_PROGRAMS.find((name) => name === wanted) ?? 'works-in-steps';
    return { argv: [node, scriptedProgramPath(program), ...agent.args], env: {}, stdin: prompt };
  },

  read(line): AgentEvent {
    // Only an object can be an event; to find out by parsing is slow for an agent that floods.
    const event = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isRecord(event)) return { kind: 'noise' };
    switch (event['type']) {
      case 'text':
        return { kind: 'said', text: String(event['text']) };
      case 'tool':
        return { kind: 'used-tool', tool: String(event['name']) };
      case 'result':
        return { kind: 'concluded', summary: String(event['summary']) };
      default:
        return { kind: 'noise' };
    }
  },

  conclude(exit, last) {
    if (exit.kind === 'code' && exit.code === 0) {
      const summary = last?.kind === 'concluded' ? last.summary : 'ended without a word';
      return { kind: 'done', summary };
    }
    return { kind: 'died', message: describeExit(exit) };
  },
};

function describeExit(exit: Exit): string {
  switch (exit.kind) {
    case 'code':
      return `exited with code ${exit.code}`;
    case 'signal':
      return `was ended by ${exit.signal}`;
    case 'not-started':
      return `could not be started: ${exit.message}`;
  }
}
